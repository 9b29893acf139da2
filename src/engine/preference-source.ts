import { nearest } from './match/nearest.js';
import type { Concern, Policy } from './policy.js';

/**
 * Where a host said what it wants: `update` is `updateConcerns`, `request` the `_meta` of a list request, `capabilities`
 * those of the client, which come with each request where there are no sessions.
 */
export type PreferenceSourceName = 'update' | 'request' | 'session' | 'capabilities' | 'header' | 'url';

/**
 * Where an effective value comes from: a carrier, itself or by a preset that it named; a verified claim; the concern's
 * default. What is denied comes from what is missing: a claim, or the session that held what the host asked for.
 */
export type Origin =
  | PreferenceSourceName
  | `${PreferenceSourceName} preset ${string}`
  | 'claim'
  | 'default'
  | 'no-claim'
  | 'forgotten';

/** What one carrier brought, unchecked. */
export interface PreferenceSource {
  readonly from: PreferenceSourceName;
  readonly concerns: unknown;
}

/** Something that was not taken as sent. */
export interface ConcernWarning {
  readonly code: string;
  readonly message: string;
}

/** A value outside `values` under `invalid: error`: the `data` of the `-32602` answer. */
export interface InvalidValue {
  readonly concern: string;
  readonly value: unknown;
  readonly values: readonly string[] | { readonly min: number; readonly max: number };
  readonly suggestion?: string;
}

/** A number of `Assignment`; a list of them where a host may ask for several. */
export type Wanted = number | readonly number[];

/** Warnings of one request that are kept, and refused values. */
const MAX_NOTES = 32;

/** More entries than this in one carrier are not looked at: no policy declares as many. */
const MAX_ENTRIES = 128;

/** What was noticed while carriers were read. */
export class Notes {
  warnings: ConcernWarning[] | undefined;
  invalid: InvalidValue[] | undefined;

  warn(code: string, message: string): void {
    this.warnings ??= [];
    if (this.full) return;
    const more = {
      code: 'more-warnings',
      message: 'There is more that was not taken as sent; mend these first.',
    };
    this.warnings.push(this.warnings.length < MAX_NOTES ? { code, message } : more);
  }

  refuse(value: InvalidValue): void {
    this.invalid ??= [];
    if (!this.refusedEnough) this.invalid.push(value);
  }

  /** What a host sends must not make answers and logs much longer than what it sent. */
  get full(): boolean {
    return (this.warnings?.length ?? 0) > MAX_NOTES;
  }

  get refusedEnough(): boolean {
    return (this.invalid?.length ?? 0) >= MAX_NOTES;
  }
}

/** What was accepted of a host's entries, one place for each concern. */
export interface Accepted {
  /** `null` where a host wants none. */
  readonly values: (Wanted | null | undefined)[];
  /** By which carrier, where there is a value. */
  readonly origins: (Origin | undefined)[];
}

/**
 * Reads what one carrier brought. Of each concern the first accepted value stays: carriers come strongest first.
 *
 * @param policy the policy
 * @param carrier what was sent, unchecked
 * @param accepted gets what is accepted
 * @param notes gets what was not taken as sent
 */
export function readPreferenceSource(
  policy: Policy,
  { from, concerns }: PreferenceSource,
  accepted: Accepted,
  notes: Notes,
): void {
  const { values, origins } = accepted;
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    notes.warn('malformed-concerns', `concerns (${from}) must be an object of names and values; ignored.`);
    return;
  }
  const sent = concerns as Record<string, unknown>;
  const names = Object.keys(sent);
  if (names.length > MAX_ENTRIES) {
    notes.warn(
      'too-many-entries',
      `concerns (${from}) has over ${MAX_ENTRIES} entries; the rest is ignored.`,
    );
    names.length = MAX_ENTRIES;
  }

  let preset: unknown;
  for (const name of names) {
    if (name === 'preset') {
      preset = sent[name];
      continue;
    }
    const index = policy.indexOf.get(name);
    if (index === undefined) {
      const near = nearest(name, policy.indexOf.keys());
      notes.warn(
        'undeclared-concern',
        `${quote(name)} (${from}) is no concern of this server; ignored.${near ? ` Did you mean "${near}"?` : ''}`,
      );
    } else if (values[index] === undefined) {
      values[index] = readValue(policy, index, sent[name], from, notes);
      origins[index] = from;
    }
  }
  if (preset !== undefined) readPreset(policy, preset, from, accepted, notes);
}

/** A preset stands for several entries of its carrier; an entry beside it is stronger. */
function readPreset(
  policy: Policy,
  preset: unknown,
  from: PreferenceSourceName,
  { values, origins }: Accepted,
  notes: Notes,
): void {
  const invalid = { concern: 'preset', value: preset, values: [...policy.presets.keys()] };
  if (typeof preset !== 'string') {
    malformed(policy, notes, invalid, from, 'one name');
    return;
  }
  const entries = policy.presets.get(preset);
  if (entries === undefined) {
    outside(policy, notes, invalid, from);
    return;
  }
  // A declared name: it was found among the policy's presets.
  const origin = `${from} preset ${preset}` as const;
  for (const [name, value] of entries) {
    const index = policy.indexOf.get(name);
    if (index !== undefined && values[index] === undefined) {
      values[index] = readValue(policy, index, value, from, notes);
      origins[index] = origin;
    }
  }
}

/** @returns the accepted value; `null` where the host wants none; nothing where the entry is ignored */
function readValue(
  policy: Policy,
  index: number,
  value: unknown,
  from: PreferenceSourceName,
  notes: Notes,
): Wanted | null | undefined {
  const concern = policy.concerns[index] as Concern;
  const { name, values } = concern;
  if (concern.setBy === 'operator') {
    notes.warn('operator-concern', `${name} (${from}) is set by the operator; what a host sends is ignored.`);
    return undefined;
  }
  if (value === null) return null;
  if ('min' in values) return readNumber(policy, concern, values, value, from, notes);

  if (concern.multiple && Array.isArray(value)) {
    const wanted = new Set<number>();
    for (const each of value.slice(0, MAX_ENTRIES)) {
      const ordinal = readName(policy, index, each, from, notes);
      if (ordinal !== undefined) wanted.add(ordinal);
    }
    if (value.length === 0)
      malformed(policy, notes, { concern: name, value, values }, from, 'a name or a list of names');
    return wanted.size === 0 ? undefined : [...wanted].sort((a, b) => a - b);
  }
  const ordinal = readName(policy, index, value, from, notes);
  return ordinal === undefined || !concern.multiple ? ordinal : [ordinal];
}

function readName(
  policy: Policy,
  index: number,
  value: unknown,
  from: PreferenceSourceName,
  notes: Notes,
): number | undefined {
  const { name, values, multiple } = policy.concerns[index] as Concern;
  // A structured field or a URL cannot tell 1 from "1": there a number may be the name of a value.
  const text = typeof value === 'number' && (from === 'header' || from === 'url') ? String(value) : value;
  if (typeof text !== 'string') {
    const expected = multiple ? 'a name or a list of names' : 'one name';
    malformed(policy, notes, { concern: name, value, values }, from, expected);
    return undefined;
  }
  const ordinal = policy.ordinals[index]?.get(text);
  if (ordinal === undefined) outside(policy, notes, { concern: name, value: text, values }, from);
  return ordinal;
}

function readNumber(
  policy: Policy,
  concern: Concern,
  range: { readonly min: number; readonly max: number },
  value: unknown,
  from: PreferenceSourceName,
  notes: Notes,
): number | undefined {
  const textual = (from === 'header' || from === 'url') && typeof value === 'string';
  const number = textual && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    malformed(policy, notes, { concern: concern.name, value, values: range }, from, 'a number');
    return undefined;
  }
  if (number >= range.min && number <= range.max) return number;
  if (policy.settings.invalid !== 'clamp') {
    outside(policy, notes, { concern: concern.name, value: number, values: range }, from);
    return undefined;
  }
  const clamped = Math.min(Math.max(number, range.min), range.max);
  notes.warn(
    'clamped-value',
    `${concern.name} (${from}) is ${number}; taken as ${clamped}, the nearest bound.`,
  );
  return clamped;
}

/** A value of the wrong type. Only an update is refused for it: it alone can be corrected and sent again at once. */
function malformed(
  policy: Policy,
  notes: Notes,
  invalid: InvalidValue,
  from: PreferenceSourceName,
  expected: string,
): void {
  if (from === 'update' && policy.settings.invalid === 'error') notes.refuse(invalid);
  else notes.warn('malformed-value', `${invalid.concern} (${from}) must be ${expected}; ignored.`);
}

/** A list of names has no nearest one, so `clamp` ignores the entry as `ignore` does. */
function outside(policy: Policy, notes: Notes, invalid: InvalidValue, from: PreferenceSourceName): void {
  const { concern, value, values } = invalid;
  // What a session holds was accepted once, and clients send their capabilities with everything: neither must make every
  // list fail after the policy changed.
  const lasts = from === 'session' || from === 'capabilities';
  const refused = policy.settings.invalid === 'error' && !lasts;
  // Looking for the nearest name costs more than anything else here.
  if (refused ? notes.refusedEnough : notes.full) return;
  const near = 'min' in values ? undefined : nearest(String(value), values);
  if (refused) {
    notes.refuse({ ...invalid, ...(near === undefined ? {} : { suggestion: near }) });
    return;
  }
  const allowed = 'min' in values ? `${values.min} to ${values.max}` : values.join(', ');
  const code = concern === 'preset' ? 'unknown-preset' : 'unknown-value';
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  notes.warn(code, `${quote(value)} (${from}) is no value of ${concern} (${allowed}); ignored.${hint}`);
}

/** What a host sent, short enough for a log line. */
function quote(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

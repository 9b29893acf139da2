import { itemAt } from './item-at.js';
import { didYouMean } from './match/did-you-mean.js';
import { listNames } from './match/list-names.js';
import { nearest } from './match/nearest.js';
import type { Concern, Policy } from './policy.js';

/**
 * Where a host stated its preferences. `update` is an `updateConcerns` request and `request` is the `_meta` of any other
 * request. `model` is what a model set with the tool `concerns`. `principal` is what a person chose as a verified caller.
 * `capabilities` are the client's, which it sends with each request if there are no sessions. `client` is a default of
 * the policy for clients with that name.
 */
export type PreferenceSourceName =
  | 'update'
  | 'request'
  | 'model'
  | 'session'
  | 'principal'
  | 'capabilities'
  | 'header'
  | 'url'
  | 'client';

/**
 * Where an effective value comes from: a preference source, directly or by a preset that it named; a verified claim; the
 * concern's default. For a denied concern it is what was missing: `no-claim`; `unmatched-claim` if no value of the concern is
 * that of the claim; `several-claims` if the claim has several elements and the concern takes one value; or `forgotten` if the session that held the host's preferences was lost.
 */
export type Origin =
  | PreferenceSourceName
  | `${PreferenceSourceName} preset ${string}`
  | 'claim'
  | 'default'
  | 'no-claim'
  | 'unmatched-claim'
  | 'several-claims'
  | 'forgotten';

/** The preferences from one source, unchecked. */
export interface PreferenceSource {
  readonly from: PreferenceSourceName;
  readonly concerns: unknown;
}

/** An entry that was changed or ignored. */
export interface ConcernWarning {
  readonly code: string;
  readonly message: string;
}

/** A value that was rejected under `invalid: error`: the `data` of the `-32602` error. */
export interface InvalidValue {
  readonly concern: string;
  readonly value: unknown;
  readonly values: readonly string[] | { readonly min: number; readonly max: number };
  readonly suggestion?: string;
}

/** A number of `Assignment`; a list of them if the concern takes several values. */
export type PreferredValue = number | readonly number[];

/** The most warnings, and the most rejected values, that are kept for one request. */
const MAX_NOTES = 32;

/** The most entries that are read from one source. No policy declares as many concerns. */
const MAX_ENTRIES = 128;

/** Collects the entries that were changed, ignored or rejected while preference sources were read. */
export class Notes {
  warnings: ConcernWarning[] | undefined;
  invalid: InvalidValue[] | undefined;
  /** The indexes of concerns that got a value which was not accepted. */
  notAccepted: Set<number> | undefined;
  /** Whether a preset was named that the policy does not declare. It could have set any concern. */
  unknownPreset = false;

  warn(code: string, message: string): void {
    this.warnings ??= [];
    if (this.full) return;
    const more = {
      code: 'more-warnings',
      message: 'More warnings were omitted. Fix these first.',
    };
    this.warnings.push(this.warnings.length < MAX_NOTES ? { code, message } : more);
  }

  dropped(concern: number): void {
    this.notAccepted ??= new Set();
    this.notAccepted.add(concern);
  }

  reject(value: InvalidValue): void {
    this.invalid ??= [];
    if (!this.rejectedEnough) this.invalid.push(value);
  }

  /** Answers and logs must not become much longer than what the host sent. */
  get full(): boolean {
    return (this.warnings?.length ?? 0) > MAX_NOTES;
  }

  get rejectedEnough(): boolean {
    return (this.invalid?.length ?? 0) >= MAX_NOTES;
  }
}

/** A host's accepted preferences. Lists have one item per concern of the policy. */
export interface Accepted {
  /** `null` if the host prefers no value. */
  readonly values: (PreferredValue | null | undefined)[];
  /** Where each value comes from. */
  readonly origins: (Origin | undefined)[];
}

/**
 * Reads the preferences from one source. A concern that already has an accepted value keeps it, so read the strongest
 * source first.
 *
 * @param policy the policy
 * @param source the preferences as sent, unchecked
 * @param accepted receives the accepted values
 * @param notes receives the entries that were changed, ignored or rejected
 * @example
 * readPreferenceSource(policy, { from: 'request', concerns: { security: 'high' } }, accepted, notes);
 */
export function readPreferenceSource(
  policy: Policy,
  { from, concerns }: PreferenceSource,
  accepted: Accepted,
  notes: Notes,
): void {
  const { values, origins } = accepted;
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    notes.warn(
      'malformed-concerns',
      `concerns (${from}) must be an object of concern names and values. It was ignored.`,
    );
    return;
  }
  const sent = concerns as Record<string, unknown>;
  const names = Object.keys(sent);
  if (names.length > MAX_ENTRIES) {
    notes.warn(
      'too-many-entries',
      `concerns (${from}) has more than ${MAX_ENTRIES} entries. The rest were ignored.`,
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
      const hint = didYouMean(name, policy.indexOf.keys());
      notes.warn(
        'undeclared-concern',
        `${quote(name)} (${from}) is not a concern of this server. It was ignored.${hint}`,
      );
    } else if (values[index] === undefined) {
      values[index] = readValue(policy, index, sent[name], from, notes);
      origins[index] = from;
      if (values[index] === undefined) notes.dropped(index);
    }
  }
  if (preset !== undefined) readPreset(policy, preset, from, accepted, notes);
}

/** A preset expands to several entries of its source. Explicit entries of the same source are stronger. */
function readPreset(
  policy: Policy,
  preset: unknown,
  from: PreferenceSourceName,
  { values, origins }: Accepted,
  notes: Notes,
): void {
  const invalid = { concern: 'preset', value: preset, values: [...policy.presets.keys()] };
  if (typeof preset !== 'string') {
    notes.unknownPreset = true;
    malformed(policy, notes, invalid, from, 'one name');
    return;
  }
  const entries = policy.presets.get(preset);
  if (entries === undefined) {
    notes.unknownPreset = true;
    outside(policy, notes, invalid, from);
    return;
  }
  // `preset` is a declared name, so it is safe to repeat it in the origin.
  const origin = `${from} preset ${preset}` as const;
  for (const [name, value] of entries) {
    const index = policy.indexOf.get(name);
    if (index !== undefined && values[index] === undefined) {
      values[index] = readValue(policy, index, value, from, notes);
      origins[index] = origin;
    }
  }
}

/** @returns the accepted value; `null` if the host prefers no value; `undefined` if the entry is ignored */
function readValue(
  policy: Policy,
  index: number,
  value: unknown,
  from: PreferenceSourceName,
  notes: Notes,
): PreferredValue | null | undefined {
  const concern = itemAt(policy.concerns, index);
  const { name, values } = concern;
  if (concern.setBy === 'operator') {
    notes.warn(
      'operator-concern',
      `${name} (${from}) is set by the operator, so a host cannot change it. It was ignored.`,
    );
    return undefined;
  }
  if (from === 'model' && (concern.model ?? 'none') === 'none') {
    notes.warn('not-for-model', `${name} (model) is for people to change. The model's value was ignored.`);
    return undefined;
  }
  if (value === null) return null;
  if ('min' in values) return readNumber(policy, concern, values, value, from, notes);

  if (concern.multiple && Array.isArray(value)) {
    const ordinals = new Set<number>();
    for (const each of value.slice(0, MAX_ENTRIES)) {
      const ordinal = readName(policy, index, each, from, notes);
      if (ordinal !== undefined) ordinals.add(ordinal);
    }
    if (value.length === 0)
      malformed(policy, notes, { concern: name, value, values }, from, 'a name or a list of names');
    return ordinals.size === 0 ? undefined : [...ordinals].sort((a, b) => a - b);
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
  const { name, values, multiple } = itemAt(policy.concerns, index);
  // A header or a URL cannot tell 1 from "1", so a number from there may be the name of a value.
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
    `${concern.name} (${from}) is ${number}, which is out of range. The nearest bound, ${clamped}, was used.`,
  );
  return clamped;
}

/** Notes a value of the wrong type. Only an update is rejected for it, because its sender can correct it at once. */
function malformed(
  policy: Policy,
  notes: Notes,
  invalid: InvalidValue,
  from: PreferenceSourceName,
  expected: string,
): void {
  if (from === 'update' && policy.settings.invalid === 'error') notes.reject(invalid);
  else notes.warn('malformed-value', `${invalid.concern} (${from}) must be ${expected}. It was ignored.`);
}

/** Notes a value outside `values`. A list of names has no nearest bound, so `clamp` ignores the entry like `ignore`. */
function outside(policy: Policy, notes: Notes, invalid: InvalidValue, from: PreferenceSourceName): void {
  const { concern, value, values } = invalid;
  // Values that are kept were accepted earlier, and clients send their capabilities with every request. If the policy
  // changed since, neither may make every list fail.
  const lasts = from === 'session' || from === 'principal' || from === 'model' || from === 'capabilities';
  const rejected = policy.settings.invalid === 'error' && !lasts;
  // The search for the nearest name costs more than anything else here.
  if (rejected ? notes.rejectedEnough : notes.full) return;
  if (rejected) {
    const near = 'min' in values ? undefined : nearest(String(value), values);
    notes.reject({ ...invalid, ...(near === undefined ? {} : { suggestion: near }) });
    return;
  }
  const allowed = 'min' in values ? `${values.min} to ${values.max}` : listNames(values);
  const code = concern === 'preset' ? 'unknown-preset' : 'unknown-value';
  const hint = 'min' in values ? '' : didYouMean(String(value), values);
  const message = `${quote(value)} (${from}) is not a valid value for ${concern} (${allowed}). It was ignored.${hint}`;
  notes.warn(code, message);
}

/** @returns the value as JSON, short enough for a log line */
function quote(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

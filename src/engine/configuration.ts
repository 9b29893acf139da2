import { fromNumber } from './mapping.js';
import { nearest } from './nearest.js';
import type { Concern, Policy } from './policy.js';
import { type RuleData, readPath } from './rule.js';

/** Where a host said what it wants: `update` is `updateConcerns`, `request` the `_meta` of a list request. */
export type CarrierName = 'update' | 'request' | 'session' | 'header' | 'url';

/** What one carrier brought, unchecked. */
export interface Carrier {
  readonly from: CarrierName;
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

/** `denied`: an operator concern whose claim is missing and has no default. */
export type Effective = Wanted | 'denied' | undefined;

/** Who asks, as far as the operator or the protocol can tell. */
export interface Caller {
  /** Claims that were verified: the only source of operator concerns. */
  readonly claims?: ReadonlyMap<string, unknown> | undefined;
  /** What the client said that it can do; unknown where the connection did not begin here. */
  readonly capabilities?: unknown;
  /** What this host asked for is not known: what it may have asked for is denied, not shown. */
  readonly forgotten?: boolean;
}

export interface Configuration {
  /** One place for each concern of the policy. */
  readonly effective: readonly Effective[];
  /** What hosts asked for, defaults and claims left out; `null` where a host wants none. */
  readonly accepted: readonly (Wanted | null | undefined)[];
  /** Equal for configurations that mean the same. */
  readonly key: string;
  /** Whether any concern has an effective value: without one, no concern can hide anything. */
  readonly active: boolean;
  readonly warnings: readonly ConcernWarning[];
  readonly invalid: readonly InvalidValue[];
  /** What rules read beside the primitive. */
  readonly data: RuleData;
}

/** Warnings of one request that are kept. */
const MAX_WARNINGS = 32;

/** More entries than this in one carrier are not looked at: no policy declares as many. */
const MAX_ENTRIES = 128;

const NO_WARNINGS: readonly ConcernWarning[] = [];
const NO_INVALID: readonly InvalidValue[] = [];

/**
 * Turns what a host sent into the configuration that is in effect.
 *
 * Per concern the strongest carrier wins; a missing name falls through to the next one, and so does an entry that is
 * not accepted. `null` means no value, also against weaker carriers and the default. Undeclared names and values of
 * the wrong type are ignored with a warning; a value outside `values` follows the policy's `invalid`.
 *
 * @param policy the policy
 * @param carriers what the host sent, strongest first
 * @param caller who asks: claims that were verified, and what the client can do
 * @returns the configuration, with everything that was not taken as sent
 * @example
 * resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'high' } }]).active; // true
 */
export function resolveConfiguration(
  policy: Policy,
  carriers: readonly Carrier[],
  caller: Caller = {},
): Configuration {
  const { concerns, settings } = policy;
  const accepted: (Wanted | null | undefined)[] = new Array(concerns.length);
  const notes = new Notes();
  for (const carrier of carriers) {
    if (carrier.concerns !== undefined) readCarrier(policy, carrier, accepted, notes);
  }

  const spoken = accepted.some((value) => value !== undefined && value !== null);
  const defaults = settings.defaults === 'always' || (settings.defaults === 'aware' && spoken);
  const effective: Effective[] = new Array(concerns.length);
  let key = '';
  let active = false;
  for (let index = 0; index < concerns.length; index++) {
    const concern = concerns[index] as Concern;
    const host = accepted[index];
    let value: Effective;
    if (concern.setBy === 'operator') value = operatorValue(policy, index, concern, caller.claims);
    else if (host !== undefined) value = host ?? undefined;
    else if (defaults) value = defaultOf(policy, index, concern);
    if (caller.forgotten === true && host === undefined && concern.setBy === 'host') value = 'denied';
    effective[index] = value;
    if (value !== undefined) active = true;
    key += `${value ?? ''};`;
  }
  const { warnings = NO_WARNINGS, invalid = NO_INVALID } = notes;
  if (policy.rules.length === 0) return { effective, accepted, key, active, warnings, invalid, data: {} };
  const data = ruleData(policy, effective, caller);
  const facts = policy.callerPaths.map((path) => readPath(data, path) ?? null);
  return { effective, accepted, key: key + JSON.stringify(facts), active, warnings, invalid, data };
}

/** Without prototypes, so that a rule finds nothing but what is there. */
function ruleData(
  policy: Policy,
  effective: readonly Effective[],
  { claims, capabilities }: Caller,
): RuleData {
  const concerns: Record<string, unknown> = Object.create(null);
  effective.forEach((value, index) => {
    const name = policy.concerns[index]?.name;
    if (name === undefined || value === undefined || value === 'denied') return;
    concerns[name] = toWords(policy, index, value);
  });
  return {
    concerns,
    claims: Object.assign(Object.create(null), Object.fromEntries(claims ?? [])),
    ...(capabilities === undefined ? {} : { client: Object.assign(Object.create(null), { capabilities }) }),
  };
}

type Words = string | number | (string | number)[];

/**
 * @param policy the policy
 * @param configuration a configuration of that policy
 * @returns its values in the words of the policy, concerns without one left out
 * @example
 * describeConfiguration(policy, configuration); // { security: 'high' }
 */
export function describeConfiguration(policy: Policy, configuration: Configuration): Record<string, Words> {
  const described: [string, Words][] = [];
  configuration.effective.forEach((value, index) => {
    const name = policy.concerns[index]?.name;
    if (name === undefined || value === undefined || value === 'denied') return;
    described.push([name, toWords(policy, index, value)]);
  });
  return Object.fromEntries(described);
}

/** @returns what was accepted of a host's entries, to be sent or stored again; presets are spelled out */
export function describeAccepted(policy: Policy, { accepted }: Configuration): Record<string, Words | null> {
  const described: [string, Words | null][] = [];
  accepted.forEach((value, index) => {
    const name = policy.concerns[index]?.name;
    if (name === undefined || value === undefined) return;
    described.push([name, value === null ? null : toWords(policy, index, value)]);
  });
  return Object.fromEntries(described);
}

function toWords(policy: Policy, index: number, value: Wanted): Words {
  return typeof value === 'number'
    ? fromNumber(policy, index, value)
    : value.map((each) => fromNumber(policy, index, each));
}

class Notes {
  warnings: ConcernWarning[] | undefined;
  invalid: InvalidValue[] | undefined;

  warn(code: string, message: string): void {
    this.warnings ??= [];
    if (this.full) return;
    this.warnings.push({ code, message });
    if (this.full) {
      const more = 'There is more that was not taken as sent; mend these first.';
      this.warnings.push({ code: 'more-warnings', message: more });
    }
  }

  /** What a host sends must not make answers and logs much longer than what it sent. */
  get full(): boolean {
    return (this.warnings?.length ?? 0) >= MAX_WARNINGS;
  }

  refuse(value: InvalidValue): void {
    this.invalid ??= [];
    this.invalid.push(value);
  }
}

function readCarrier(
  policy: Policy,
  { from, concerns }: Carrier,
  accepted: (Wanted | null | undefined)[],
  notes: Notes,
): void {
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
    } else if (accepted[index] === undefined) {
      accepted[index] = readValue(policy, index, sent[name], from, notes);
    }
  }
  if (preset !== undefined) readPreset(policy, preset, from, accepted, notes);
}

/** A preset stands for several entries of its carrier; an entry beside it is stronger. */
function readPreset(
  policy: Policy,
  preset: unknown,
  from: CarrierName,
  accepted: (Wanted | null | undefined)[],
  notes: Notes,
): void {
  const entries = typeof preset === 'string' ? policy.presets.get(preset) : undefined;
  if (entries !== undefined) {
    for (const [name, value] of entries) {
      const index = policy.indexOf.get(name);
      if (index !== undefined && accepted[index] === undefined) {
        accepted[index] = readValue(policy, index, value, from, notes);
      }
    }
  } else if (typeof preset !== 'string') {
    malformed(
      policy,
      notes,
      { concern: 'preset', value: preset, values: [...policy.presets.keys()] },
      from,
      'one name',
    );
  } else {
    outside(policy, notes, { concern: 'preset', value: preset, values: [...policy.presets.keys()] }, from);
  }
}

/** @returns the accepted value; `null` where the host wants none; nothing where the entry is ignored */
function readValue(
  policy: Policy,
  index: number,
  value: unknown,
  from: CarrierName,
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
  from: CarrierName,
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
  from: CarrierName,
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
  from: CarrierName,
  expected: string,
): void {
  if (from === 'update' && policy.settings.invalid === 'error') notes.refuse(invalid);
  else notes.warn('malformed-value', `${invalid.concern} (${from}) must be ${expected}; ignored.`);
}

/** A list of names has no nearest one, so `clamp` ignores the entry as `ignore` does. */
function outside(policy: Policy, notes: Notes, invalid: InvalidValue, from: CarrierName): void {
  const { concern, value, values } = invalid;
  // What a session holds was accepted once; a policy that changed since must not make every list fail.
  const refused = policy.settings.invalid === 'error' && from !== 'session';
  // Looking for the nearest name costs more than anything else here.
  if (refused ? (notes.invalid?.length ?? 0) >= MAX_WARNINGS : notes.full) return;
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

function operatorValue(
  policy: Policy,
  index: number,
  concern: Concern,
  claims: ReadonlyMap<string, unknown> | undefined,
): Effective {
  const claim = claims?.get(concern.claim ?? '');
  if ('min' in concern.values) {
    const { min, max } = concern.values;
    const number = typeof claim === 'string' && /^-?\d+(\.\d+)?$/.test(claim) ? Number(claim) : claim;
    if (typeof number === 'number' && number >= min && number <= max) return number;
  } else {
    const names = policy.ordinals[index];
    const found = (Array.isArray(claim) ? claim : [claim]).flatMap(
      (name) => names?.get(claimText(name)) ?? [],
    );
    if (concern.multiple && found.length > 0) return [...new Set(found)].sort((a, b) => a - b);
    if (!Array.isArray(claim) && found[0] !== undefined) return found[0];
  }
  return defaultOf(policy, index, concern) ?? 'denied';
}

/** A missing claim, null, an object or a list is no name, however it would be spelt. */
function claimText(claim: unknown): string {
  return typeof claim === 'string' || typeof claim === 'number' || typeof claim === 'boolean'
    ? String(claim)
    : '';
}

function defaultOf(policy: Policy, index: number, concern: Concern): Wanted | undefined {
  const value = concern.default;
  if (value === undefined) return undefined;
  const number = typeof value === 'number' ? value : policy.ordinals[index]?.get(value);
  return number === undefined || !concern.multiple ? number : [number];
}

/** What a host sent, short enough for a log line. */
function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

import { fromNumber } from './mapping.js';
import type { Concern, Policy } from './policy.js';
import {
  type Accepted,
  type ConcernWarning,
  type InvalidValue,
  Notes,
  type Origin,
  type PreferenceSource,
  type PreferenceSourceName,
  readPreferenceSource,
  type Wanted,
} from './preference-source.js';
import { type RuleData, readPath } from './rule.js';

export type { ConcernWarning, InvalidValue, Origin, PreferenceSource, PreferenceSourceName, Wanted };

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
  /** Where each effective value comes from; says nothing of concerns without one. */
  readonly origins: readonly (Origin | undefined)[];
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
  carriers: readonly PreferenceSource[],
  caller: Caller = {},
): Configuration {
  const { concerns, settings } = policy;
  const host: Accepted = { values: new Array(concerns.length), origins: new Array(concerns.length) };
  const { values: accepted, origins } = host;
  const notes = new Notes();
  for (const carrier of carriers) {
    if (carrier.concerns !== undefined) readPreferenceSource(policy, carrier, host, notes);
  }

  const spoken = accepted.some((value) => value !== undefined && value !== null);
  const defaults = settings.defaults === 'always' || (settings.defaults === 'aware' && spoken);
  const effective: Effective[] = new Array(concerns.length);
  let key = '';
  let active = false;
  for (let index = 0; index < concerns.length; index++) {
    const concern = concerns[index] as Concern;
    const asked = accepted[index];
    let value: Effective;
    if (concern.setBy === 'operator') {
      value = claimedValue(policy, index, concern, caller.claims);
      if (value !== undefined) origins[index] = 'claim';
      else {
        value = defaultOf(policy, index, concern) ?? 'denied';
        origins[index] = value === 'denied' ? 'no-claim' : 'default';
      }
    } else if (asked !== undefined) value = asked ?? undefined;
    else if (caller.forgotten === true) {
      value = 'denied';
      origins[index] = 'forgotten';
    } else if (defaults) {
      value = defaultOf(policy, index, concern);
      origins[index] = 'default';
    }
    effective[index] = value;
    if (value !== undefined) active = true;
    key += `${value ?? ''};`;
  }
  const { warnings = NO_WARNINGS, invalid = NO_INVALID } = notes;
  if (policy.rules.length === 0) {
    return { effective, origins, accepted, key, active, warnings, invalid, data: {} };
  }
  const data = ruleData(policy, effective, caller);
  const facts = policy.callerPaths.map((path) => readPath(data, path) ?? null);
  return { effective, origins, accepted, key: key + JSON.stringify(facts), active, warnings, invalid, data };
}

/** Without prototypes, so that a rule finds nothing but what is there. */
function ruleData(
  policy: Policy,
  effective: readonly Effective[],
  { claims, capabilities }: Caller,
): RuleData {
  const concerns: Record<string, unknown> = Object.create(null);
  policy.concerns.forEach(({ name }, index) => {
    const value = effective[index];
    if (value !== undefined && value !== 'denied') concerns[name] = toWords(policy, index, value);
  });
  return {
    concerns,
    claims: reachable(Object.fromEntries(claims ?? [])),
    ...(capabilities === undefined ? {} : { client: reachable({ capabilities }) }),
  };
}

/**
 * Paths of rules are split at dots, and names of extensions and claims have dots: `io.modelcontextprotocol/tasks` is
 * reached as it is written.
 *
 * @returns a copy without prototypes, in which a name with dots stands nested as well
 */
function reachable(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > MAX_DEPTH) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, each] of Object.entries(value)) {
    const inner = reachable(each, depth + 1);
    copy[name] = inner;
    const steps = name.split('.');
    const last = steps.pop() ?? '';
    let at: Record<string, unknown> | undefined = copy;
    for (const step of steps) {
      at[step] ??= Object.create(null);
      const next: unknown = at[step];
      at = typeof next === 'object' ? (next as Record<string, unknown>) : undefined;
      if (at === undefined) break;
    }
    if (at !== undefined && !Object.hasOwn(at, last)) at[last] = inner;
  }
  return copy;
}

/** What is nested deeper in a client's capabilities or a token's claims is no longer a name. */
const MAX_DEPTH = 8;

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
  policy.concerns.forEach(({ name }, index) => {
    const value = configuration.effective[index];
    if (value !== undefined && value !== 'denied') described.push([name, toWords(policy, index, value)]);
  });
  return Object.fromEntries(described);
}

/**
 * @param policy the policy
 * @param configuration a configuration of that policy
 * @returns where each value in effect comes from, and why what is denied is
 * @example
 * describeOrigins(policy, configuration); // { security: 'header', cost: 'url preset safe' }
 */
export function describeOrigins(policy: Policy, configuration: Configuration): Record<string, Origin> {
  const described: [string, Origin][] = [];
  configuration.effective.forEach((value, index) => {
    const [name, origin] = [policy.concerns[index]?.name, configuration.origins[index]];
    if (name === undefined || value === undefined || origin === undefined) return;
    described.push([name, origin]);
  });
  return Object.fromEntries(described);
}

/** @returns what was accepted of a host's entries, to be sent or stored again; presets are spelled out */
export function describeAccepted(policy: Policy, { accepted }: Configuration): Record<string, Words | null> {
  const described: [string, Words | null][] = [];
  policy.concerns.forEach(({ name }, index) => {
    const value = accepted[index];
    if (value !== undefined) described.push([name, value === null ? null : toWords(policy, index, value)]);
  });
  return Object.fromEntries(described);
}

function toWords(policy: Policy, index: number, value: Wanted): Words {
  return typeof value === 'number'
    ? fromNumber(policy, index, value)
    : value.map((each) => fromNumber(policy, index, each));
}

/** @returns what a verified claim says; nothing if there is none, or none of the values */
function claimedValue(
  policy: Policy,
  index: number,
  concern: Concern,
  claims: ReadonlyMap<string, unknown> | undefined,
): Wanted | undefined {
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
  return undefined;
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

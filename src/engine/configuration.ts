import { type CallerData, type CallerFacts, callerFacts } from './caller-facts.js';
import type { RuleData } from './expression/evaluate.js';
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
  type PreferredValue,
  readPreferenceSource,
} from './preference-source.js';

export type { ConcernWarning, InvalidValue, Origin, PreferenceSource, PreferenceSourceName, PreferredValue };

/**
 * The value in effect for one concern. `denied` matches no primitive that has a value for the concern: an operator
 * concern without a claim and without a default, or a forgotten preference.
 */
export type EffectiveValue = PreferredValue | 'denied' | undefined;

/** The caller of a request, as far as the operator or the protocol knows it. */
export interface Caller extends CallerData {
  /** Whether this host's preferences were lost. Every concern that it may have set is then denied instead of open. */
  readonly forgotten?: boolean;
}

/**
 * The resolved values in effect for one request, and the policy that they belong to. Lists have one item per concern of
 * the policy.
 */
export interface Configuration {
  readonly policy: Policy;
  readonly effective: readonly EffectiveValue[];
  /** Where each effective value comes from; `undefined` for concerns without one. */
  readonly origins: readonly (Origin | undefined)[];
  /** The host's accepted preferences, without defaults and claims; `null` if the host prefers no value. */
  readonly accepted: readonly (PreferredValue | null | undefined)[];
  /**
   * The host concerns for which a value was sent, but none was accepted. A preset that the policy does not declare could
   * have set each of them.
   */
  readonly notAccepted: readonly string[];
  /** If two configurations of one policy have the same key, every decision is the same under both. */
  readonly key: string;
  /** Whether any concern has an effective value. If none has, no concern can hide anything. */
  readonly active: boolean;
  readonly warnings: readonly ConcernWarning[];
  readonly invalid: readonly InvalidValue[];
  /** What rules read in addition to the primitive. */
  readonly data: RuleData;
  /**
   * The same with the values of the model for concerns with `model: narrow`, if there are any. A primitive is shown only if
   * both show it.
   */
  readonly narrowed?: Configuration;
}

const NO_WARNINGS: readonly ConcernWarning[] = [];
const NO_INVALID: readonly InvalidValue[] = [];

/**
 * Resolves the preferences that a host sent into the configuration in effect.
 *
 * The strongest source that has an accepted entry for a concern decides it. `null` means no value: it also overrides
 * weaker sources and the default. Undeclared names and values of the wrong type are ignored with a warning. The
 * policy's `invalid` setting says what happens to a value outside `values`.
 *
 * @param policy the policy
 * @param sources the preferences that the host sent, strongest source first
 * @param caller the caller's verified claims and capabilities
 * @returns the configuration, with a note for each entry that was changed, ignored or rejected
 * @example
 * resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'high' } }]).active; // true
 */
export function resolveConfiguration(
  policy: Policy,
  sources: readonly PreferenceSource[],
  caller: Caller = {},
): Configuration {
  if (sources.length === 0 && !countsFor(policy, caller)) return withoutPreferences(policy);
  return sources.some(({ from }) => from === 'model')
    ? resolveWithModel(policy, sources, caller)
    : resolve(policy, sources, caller);
}

/** Whether anything that is known about a caller can change a configuration of this policy. */
function countsFor({ callerPaths, concerns }: Policy, { forgotten }: Caller): boolean {
  return forgotten === true || callerPaths.length > 0 || concerns.some(({ setBy }) => setBy === 'operator');
}

const configurationsOf = new WeakMap<Policy, Configuration>();

/** Most requests state no preferences: these are resolved once per policy. */
function withoutPreferences(policy: Policy): Configuration {
  const known = configurationsOf.get(policy);
  if (known !== undefined) return known;
  const resolved = resolve(policy, [], {});
  configurationsOf.set(policy, resolved);
  return resolved;
}

/**
 * The values of a model never turn the defaults of other concerns on or off: it changes only the concerns that are open to
 * it.
 */
function resolveWithModel(
  policy: Policy,
  sources: readonly PreferenceSource[],
  caller: Caller,
): Configuration {
  const { free, narrow } = openTo(policy, sources);
  const { accepted } = resolve(
    policy,
    sources.filter(({ from }) => from !== 'model'),
    caller,
  );
  const hasPreference = accepted.some(isValue);
  const withModel = (values: object) =>
    resolve(
      policy,
      sources.map((source) => (source.from === 'model' ? { from: source.from, concerns: values } : source)),
      caller,
      hasPreference,
    );
  const configuration = withModel(free);
  if (Object.keys(narrow).length === 0) return configuration;
  const narrowed = withModel({ ...free, ...narrow });
  if (!narrowed.origins.some((origin, index) => origin !== configuration.origins[index])) {
    return { ...configuration, warnings: narrowed.warnings };
  }
  return {
    ...configuration,
    key: JSON.stringify([configuration.key, narrowed.key]),
    active: configuration.active || narrowed.active,
    warnings: narrowed.warnings,
    narrowed,
  };
}

const isValue = (value: unknown): boolean => value !== undefined && value !== null;

/** @returns the values of the model that may replace those of the person, and those that may only hide more */
function openTo({ concerns, indexOf }: Policy, sources: readonly PreferenceSource[]) {
  const sent = sources.find(({ from }) => from === 'model')?.concerns;
  const entries = Object.entries(typeof sent === 'object' && sent !== null ? sent : {});
  const isNarrow = (name: string): boolean => concerns[indexOf.get(name) ?? -1]?.model === 'narrow';
  return {
    // Also those that are not open at all: reading them gives a warning.
    free: Object.fromEntries(entries.filter(([name]) => !isNarrow(name))),
    narrow: Object.fromEntries(entries.filter(([name, value]) => isNarrow(name) && value !== null)),
  };
}

/** @param hasPreference whether the defaults of `aware` apply; without it, whether any source has a value */
function resolve(
  policy: Policy,
  sources: readonly PreferenceSource[],
  caller: Caller,
  hasPreference?: boolean,
): Configuration {
  const { concerns, settings } = policy;
  const host: Accepted = { values: new Array(concerns.length), origins: new Array(concerns.length) };
  const { values: accepted, origins } = host;
  const notes = new Notes();
  for (const source of sources) {
    if (source.concerns !== undefined) readPreferenceSource(policy, source, host, notes);
  }

  const isAware = hasPreference ?? accepted.some(isValue);
  const defaults = settings.defaults === 'always' || (settings.defaults === 'aware' && isAware);
  const effective: EffectiveValue[] = new Array(concerns.length);
  let key = '';
  let active = false;
  let index = 0;
  for (const concern of concerns) {
    const preferred = accepted[index];
    let value: EffectiveValue;
    if (concern.setBy === 'operator') {
      value = claimedValue(policy, index, concern, caller.claims);
      if (value !== undefined) origins[index] = 'claim';
      else if (isValue(caller.claims?.get(concern.claim ?? ''))) {
        // The default is for callers without the claim. One that is not understood must not show what the default shows.
        value = 'denied';
        origins[index] = 'unmatched-claim';
      } else {
        value = defaultOf(policy, index, concern) ?? 'denied';
        origins[index] = value === 'denied' ? 'no-claim' : 'default';
      }
    } else if (preferred !== undefined) value = preferred ?? undefined;
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
    index++;
  }
  const { warnings = NO_WARNINGS, invalid = NO_INVALID } = notes;
  const notAccepted = namesNotAccepted(policy, accepted, notes);
  if (policy.rules.length === 0) {
    return {
      policy,
      effective,
      origins,
      accepted,
      notAccepted,
      key,
      active,
      warnings,
      invalid,
      data: {},
    };
  }
  const facts = callerFacts(caller, policy.callerPaths);
  if (policy.callerPaths.length > 0) key += JSON.stringify(facts);
  const data = ruleData(policy, effective, facts);
  return { policy, effective, origins, accepted, notAccepted, key, active, warnings, invalid, data };
}

const NO_NAMES: readonly string[] = [];

function namesNotAccepted(
  { concerns }: Policy,
  accepted: Accepted['values'],
  { notAccepted, unknownPreset }: Notes,
): readonly string[] {
  if (notAccepted === undefined && !unknownPreset) return NO_NAMES;
  const isMeant = (index: number) => unknownPreset || notAccepted?.has(index) === true;
  return concerns.flatMap(({ name, setBy }, index) =>
    setBy === 'host' && accepted[index] === undefined && isMeant(index) ? [name] : [],
  );
}

/** @returns the data of rules, in objects without prototypes: a rule cannot read an inherited property */
function ruleData(policy: Policy, effective: readonly EffectiveValue[], facts: CallerFacts): RuleData {
  const concerns: Record<string, unknown> = Object.create(null);
  policy.concerns.forEach(({ name }, index) => {
    const value = effective[index];
    if (value !== undefined && value !== 'denied') concerns[name] = toWords(policy, index, value);
  });
  return { concerns, ...facts };
}

type Words = string | number | (string | number)[];

/**
 * @param configuration the values in effect
 * @returns its values as the policy writes them, without the concerns that have none
 * @example
 * describeConfiguration(configuration); // { security: 'high' }
 */
export function describeConfiguration({ policy, effective, narrowed }: Configuration): Record<string, Words> {
  const described: [string, Words][] = [];
  policy.concerns.forEach(({ name }, index) => {
    const value = effective[index] ?? narrowed?.effective[index];
    if (value !== undefined && value !== 'denied') described.push([name, toWords(policy, index, value)]);
  });
  return Object.fromEntries(described);
}

/**
 * @param configuration the values in effect
 * @returns the origin of each effective value; for a denied concern, the reason
 * @example
 * describeOrigins(configuration); // { security: 'header', cost: 'url preset safe' }
 */
export function describeOrigins(configuration: Configuration): Record<string, Origin> {
  const described: [string, Origin][] = [];
  configuration.policy.concerns.forEach(({ name }, index) => {
    const from = configuration.effective[index] === undefined ? configuration.narrowed : configuration;
    const origin = from?.origins[index];
    if (from?.effective[index] !== undefined && origin !== undefined) described.push([name, origin]);
  });
  return Object.fromEntries(described);
}

/**
 * @param configuration the values in effect
 * @returns the values that a model has set, as the policy writes them. A value of a concern with `model: narrow` applies
 *   beside the person's value, which `describeConfiguration` has.
 * @example
 * describeModel(configuration); // { topic: 'news' }
 */
export function describeModel({ policy, narrowed, ...own }: Configuration): Record<string, Words> {
  const { effective, origins } = narrowed ?? own;
  const described = policy.concerns.flatMap(({ name }, index): [string, Words][] => {
    const value = effective[index];
    if (origins[index] !== 'model' || value === undefined || value === 'denied') return [];
    return [[name, toWords(policy, index, value)]];
  });
  return Object.fromEntries(described);
}

/**
 * @param configuration the values in effect
 * @returns the host's accepted preferences, ready to be sent or stored again; presets are expanded
 * @example
 * describeAccepted(configuration); // { security: 'high', cost: null }
 */
export function describeAccepted({ policy, accepted }: Configuration): Record<string, Words | null> {
  const described: [string, Words | null][] = [];
  policy.concerns.forEach(({ name }, index) => {
    const value = accepted[index];
    if (value !== undefined) described.push([name, value === null ? null : toWords(policy, index, value)]);
  });
  return Object.fromEntries(described);
}

function toWords(policy: Policy, index: number, value: PreferredValue): Words {
  return typeof value === 'number'
    ? fromNumber(policy, index, value)
    : value.map((each) => fromNumber(policy, index, each));
}

/** @returns the value of a verified claim; `undefined` if there is no claim or it is not one of the values */
function claimedValue(
  policy: Policy,
  index: number,
  concern: Concern,
  claims: ReadonlyMap<string, unknown> | undefined,
): PreferredValue | undefined {
  const claim = claims?.get(concern.claim ?? '');
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const only = list.length === 1 ? list[0] : undefined;
  if ('min' in concern.values) {
    const { min, max } = concern.values;
    const number = typeof only === 'string' && /^-?\d+(\.\d+)?$/.test(only) ? Number(only) : only;
    if (typeof number === 'number' && number >= min && number <= max) return number;
  } else {
    const names = policy.ordinals[index];
    const found = list.flatMap((name) => names?.get(claimText(name)) ?? []);
    if (concern.multiple && found.length > 0) return [...new Set(found)].sort((a, b) => a - b);
    if (list.length === 1) return found[0];
  }
  return undefined;
}

/** @returns the claim as the name of a value; an empty string, which names none, if it is missing, an object or a list */
function claimText(claim: unknown): string {
  return typeof claim === 'string' || typeof claim === 'number' || typeof claim === 'boolean'
    ? String(claim)
    : '';
}

function defaultOf(policy: Policy, index: number, concern: Concern): PreferredValue | undefined {
  const value = concern.default;
  if (value === undefined) return undefined;
  const number = typeof value === 'number' ? value : policy.ordinals[index]?.get(value);
  return number === undefined || !concern.multiple ? number : [number];
}

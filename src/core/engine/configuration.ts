import { getOrMake } from '../once.js';
import { type SwitchedTools, switchedTools, withAdded, withSwitched } from './added-tools.js';
import { type CallerData, type CallerFacts, callerFacts, clientNames } from './caller-facts.js';
import { claimedValue, MAX_SCOPES, scopesOf } from './claims.js';
import type { Configuration, EffectiveValue } from './effective.js';
import { membersOf, type RuleData, readPath } from './expression/evaluate.js';
import { fromNumber, fromNumbers } from './mapping.js';
import { compileGlob } from './match/glob.js';
import type { Concern, Policy } from './policy.js';
import {
  ADDED_TOOLS,
  type ConcernWarning,
  type InvalidValue,
  type Origin,
  PreferenceReader,
  type PreferenceSource,
  type PreferenceSourceName,
  type PreferredValue,
} from './preference-source.js';

export type {
  ConcernWarning,
  Configuration,
  EffectiveValue,
  InvalidValue,
  Origin,
  PreferenceSource,
  PreferenceSourceName,
  PreferredValue,
};

/** The caller of a request, as far as the operator or the protocol knows it. */
export interface Caller extends CallerData {
  /** Whether this host's preferences were lost. Every concern that it may have set is then denied instead of open. */
  readonly forgotten?: boolean;
}

/** A caller, and for lists the values of concerns with `lists: stable`. */
type Resolving = Caller & { readonly fixed?: Configuration };

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
  const configuration = resolveFor(policy, sources, caller);
  if (!policy.hasStableLists) return configuration;
  // What the URL says does not belong to a session. It belongs to the list, as the path does.
  const ofUrl = sources.filter(({ from }) => from === 'url');
  const fixed = resolveFor(policy, ofUrl, { ...caller, forgotten: false });
  const isWhole = policy.settings.lists === 'stable';
  return { ...configuration, listed: isWhole ? fixed : resolveFor(policy, sources, { ...caller, fixed }) };
}

function resolveFor(policy: Policy, sources: readonly PreferenceSource[], caller: Resolving): Configuration {
  if (sources.length === 0 && !countsFor(policy, caller)) return withoutPreferences(policy);
  const forLists = caller.fixed !== undefined;
  const resolved = sources.some(({ from }) => from === 'model')
    ? withAdded(resolveWithModel(policy, sources, caller), sources, forLists)
    : resolve(policy, sources, caller);
  return withSwitched(resolved, sources, forLists);
}

/** Whether anything that is known about a caller can change a configuration of this policy. */
function countsFor({ callerPaths, concerns }: Policy, { forgotten }: Caller): boolean {
  return forgotten === true || callerPaths.length > 0 || concerns.some(({ setBy }) => setBy === 'operator');
}

const configurationsOf = new WeakMap<Policy, Configuration>();

/** Most requests state no preferences: these are resolved once per policy. */
const withoutPreferences = (policy: Policy): Configuration =>
  getOrMake(configurationsOf, policy, () => resolve(policy, [], {}));

/**
 * The values of a model never turn the defaults of other concerns on or off: it changes only the concerns that are open to
 * it.
 */
function resolveWithModel(
  policy: Policy,
  sources: readonly PreferenceSource[],
  caller: Resolving,
): Configuration {
  const sent = membersOf(sources.find(({ from }) => from === 'model')?.concerns);
  const entries = Object.entries(sent).filter(([name]) => name !== ADDED_TOOLS);
  const isNarrow = ([name]: readonly [string, unknown]): boolean =>
    policy.concerns[policy.indexOf.get(name) ?? -1]?.model === 'narrow';
  // Also those that are not open at all: reading them gives a warning.
  const free = entries.filter((each) => !isNarrow(each));
  const narrow = entries.filter((each) => isNarrow(each) && each[1] !== null);
  const others = sources.filter(({ from }) => from !== 'model');
  const { accepted } = resolve(policy, others, caller);
  const hasPreference = accepted.some(isValue);
  const withModel = (values: typeof entries) => {
    const model: PreferenceSource = { from: 'model', concerns: Object.fromEntries(values) };
    const replaced = sources.map((source) => (source.from === 'model' ? model : source));
    return resolve(policy, replaced, caller, hasPreference);
  };
  const configuration = withModel(free);
  if (narrow.length === 0) return configuration;
  const narrowed = withModel([...free, ...narrow]);
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

/** @param hasPreference whether the defaults of `aware` apply; without it, whether any source has a value */
function resolve(
  policy: Policy,
  sources: readonly PreferenceSource[],
  caller: Resolving,
  hasPreference?: boolean,
): Configuration {
  const { concerns, settings } = policy;
  const host = new PreferenceReader(policy);
  const { values: accepted, origins, warnings, invalid } = host;
  for (const source of sources) if (source.concerns !== undefined) host.read(source);

  if (policy.readsScopes && scopesOf(caller) === undefined) {
    const message = `The caller has more than ${MAX_SCOPES} scopes, so none of them counts. Grant fewer scopes.`;
    host.warn('too-many-scopes', message);
  }

  const isAware = hasPreference ?? accepted.some(isValue);
  const defaults = settings.defaults === 'always' || (settings.defaults === 'aware' && isAware);
  const ofClient = policy.defaultsFor.length === 0 ? undefined : defaultsOfClient(policy, caller);
  const effective: EffectiveValue[] = new Array(concerns.length);
  let key = '';
  let active = false;
  let index = 0;
  for (const concern of concerns) {
    const preferred = accepted[index];
    let value: EffectiveValue;
    if (concern.setBy === 'operator') {
      const claimed = claimedValue(policy, index, caller);
      // The default is for callers without the claim. One that is not understood must not show what the default shows.
      const fallback = claimed === 'no-claim' ? defaultOf(policy, index, concern) : undefined;
      value = typeof claimed === 'string' ? (fallback ?? 'denied') : claimed;
      origins[index] = typeof claimed !== 'string' ? 'claim' : fallback === undefined ? claimed : 'default';
    } else if (caller.fixed !== undefined && concern.lists === 'stable') {
      value = caller.fixed.effective[index];
      origins[index] = caller.fixed.origins[index];
    } else if (preferred !== undefined) value = preferred ?? undefined;
    else if (caller.forgotten === true || host.lost.has(index)) {
      value = 'denied';
      origins[index] = 'forgotten';
    } else if (ofClient?.values[index] !== undefined) {
      value = ofClient.values[index] ?? undefined;
      origins[index] = ofClient.origins[index];
    } else if (defaults) {
      value = defaultOf(policy, index, concern);
      origins[index] = 'default';
    }
    effective[index] = value;
    if (value !== undefined) active = true;
    key += `${value ?? ''};`;
    index++;
  }
  const notAccepted = namesNotAccepted(policy, host);
  let data: RuleData = {};
  if (policy.rules.length + policy.binds.length > 0) {
    const facts = callerFacts(caller, policy.callerPaths);
    if (policy.callerPaths.length > 0) key += JSON.stringify(facts);
    data = ruleData(policy, effective, facts);
  }
  return { policy, effective, origins, accepted, notAccepted, key, active, warnings, invalid, data };
}

/** Reads the presets that are the defaults of this client. Everything that a host sends is stronger. */
function defaultsOfClient(policy: Policy, { client }: Caller): PreferenceReader {
  const found = new PreferenceReader(policy);
  const data = { client: clientNames(client) };
  for (const { when, preset } of policy.defaultsFor.toReversed()) {
    const isMeant = Object.entries(when).every(([path, pattern]) => {
      const text = readPath(data, path);
      return typeof text === 'string' && compileGlob(pattern)(text);
    });
    if (isMeant) found.read({ from: 'client', concerns: { preset } });
  }
  return found;
}

function namesNotAccepted(
  { concerns }: Policy,
  { values, notAccepted, unknownPreset }: PreferenceReader,
): readonly string[] {
  if (notAccepted.size === 0 && !unknownPreset) return [];
  return concerns.flatMap(({ name, setBy }, index) => {
    const isMeant = unknownPreset || notAccepted.has(index);
    return setBy === 'host' && values[index] === undefined && isMeant ? [name] : [];
  });
}

/** @returns the data of rules, in objects without prototypes: a rule cannot read an inherited property */
function ruleData(policy: Policy, effective: readonly EffectiveValue[], facts: CallerFacts): RuleData {
  const concerns: Record<string, unknown> = Object.create(null);
  // A plain loop: it runs for every request.
  let index = 0;
  for (const concern of policy.concerns) {
    const words = toWords(concern, effective[index]);
    if (words !== undefined) concerns[concern.name] = words;
    index++;
  }
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
  return perConcern(policy, (concern, index) =>
    toWords(concern, effective[index] ?? narrowed?.effective[index]),
  );
}

/**
 * @param configuration the values in effect
 * @returns the origin of each effective value; for a denied concern, the reason
 * @example
 * describeOrigins(configuration); // { security: 'header', cost: 'url preset safe' }
 */
export function describeOrigins(configuration: Configuration): Record<string, Origin> {
  return perConcern(configuration.policy, (_concern, index) => {
    const from = configuration.effective[index] === undefined ? configuration.narrowed : configuration;
    return from?.effective[index] === undefined ? undefined : from.origins[index];
  });
}

/**
 * @param configuration the values in effect
 * @returns the values that a model has set, as the policy writes them. A value of a concern with `model: narrow` applies
 *   beside the person's value, which `describeConfiguration` has. The tools that it added are under `+tools`.
 * @example
 * describeModel(configuration); // { topic: 'news' }
 */
export function describeModel({ policy, narrowed, added, ...own }: Configuration): Record<string, Words> {
  const { effective, origins } = narrowed ?? own;
  const described = perConcern(policy, (concern, index) =>
    origins[index] === 'model' ? toWords(concern, effective[index]) : undefined,
  );
  return added === undefined ? described : { ...described, [ADDED_TOOLS]: [...added.names] };
}

/**
 * @param configuration the values in effect
 * @returns the names of the tools that a person switched one by one, as a session keeps them
 * @example
 * describeSwitched(configuration); // { '+tools': ['get_quote'] }
 */
export function describeSwitched({ switched }: Configuration): SwitchedTools {
  return switchedTools([...(switched?.shown ?? [])], [...(switched?.hidden ?? [])]);
}

/**
 * @param configuration the values in effect
 * @returns the host's accepted preferences, ready to be sent or stored again; presets are expanded
 * @example
 * describeAccepted(configuration); // { security: 'high', cost: null }
 */
export function describeAccepted({ policy, accepted }: Configuration): Record<string, Words | null> {
  return perConcern(policy, (concern, index) => {
    const value = accepted[index];
    return value === null ? null : toWords(concern, value);
  });
}

/** @returns something about each concern by its name, without the concerns of which there is nothing */
function perConcern<T>(
  { concerns }: Policy,
  describe: (concern: Concern, index: number) => T | undefined,
): Record<string, T> {
  const described = concerns.map((concern, index) => [concern.name, describe(concern, index)] as const);
  return Object.fromEntries(described.filter((each): each is [string, T] => each[1] !== undefined));
}

export function toWords(concern: Concern, value: EffectiveValue): Words | undefined {
  if (value === undefined || value === 'denied') return undefined;
  return typeof value === 'number' ? fromNumber(concern, value) : fromNumbers(concern, value);
}

function defaultOf(policy: Policy, index: number, concern: Concern): PreferredValue | undefined {
  const value = concern.default;
  if (value === undefined) return undefined;
  const number = typeof value === 'number' ? value : policy.ordinals[index]?.get(value);
  return number === undefined || !concern.multiple ? number : [number];
}

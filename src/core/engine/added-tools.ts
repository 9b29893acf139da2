import type { Configuration } from './effective.js';
import { readOwn } from './expression/evaluate.js';
import type { Kind } from './policy.js';
import { ADDED_TOOLS, HIDDEN_TOOLS, isChosenByPerson, type PreferenceSource } from './preference-source.js';

/**
 * Returns the configuration under which concerns with `model: free` hide nothing; for a person, all concerns that the host sets.
 * Rules read the values that are in effect, so they hide the same. What the request itself states is stronger than both, and so
 * is what was forgotten.
 *
 * @param configuration the values in effect
 * @param who for whom the concerns are open
 * @param forLists whether it decides about lists. Then concerns with `lists: stable` stay as they are
 * @example
 * select(catalog, openConfiguration(configuration, 'model')).kept; // also what only concerns with `model: free` hide
 */
export function openConfiguration(
  configuration: Configuration,
  who: 'model' | 'person',
  forLists = false,
): Configuration {
  const { policy, effective, origins, key, narrowed, added: _added, ...rest } = configuration;
  const isOpen = (index: number): boolean =>
    (who === 'model' ? policy.concerns[index]?.model === 'free' : policy.concerns[index]?.setBy === 'host') &&
    !(forLists && policy.concerns[index]?.lists === 'stable') &&
    effective[index] !== 'denied' &&
    origins[index]?.startsWith('request') !== true;
  const opened = effective.map((value, index) => (isOpen(index) ? undefined : value));
  return {
    ...rest,
    policy,
    origins,
    effective: opened,
    // Which concerns are open depends on where the values come from, which no other key contains.
    key: JSON.stringify([key, opened]),
    ...(narrowed === undefined ? {} : { narrowed: openConfiguration(narrowed, who, forLists) }),
  };
}

/** Returns a configuration with the tools that a model added, if there are any. */
export function withAdded(
  configuration: Configuration,
  sources: readonly PreferenceSource[],
  forLists: boolean,
): Configuration {
  const names = toolsIn(sources.find(({ from }) => from === 'model')?.concerns, ADDED_TOOLS);
  if (names.length === 0) return configuration;
  const open = openConfiguration(configuration, 'model', forLists);
  return { ...configuration, key: JSON.stringify([open.key, names]), added: { names: new Set(names), open } };
}

/** Returns a configuration with the tools that a person switched one by one, if there are any. */
export function withSwitched(
  configuration: Configuration,
  sources: readonly PreferenceSource[],
  forLists: boolean,
): Configuration {
  const source = sources.find(({ from }) => isChosenByPerson(from));
  const [shown, hidden] = [toolsIn(source?.concerns, ADDED_TOOLS), toolsIn(source?.concerns, HIDDEN_TOOLS)];
  if (source === undefined || shown.length + hidden.length === 0) return configuration;
  const open = openConfiguration(configuration, 'person', forLists);
  return {
    ...configuration,
    key: JSON.stringify([configuration.key, open.key, shown, hidden]),
    active: configuration.active || hidden.length > 0,
    switched: {
      shown: new Set(shown),
      hidden: new Set(hidden),
      open,
      closed: { ...configuration, isOff: true },
    },
  };
}

/** The names of tools that a person switched one by one, as a session keeps them. */
export type SwitchedTools = { readonly [K in typeof ADDED_TOOLS | typeof HIDDEN_TOOLS]?: readonly string[] };

/** Returns these names as a session keeps them: without lists that are empty. */
export const switchedTools = (shown: readonly string[], hidden: readonly string[]): SwitchedTools => ({
  ...(shown.length === 0 ? {} : { [ADDED_TOOLS]: shown }),
  ...(hidden.length === 0 ? {} : { [HIDDEN_TOOLS]: hidden }),
});

/**
 * Returns names of tools that a model or a person switched one by one, sorted.
 *
 * @param values their values, as a session keeps them
 * @param key which of the names
 * @example
 * toolsIn({ topic: 'news', '+tools': ['get_quote'] }, '+tools'); // ['get_quote']
 */
export function toolsIn(values: unknown, key: typeof ADDED_TOOLS | typeof HIDDEN_TOOLS): readonly string[] {
  const names = readOwn(values, key);
  return Array.isArray(names) ? names.filter((each) => typeof each === 'string').sort() : [];
}

/**
 * Returns the configuration that decides about one primitive: a tool that a model added is not hidden by the concerns that are
 * open to models. What a person chose for this one tool is stronger.
 *
 * @param configuration the values in effect
 * @param kind the kind of the primitive
 * @param identity its name or URI
 * @example
 * decide(mapping, configurationFor(configuration, 'tools', 'get_quote')).effect;
 */
export function configurationFor(configuration: Configuration, kind: Kind, identity: string): Configuration {
  if (kind !== 'tools') return configuration;
  const { added, switched } = configuration;
  if (switched?.hidden.has(identity)) return switched.closed;
  if (switched?.shown.has(identity)) return switched.open;
  return added?.names.has(identity) ? added.open : configuration;
}

/**
 * Returns the configuration that decides about lists. Under `lists: stable`, preferences of a session decide only what calls
 * may do.
 *
 * @param configuration the values in effect
 * @example
 * select(catalog, listedUnder(configuration)).kept;
 */
export const listedUnder = (configuration: Configuration): Configuration =>
  configuration.listed ?? configuration;

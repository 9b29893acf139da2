import type { Configuration } from './effective.js';
import type { Kind } from './policy.js';
import type { PreferenceSource } from './preference-source.js';

/** Where the values of a model have the names of the tools that it added. No concern can have this name. */
export const ADDED_TOOLS = '+tools';

/**
 * Returns the configuration under which concerns with `model: free` hide nothing. Rules read the values that are in effect, so
 * they hide the same. What the request itself states is stronger than a model, and so is what was forgotten.
 *
 * @param configuration the values in effect
 * @param forLists whether it decides about lists. Then concerns with `lists: stable` stay as they are
 * @example
 * select(catalog, openConfiguration(configuration)).kept; // also what only concerns with `model: free` hide
 */
export function openConfiguration(configuration: Configuration, forLists = false): Configuration {
  const { policy, effective, origins, key, narrowed, added: _added, ...rest } = configuration;
  const isOpen = (index: number): boolean =>
    policy.concerns[index]?.model === 'free' &&
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
    ...(narrowed === undefined ? {} : { narrowed: openConfiguration(narrowed, forLists) }),
  };
}

/** Returns a configuration with the tools that a model added, if there are any. */
export function withAdded(
  configuration: Configuration,
  sources: readonly PreferenceSource[],
  forLists: boolean,
): Configuration {
  const names = addedIn(sources.find(({ from }) => from === 'model')?.concerns);
  if (names.length === 0) return configuration;
  const open = openConfiguration(configuration, forLists);
  return { ...configuration, key: JSON.stringify([open.key, names]), added: { names: new Set(names), open } };
}

/**
 * Returns the names of the tools that a model added, sorted.
 *
 * @param model the values of the model, as a session keeps them
 * @example
 * addedIn({ topic: 'news', '+tools': ['get_quote'] }); // ['get_quote']
 */
export function addedIn(model: unknown): readonly string[] {
  if (typeof model !== 'object' || model === null) return [];
  const names: unknown = Object.getOwnPropertyDescriptor(model, ADDED_TOOLS)?.value;
  return Array.isArray(names) ? names.filter((each) => typeof each === 'string').sort() : [];
}

/**
 * Returns the configuration that decides about one primitive: a tool that a model added is not hidden by the concerns that are
 * open to models.
 *
 * @param configuration the values in effect
 * @param kind the kind of the primitive
 * @param identity its name or URI
 * @example
 * decide(mapping, configurationFor(configuration, 'tools', 'get_quote')).effect;
 */
export const configurationFor = (
  configuration: Configuration,
  kind: Kind,
  identity: string,
): Configuration =>
  kind === 'tools' && configuration.added?.names.has(identity) === true
    ? configuration.added.open
    : configuration;

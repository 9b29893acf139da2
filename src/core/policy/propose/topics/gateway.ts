import { groupBy } from '../../../once.js';
import { effectOfVerb } from '../words/verbs.js';
import { countEach, wordsOf } from '../words/words.js';

/** A group of tools whose names begin alike: the tools of one server behind a gateway. */
export interface PrefixGroup {
  /** With the separator: `github__`. */
  readonly prefix: string;
  readonly names: readonly string[];
}

/** `server__tool`, `server.tool`, `server/tool`, `server:tool`, `server-tool`. A single `_` separates words, not servers. */
const SEPARATORS = ['__', '.', '/', ':', '-'] as const;
/** Below this share of names with the separator, it is a part of some names and not the style of all. */
const MIN_SHARE = 0.9;

/**
 * Recognizes the tools of a gateway by the prefixes of their names.
 *
 * @param names the names of all tools
 * @returns one group per server, in the order of the list; empty if the names do not have prefixes of several servers
 * @example
 * prefixGroups(['a__get', 'a__put', 'b__list', 'b__read']); // two groups
 */
export function prefixGroups(names: readonly string[]): PrefixGroup[] {
  for (const separator of SEPARATORS) {
    const prefixOf = (name: string): string => name.slice(0, name.indexOf(separator) + separator.length);
    const prefixed = names.filter((name) => name.indexOf(separator) > 0 && prefixOf(name) !== name);
    const found = [...groupBy(prefixed, prefixOf)].map(([prefix, own]) => ({ prefix, names: own }));
    if (isGateway(found, names.length)) return found;
  }
  return [];
}

function isGateway(groups: readonly PrefixGroup[], total: number): boolean {
  const grouped = groups.reduce((sum, group) => sum + group.names.length, 0);
  if (groups.length < 2 || grouped < MIN_SHARE * total || grouped < 2 * groups.length) return false;
  // In `create-index` and `list-indexes`, the part before the hyphen is a verb.
  const verbs = groups.filter(({ prefix }) => effectOfVerb(wordsOf(prefix)[0]) !== undefined);
  return verbs.length <= groups.length / 4;
}

/**
 * Finds the words of each name without a first word that nearly all names of a server share.
 *
 * @param names the names of the tools of one server
 * @param prefix what all names begin with and is not a part of their words
 * @returns the words by name
 * @example
 * wordsWithoutPrefix(['git_add', 'git_log', 'git_tag']).get('git_add'); // ['add']
 */
export function wordsWithoutPrefix(names: readonly string[], prefix = ''): Map<string, readonly string[]> {
  const words = new Map(names.map((name) => [name, wordsOf(name.slice(prefix.length))]));
  const shared = [...countEach([...words.values()].map(([first = '']) => first))].find(
    ([first, count]) => count >= SHARED && count >= MIN_SHARE * names.length && first !== '',
  );
  if (shared === undefined || effectOfVerb(shared[0]) !== undefined) return words;
  const without = (own: readonly string[]) => (own[0] === shared[0] && own.length > 1 ? own.slice(1) : own);
  return new Map([...words].map(([name, own]) => [name, without(own)]));
}

/** Two names can begin with the same word by chance. */
const SHARED = 3;

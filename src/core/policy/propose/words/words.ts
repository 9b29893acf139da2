import { singularize } from 'inflection';
import { getOrMake } from '../../../once.js';
import { IRREGULAR, NO_PLURALS, SHORT } from './generated/word-lists.js';

/**
 * Splits the name of a tool into words. It understands camelCase, snake_case, kebab-case and mixtures of them.
 *
 * @param name the name of a tool
 * @returns the words in lower case
 * @example
 * wordsOf('browser_cookieList'); // ['browser', 'cookie', 'list']
 */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * Finds the singular of words of one server, in full if the server does not always abbreviate them. A word that the server uses itself is preferred to what the library makes up.
 *
 * @param known all words that the server uses
 * @returns a function from a word to its singular, or to the word itself
 * @example
 * singularOf(['issue', 'issues', 'news'])('issues'); // 'issue'
 */
export function singularOf(known: Iterable<string>): (word: string) => string {
  const words = new Set(known);
  const found = new Map<string, string>();
  const find = (word: string): string => {
    const singular = toSingular(word, words);
    const full = SHORT.get(singular);
    return full !== undefined && (words.has(full) || words.has(`${full}s`)) ? full : singular;
  };
  return (word) => getOrMake(found, word, () => find(word));
}

function toSingular(word: string, known: ReadonlySet<string>): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (NO_PLURALS.has(word) || word.length < 4) return word;
  if (SHORT.has(word.slice(0, -1))) return word.slice(0, -1);
  const regular = singularize(word);
  if (regular === word) return word;
  const stems = [word.slice(0, -1), word.replace(/es$/, ''), regular];
  const used = stems.find((stem) => stem !== word && stem.length > 2 && known.has(stem));
  return used ?? (/(ss|us|is|os|as)$/.test(word) ? word : regular);
}

/** The words of each tool by its name, or of each topic. */
export type WordsByName = ReadonlyMap<string, readonly string[]>;

/** @returns how often each text occurs */
export function countEach(texts: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

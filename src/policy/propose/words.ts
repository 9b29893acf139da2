import { singularize } from 'inflection';

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

/** Words that only look like a plural. The library does not know all of them. */
const NO_PLURALS = new Set(
  (
    'alias analytics ansys apis atlas aws axis basis bias bus canvas chaos chess chrome class compass css data devops dns ' +
    'ecs eks gas gps https ios jenkins js kubernetes lens logistics macos media metadata nagios news os pandas physics postgres ' +
    'press process redis rds sales series sms sns sqs status tls toys windows xls'
  ).split(' '),
);
/** Plurals that the library gets wrong. */
const IRREGULAR = new Map([
  ['analyses', 'analysis'],
  ['axes', 'axis'],
  ['caches', 'cache'],
  ['calories', 'calorie'],
  ['cookies', 'cookie'],
  ['headaches', 'headache'],
]);

/** Abbreviations of words that the same server also writes in full. */
const SHORT = new Map([
  ['config', 'configuration'],
  ['db', 'database'],
  ['dir', 'directory'],
  ['env', 'environment'],
  ['msg', 'message'],
  ['org', 'organization'],
  ['repo', 'repository'],
]);

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
  return (word) => {
    const earlier = found.get(word);
    if (earlier !== undefined) return earlier;
    const singular = toSingular(word, words);
    const full = SHORT.get(singular);
    const result = full !== undefined && (words.has(full) || words.has(`${full}s`)) ? full : singular;
    found.set(word, result);
    return result;
  };
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

/** @returns how often each text occurs */
export function countEach(texts: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

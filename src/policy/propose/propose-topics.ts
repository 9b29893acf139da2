import { nounsOf, wordsOf } from './name-words.js';

/** A person cannot choose well from a longer list of topics. */
const MAX_TOPICS = 12;
/** From this share of its names on, a word counts as a part of a two-word phrase instead of a topic of its own. */
const PHRASE_SHARE = 0.7;

/**
 * Groups tools into topics by the words that their names share.
 *
 * @param names the names of tools
 * @returns the topic of each tool that has one, the largest topics first. Empty if there would be fewer than two topics.
 * @example
 * proposeTopics(['list_keys', 'rotate_key', 'delete_key']); // Map { 'list_keys' => 'key', ... }
 */
export function proposeTopics(names: readonly string[]): ReadonlyMap<string, string> {
  // A word in more than 60 % of the names does not tell tools apart.
  const maxCount = 0.6 * names.length;
  const words = new Map(names.map((name) => [name, wordsOf(name)]));
  const counts = countAll([...words.values()].map((each) => new Set(each)));
  const phrases = new Map(
    [...words].map(([name, own]) => [
      name,
      phrasesOf(own.filter((word) => (counts.get(word) ?? 0) <= maxCount)),
    ]),
  );
  const phraseCounts = countAll([...phrases.values()]);
  // If `merge` and `request` nearly always occur together, only `merge-request` can be a topic.
  const countOf = (phrase: string) => phraseCounts.get(phrase) ?? 0;
  const parts = new Set(
    [...phraseCounts].flatMap(([phrase, count]) =>
      phrase
        .split('-')
        .filter((word) => word !== phrase && count >= 2 && count >= PHRASE_SHARE * countOf(word)),
    ),
  );
  const minSize = names.length < 12 ? 2 : 3;
  const topics = new Map<string, string>();
  for (let chosen = 0; chosen < MAX_TOPICS; chosen++) {
    const left = names.filter((name) => !topics.has(name));
    const best = largestGroup(left, phrases, (phrase) => !parts.has(phrase) && countOf(phrase) <= maxCount);
    if (best === undefined || best.names.length < minSize) break;
    for (const name of best.names) topics.set(name, best.phrase);
  }
  return new Set(topics.values()).size < 2 ? new Map() : topics;
}

function countAll(sets: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const each of set) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

/** Returns the nouns of a name, and each pair of neighboring nouns as `first-second`. */
function phrasesOf(words: readonly string[]): ReadonlySet<string> {
  const nouns = nounsOf(words);
  const pairs = nouns.slice(1).map((noun, index) => `${nouns[index]}-${noun}`);
  return new Set([...nouns, ...pairs]);
}

/** Finds the phrase that most of the names share. */
function largestGroup(
  names: readonly string[],
  phrases: ReadonlyMap<string, ReadonlySet<string>>,
  isAllowed: (phrase: string) => boolean,
): { phrase: string; names: readonly string[] } | undefined {
  const found = new Map<string, string[]>();
  for (const name of names) {
    for (const phrase of phrases.get(name) ?? []) {
      if (isAllowed(phrase)) found.set(phrase, [...(found.get(phrase) ?? []), name]);
    }
  }
  // Between groups of the same size, the longer phrase is more specific.
  const [best] = [...found].sort(
    ([a, some], [b, others]) => others.length - some.length || b.length - a.length || (a < b ? -1 : 1),
  );
  return best === undefined ? undefined : { phrase: best[0], names: best[1] };
}

import { groupBy } from '../../../once.js';
import { EMPTY_NOUNS, GENERAL_NOUNS } from '../words/generated/word-lists.js';
import { countEach, type WordsByName } from '../words/words.js';
import { toValue } from './tags.js';
import { findNouns, nounsOf, type TopicWords } from './topic-nouns.js';

/** A person cannot choose well from a long list of topics. Servers with many tools need more of them. */
const maxTopics = (tools: number): number => Math.min(24, Math.max(12, Math.ceil(tools / 3)));
/** From this share of its names on, a word counts as a part of a two-word phrase instead of a topic of its own. */
const PHRASE_SHARE = 0.7;
/** Two tools are too few for a topic, but stay together when topics are joined. */
const MIN_SIZE = 2;
/** A word in more names than this does not tell tools apart. */
const MAX_SHARE = 0.8;

/**
 * Groups tools into topics by the nouns that their names share.
 *
 * @param tools the words of each tool; words for the same thing are equal
 * @returns the topic of each tool that has one
 * @example
 * topicsFromWords([{ name: 'list_keys', words: ['list', 'key'], nouns: [] }, ...]); // Map { 'list_keys' => ['key'], ... }
 */
export function topicsFromWords(tools: readonly TopicWords[]): WordsByName {
  const nouns = findNouns(tools);
  const phrases = new Map(tools.map((tool) => [tool.name, phrasesOf(nounsOf(tool.words, nouns))]));
  const topics = new Map<string, readonly string[]>();
  const maxCount = MAX_SHARE * tools.length;
  const counts = countEach([...phrases.values()].flatMap((own) => [...own]));
  const countOf = (phrase: string): number => counts.get(phrase) ?? 0;
  // If `merge` and `request` nearly always occur together, only `merge-request` can be a topic.
  const parts = new Set(
    [...counts].flatMap(([phrase, count]) =>
      phrase
        .split('-')
        .filter((word) => word !== phrase && count >= 2 && count >= PHRASE_SHARE * countOf(word)),
    ),
  );
  const limit = maxTopics(tools.length);
  for (let chosen = 0; chosen < limit; chosen++) {
    const left = tools.filter(({ name }) => !topics.has(name));
    const named = left.flatMap(({ name }) =>
      [...(phrases.get(name) ?? [])].map((phrase) => ({ phrase, name })),
    );
    const usable = named.filter(({ phrase }) => !parts.has(phrase) && countOf(phrase) <= maxCount);
    const groups = [...groupBy(usable, ({ phrase }) => phrase)].filter(([, own]) => own.length >= MIN_SIZE);
    // Between groups of the same size, the longer phrase is more specific.
    const [best] = groups.sort(
      ([a, some], [b, others]) =>
        Number(GENERAL_NOUNS.has(a)) - Number(GENERAL_NOUNS.has(b)) ||
        others.length - some.length ||
        b.length - a.length ||
        (a < b ? -1 : 1),
    );
    if (best === undefined) break;
    for (const { name } of best[1]) topics.set(name, toValue(best[0]));
  }
  return topics;
}

/** Returns the nouns of a name, and each pair of neighboring nouns as `first-second`. */
function phrasesOf(nouns: readonly string[]): ReadonlySet<string> {
  const pairs = nouns.slice(1).map((noun, index) => [`${nouns[index]}-${noun}`, noun] as const);
  return new Set([
    ...nouns.filter((noun) => !EMPTY_NOUNS.has(noun)),
    ...pairs.flatMap(([pair, last]) => (EMPTY_NOUNS.has(last) ? [] : [pair])),
  ]);
}

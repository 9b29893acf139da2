import { nounsOf, wordsOf } from './name-words.js';

/** More values than this are no help to a person who has to choose one. */
const MAX_TOPICS = 12;
/** A word that two phrases share this often belongs to one of them. */
const TOGETHER = 0.7;

/**
 * Finds what tools are about, by what their names have in common.
 *
 * @param names the names of tools
 * @returns the topic of each tool that has one, the largest topics first
 * @example
 * proposeTopics(['list_keys', 'rotate_key', 'delete_key']); // Map { 'list_keys' => 'key', ... }
 */
export function proposeTopics(names: readonly string[]): ReadonlyMap<string, string> {
  // What most names say tells nothing apart.
  const most = 0.6 * names.length;
  const words = new Map(names.map((name) => [name, wordsOf(name)]));
  const times = countAll([...words.values()].map((some) => new Set(some)));
  const phrases = new Map(
    [...words].map(([name, some]) => [
      name,
      phrasesOf(some.filter((word) => (times.get(word) ?? 0) <= most)),
    ]),
  );
  const counts = countAll([...phrases.values()]);
  // `merge` and `request` are one thing where they nearly always stand together.
  const countOf = (phrase: string) => counts.get(phrase) ?? 0;
  const parts = new Set(
    [...counts].flatMap(([phrase, count]) =>
      phrase.split('-').filter((word) => word !== phrase && count >= 2 && count >= TOGETHER * countOf(word)),
    ),
  );
  const least = names.length < 12 ? 2 : 3;
  const topics = new Map<string, string>();
  for (let chosen = 0; chosen < MAX_TOPICS; chosen++) {
    const left = names.filter((name) => !topics.has(name));
    const best = largest(left, phrases, (phrase) => !parts.has(phrase) && countOf(phrase) <= most);
    if (best === undefined || best.names.length < least) break;
    for (const name of best.names) topics.set(name, best.phrase);
  }
  return new Set(topics.values()).size < 2 ? new Map() : topics;
}

function countAll(sets: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const each of set) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

/** The nouns of a name, and each two that stand side by side. */
function phrasesOf(words: readonly string[]): ReadonlySet<string> {
  const nouns = nounsOf(words);
  const pairs = nouns.slice(1).map((noun, index) => `${nouns[index]}-${noun}`);
  return new Set([...nouns, ...pairs]);
}

function largest(
  names: readonly string[],
  phrases: ReadonlyMap<string, ReadonlySet<string>>,
  takes: (phrase: string) => boolean,
): { phrase: string; names: readonly string[] } | undefined {
  const found = new Map<string, string[]>();
  for (const name of names) {
    for (const phrase of phrases.get(name) ?? []) {
      if (takes(phrase)) found.set(phrase, [...(found.get(phrase) ?? []), name]);
    }
  }
  // Of two that are as large the longer one says more.
  const [best] = [...found].sort(
    ([a, some], [b, others]) => others.length - some.length || b.length - a.length || (a < b ? -1 : 1),
  );
  return best === undefined ? undefined : { phrase: best[0], names: best[1] };
}

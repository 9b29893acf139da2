import { groupBy } from '../language/group-by.js';
import { GENERAL_NOUNS } from './description-words.js';
import { EMPTY_NOUNS, findNouns, headOf, nounsOf, type TopicWords } from './topic-nouns.js';
import { countEach } from './words.js';

/** A person cannot choose well from a long list of topics. Servers with many tools need more of them. */
const maxTopics = (tools: number): number => Math.min(24, Math.max(12, Math.ceil(tools / 3)));
/** From this share of its names on, a word counts as a part of a two-word phrase instead of a topic of its own. */
const PHRASE_SHARE = 0.7;
/** A word in more names than this does not tell tools apart. */
const MAX_SHARE = 0.8;
const FEW_TOOLS = 8;
/** A smaller share of tools without a topic is not worth a topic with a single tool. */
const MAX_LEFT = 0.15;

/**
 * Groups tools into topics by the nouns that their names share. The remaining tools join the topic that their description
 * names, or form topics by the nouns that their descriptions share.
 *
 * @param tools the words of each tool; words for the same thing are equal
 * @returns the topic of each tool that has one, the largest topics first. Empty if there would be fewer than two topics.
 * @example
 * topicsFromWords([{ name: 'list_keys', words: ['list', 'key'], nouns: [] }, ...]); // Map { 'list_keys' => 'key', ... }
 */
export function topicsFromWords(tools: readonly TopicWords[]): ReadonlyMap<string, string> {
  const nouns = findNouns(tools);
  const named = new Map(tools.map((tool) => [tool.name, phrasesOf(nounsOf(tool.words, nouns))]));
  const described = new Map(
    tools.map(({ name, nouns: own }) => [
      name,
      new Set([
        ...(named.get(name) ?? []),
        ...own.filter((noun) => nouns.has(noun) && !GENERAL_NOUNS.has(noun) && !EMPTY_NOUNS.has(noun)),
      ]),
    ]),
  );
  const topics = new Map<string, string>();
  if (tools.length >= 12) addLargest(topics, named, tools, 3);
  addLargest(topics, named, tools, 2);
  joinTopics(topics, tools, (tool) => tool.words);
  joinTopics(topics, tools, (tool) => tool.nouns);
  // Of very few tools, descriptions share words by chance.
  if (tools.length >= FEW_TOOLS) addLargest(topics, described, tools, 2);
  // One tool alone is a topic only if too many would be left over.
  const own = new Map(tools.map((tool) => [tool.name, headOf(tool, nouns)]));
  addLargest(topics, own, tools, 1, MAX_LEFT * tools.length);
  return new Set(topics.values()).size < 2 ? new Map() : topics;
}

type Phrases = ReadonlyMap<string, ReadonlySet<string>>;

/** Adds the topic that most of the remaining tools share, and so on, until no group is large enough. */
function addLargest(
  topics: Map<string, string>,
  phrases: Phrases,
  tools: readonly TopicWords[],
  minSize: number,
  mayRemain = 0,
): void {
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
  let chosen = new Set(topics.values()).size;
  for (; chosen < limit; chosen++) {
    const left = tools.filter(({ name }) => !topics.has(name));
    if (left.length <= mayRemain) return;
    const named = left.flatMap(({ name }) =>
      [...(phrases.get(name) ?? [])].map((phrase) => ({ phrase, name })),
    );
    const usable = named.filter(({ phrase }) => !parts.has(phrase) && countOf(phrase) <= maxCount);
    const groups = [...groupBy(usable, ({ phrase }) => phrase)].filter(([, own]) => own.length >= minSize);
    // Between groups of the same size, the longer phrase is more specific.
    const [best] = groups.sort(
      ([a, some], [b, others]) =>
        Number(GENERAL_NOUNS.has(a)) - Number(GENERAL_NOUNS.has(b)) ||
        others.length - some.length ||
        b.length - a.length ||
        (a < b ? -1 : 1),
    );
    if (best === undefined) return;
    for (const { name } of best[1]) topics.set(name, best[0]);
  }
}

/** Gives each remaining tool the topic that its words name. Of several, the smallest topic is the most specific. */
function joinTopics(
  topics: Map<string, string>,
  tools: readonly TopicWords[],
  wordsOf: (tool: TopicWords) => readonly string[],
): void {
  const bySize = [...countEach(topics.values())].sort(
    ([a, some], [b, others]) => some - others || (a < b ? -1 : 1),
  );
  for (const tool of tools) {
    if (topics.has(tool.name)) continue;
    const words = new Set(wordsOf(tool));
    const [topic] = bySize.find(([each]) => each.split('-').every((word) => words.has(word))) ?? [];
    if (topic !== undefined) topics.set(tool.name, topic);
  }
}

/** Returns the nouns of a name, and each pair of neighboring nouns as `first-second`. */
function phrasesOf(nouns: readonly string[]): ReadonlySet<string> {
  const pairs = nouns.slice(1).map((noun, index) => [`${nouns[index]}-${noun}`, noun] as const);
  return new Set([
    ...nouns.filter((noun) => !EMPTY_NOUNS.has(noun)),
    ...pairs.flatMap(([pair, last]) => (EMPTY_NOUNS.has(last) ? [] : [pair])),
  ]);
}

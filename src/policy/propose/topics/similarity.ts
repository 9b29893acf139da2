import { countEach } from '../words/words.js';
import type { TopicWords } from './topic-nouns.js';

/** A word in more tools than this says nothing about one group. */
const MAX_SHARE = 0.2;
/** Servers list related tools together, so neighbors are a little more similar. */
const NEIGHBORS = 0.1;
const NEAR = 8;

/**
 * Compares tools by their words: rare ones count more, and those of names twice (tf-idf and the cosine).
 *
 * @param tools the words of all tools, in the order of the list
 * @returns the similarity of two tools by their indexes: above 0, and about 1 for equal words
 */
export function similarityOf(tools: readonly TopicWords[]): (a: number, b: number) => number {
  const counts = tools.map(({ words, nouns }) => countEach([...words, ...words, ...nouns]));
  const frequency = countEach(counts.flatMap((own) => [...own.keys()]));
  const vectors = counts.map((own) => {
    const weights = [...own].flatMap(([word, times]): [string, number][] => {
      const tool = frequency.get(word) ?? 1;
      const isTelling = tool <= Math.max(2, MAX_SHARE * tools.length);
      return isTelling ? [[word, (1 + Math.log(times)) * Math.log(1 + tools.length / tool)]] : [];
    });
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    return new Map(weights.map(([word, weight]) => [word, weight / length]));
  });
  return (a, b) => {
    let sum = NEIGHBORS * Math.exp(-Math.abs(a - b) / NEAR);
    for (const [word, weight] of vectors[a] ?? []) sum += weight * (vectors[b]?.get(word) ?? 0);
    return sum;
  };
}

/**
 * Finds the words that tell each group from the others, best first.
 *
 * @param groups the words of each member of each group
 * @returns the words of each group
 */
export function tellingWords(groups: readonly (readonly (readonly string[])[])[]): string[][] {
  const inGroups = countEach(groups.flatMap((group) => [...new Set(group.flat())]));
  return groups.map((group) => {
    const counts = countEach(group.flatMap((words) => [...new Set(words)]));
    const score = ([word, times]: readonly [string, number]): number =>
      times * Math.log(1 + groups.length / (inGroups.get(word) ?? 1));
    return [...counts].sort((a, b) => score(b) - score(a) || (a[0] < b[0] ? -1 : 1)).map(([word]) => word);
  });
}

import { countEach } from '../words/words.js';

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

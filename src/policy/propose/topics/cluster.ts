import { itemAt } from '../../../engine/item-at.js';

/** Tools that stay together while groups are merged. */
export interface Cluster {
  readonly members: readonly number[];
  /** The finished topic that others can join. Two of them are never merged. */
  readonly topic?: string;
}

type Similarity = (a: number, b: number) => number;

/**
 * Merges the two most similar groups again and again, by the average similarity of their members (average linkage).
 *
 * @param clusters the groups to begin with
 * @param similarity the similarity of two members
 * @param mayMerge whether two groups of an average similarity may be merged, among all that are left
 * @returns the groups, when no two of them may be merged
 * @example
 * mergeClusters([{ members: [0] }, { members: [1] }, { members: [2] }], similarity, (_a, _b, _average, all) => all.length > 2);
 */
export function mergeClusters(
  clusters: readonly Cluster[],
  similarity: Similarity,
  mayMerge: (a: Cluster, b: Cluster, average: number, all: readonly Cluster[]) => boolean,
): Cluster[] {
  const groups = [...clusters];
  const averages = groups.map((a) => groups.map((b) => averageOf(a, b, similarity)));
  for (;;) {
    let best: readonly [a: number, b: number] | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    for (const [a, row] of averages.entries()) {
      for (let b = a + 1; b < row.length; b++) {
        const average = row[b] ?? 0;
        if (average <= highest || !mayMerge(itemAt(groups, a), itemAt(groups, b), average, groups)) continue;
        highest = average;
        best = [a, b];
      }
    }
    if (best === undefined) return groups;
    const [a, b] = best;
    const [one, other] = [itemAt(groups, a), itemAt(groups, b)];
    const members = [...one.members, ...other.members];
    const toOther = itemAt(averages, b);
    const joined = itemAt(averages, a).map(
      (toOne, each) =>
        (toOne * one.members.length + itemAt(toOther, each) * other.members.length) / members.length,
    );
    groups.splice(a, 1, { ...other, ...one, members });
    averages.splice(a, 1, joined);
    for (const [each, row] of averages.entries()) row[a] = itemAt(joined, each);
    for (const list of [groups, averages, ...averages]) list.splice(b, 1);
  }
}

/** @returns the average similarity of the members of two groups */
function averageOf(a: Cluster, b: Cluster, similarity: Similarity): number {
  let sum = 0;
  for (const one of a.members) for (const other of b.members) sum += similarity(one, other);
  return sum / (a.members.length * b.members.length);
}

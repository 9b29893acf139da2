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
 * @param wanted how many groups are enough
 * @param mayMerge whether two groups of an average similarity may be merged
 * @returns the groups
 * @example
 * mergeClusters([{ members: [0] }, { members: [1] }, { members: [2] }], similarity, 2, () => true);
 */
export function mergeClusters(
  clusters: readonly Cluster[],
  similarity: Similarity,
  wanted: number,
  mayMerge: (a: Cluster, b: Cluster, average: number) => boolean,
): Cluster[] {
  const groups = new Map(clusters.entries());
  const count = clusters.length;
  const averages = new Float64Array(count * count);
  const between = (a: number, b: number): number => averages[a * count + b] ?? 0;
  const keep = (a: number, b: number, average: number): void => {
    averages[a * count + b] = average;
    averages[b * count + a] = average;
  };
  for (const [index, a] of clusters.entries())
    for (const [other, b] of clusters.slice(0, index + 1).entries())
      keep(index, other, averageOf(a, b, similarity));
  const nearestTo = (index: number, group: Cluster): number | undefined => {
    let best: number | undefined;
    for (const [other, each] of groups) {
      if (other === index || (best !== undefined && between(index, other) <= between(index, best))) continue;
      if (mayMerge(group, each, between(index, other))) best = other;
    }
    return best;
  };
  const nearest = new Map([...groups].map(([index, group]) => [index, nearestTo(index, group)]));
  while (groups.size > wanted) {
    let pair: readonly [number, number] | undefined;
    for (const [a, b] of nearest) {
      if (b !== undefined && (pair === undefined || between(a, b) > between(...pair))) pair = [a, b];
    }
    const [a, b] = pair ?? [];
    const [one, other] = [groups.get(a ?? -1), groups.get(b ?? -1)];
    if (a === undefined || b === undefined || one === undefined || other === undefined) break;
    const members = [...one.members, ...other.members];
    for (const each of groups.keys()) {
      const sum = between(a, each) * one.members.length + between(b, each) * other.members.length;
      keep(a, each, sum / members.length);
    }
    groups.set(a, { ...other, ...one, members });
    groups.delete(b);
    nearest.delete(b);
    for (const [index, group] of groups) {
      const old = nearest.get(index);
      if (index === a || old === a || old === b) nearest.set(index, nearestTo(index, group));
    }
  }
  return [...groups.values()];
}

/** @returns the average similarity of the members of two groups */
export function averageOf(a: Cluster, b: Cluster, similarity: Similarity): number {
  let sum = 0;
  for (const one of a.members) for (const other of b.members) sum += similarity(one, other);
  return sum / (a.members.length * b.members.length);
}

/**
 * For each value of a concern with `match: within`, the values that fit it: the value itself, everything above it and
 * everything below it. Values are numbers, the positions in `values`.
 */
export type Related = readonly ReadonlySet<number>[];

/**
 * Finds the values of which one is a prefix of the other, by whole segments: `finance` and `finance.stocks` fit each
 * other, `finance` and `financial` do not.
 *
 * @param values dotted paths
 * @returns for each path the positions of the paths that fit it
 * @example
 * relatedValues(['finance', 'finance.stocks', 'news'])[0]; // Set { 0, 1 }
 */
export function relatedValues(values: readonly string[]): Related {
  const related = values.map((_value, at) => new Set([at]));
  values.forEach((_value, at) => {
    for (const found of ancestorsOf(values, at)) {
      related[at]?.add(found);
      related[found]?.add(at);
    }
  });
  return related;
}

/** @returns the positions of the values above a value, the nearest first */
export function ancestorsOf(values: readonly string[], at: number): number[] {
  const found: number[] = [];
  for (let each = parentOf(values[at] ?? ''); each !== undefined; each = parentOf(each))
    found.push(values.indexOf(each));
  return found.filter((position) => position !== -1);
}

/**
 * @param value a dotted path
 * @returns the path without its last segment; `undefined` if it has only one
 * @example
 * parentOf('finance.stocks'); // 'finance'
 */
export function parentOf(value: string): string | undefined {
  const dot = value.lastIndexOf('.');
  return dot === -1 ? undefined : value.slice(0, dot);
}

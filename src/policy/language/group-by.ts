/**
 * Groups items by a key, in one pass: filtering thousands of items for each of thousands of keys is slow.
 *
 * @param items the items
 * @param keyOf returns the key of an item
 * @returns the items of each key, in their order
 * @example
 * groupBy(['a1', 'b1', 'a2'], ([letter]) => letter); // Map { 'a' => ['a1', 'a2'], 'b' => ['b1'] }
 */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

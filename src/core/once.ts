/**
 * Makes a function that runs once. Later calls return the first result.
 *
 * @param run the function to run
 * @returns the function
 */
export function once<T>(run: () => T): () => T {
  let first: { readonly result: T } | undefined;
  return () => {
    first ??= { result: run() };
    return first.result;
  };
}

/**
 * Returns what a map has for a key. If it has nothing, makes the value, and keeps it in the map.
 *
 * @param map a `Map`, a `WeakMap` or a cache
 * @param key the key
 * @param make makes the value
 * @example
 * getOrMake(groups, name, () => []).push(item);
 */
export function getOrMake<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

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

/**
 * Makes a promise that is resolved from outside.
 *
 * @returns the promise, and what resolves it
 * @example
 * const ended = deferred();
 * socket.on('close', () => ended.resolve());
 * await ended.promise;
 */
export function deferred<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

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
 * Makes a promise that is resolved from outside.
 *
 * @returns the promise, and what resolves it
 * @example
 * const ended = deferred();
 * socket.on('close', () => ended.resolve());
 * await ended.promise;
 */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

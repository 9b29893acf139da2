/** The bounds of an {@link LruMap}. */
export interface LruBounds<V> {
  /** The number of entries kept. */
  readonly maxEntries: number;
  /** The sum of the sizes kept. Needs `sizeOf`. A value that is larger on its own is not stored. */
  readonly maxSize?: number;
  /** Returns the size of a value, in the unit of `maxSize`. */
  readonly sizeOf?: (value: V) => number;
}

/**
 * A map with a bound. A new entry that exceeds a bound removes the entries that were not read or written for the
 * longest time. A JavaScript `Map` keeps its keys in the order of insertion, so an entry that is used is inserted again.
 *
 * @example
 * const cache = new LruMap<string, number>({ maxEntries: 2 });
 * cache.set('a', 1);
 * cache.set('b', 2);
 * cache.get('a');
 * cache.set('c', 3);
 * cache.get('b'); // undefined
 */
export class LruMap<V extends {}> {
  private readonly entries = new Map<string, V>();
  private readonly maxEntries: number;
  private readonly maxSize: number;
  private readonly sizeOf: (value: V) => number;
  /** The sum of the sizes of all values. */
  private total = 0;
  /** The key that was used last. Most requests read the same entry again, which then needs no new position. */
  private newest: string | undefined;

  constructor({ maxEntries, maxSize = Number.POSITIVE_INFINITY, sizeOf = () => 0 }: LruBounds<V>) {
    this.maxEntries = maxEntries;
    this.maxSize = maxSize;
    this.sizeOf = sizeOf;
  }

  /** The number of entries. */
  get size(): number {
    return this.entries.size;
  }

  /** Returns the value of a key, and makes it the most recently used one. */
  get(key: string): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined || key === this.newest) return value;
    this.entries.delete(key);
    this.entries.set(key, value);
    this.newest = key;
    return value;
  }

  /** Stores a value as the most recently used one. */
  set(key: string, value: V): void {
    this.delete(key);
    const size = this.sizeOf(value);
    if (size > this.maxSize) return;
    this.entries.set(key, value);
    this.newest = key;
    this.total += size;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.maxEntries && this.total <= this.maxSize) return;
      this.delete(oldest);
    }
  }

  /** Removes a key. */
  delete(key: string): void {
    const value = this.entries.get(key);
    if (value === undefined) return;
    this.entries.delete(key);
    if (key === this.newest) this.newest = undefined;
    this.total -= this.sizeOf(value);
  }

  /** Removes all entries. */
  clear(): void {
    this.entries.clear();
    this.newest = undefined;
    this.total = 0;
  }
}

import type { Path, Source } from './read-yaml.js';

/** A copy of data without some of its parts, and the places of the remaining parts. */
export class PrunedData<T> {
  readonly data: T;
  /** For each list with removed items, the indexes that the remaining items had. */
  private readonly indexes = new Map<unknown, number[]>();

  /**
   * @param whole the data
   * @param locateWhole locates paths of the data
   */
  constructor(
    whole: T,
    private readonly locateWhole: Source['locate'],
  ) {
    this.data = structuredClone(whole);
  }

  /** As `Source.locate`, but for paths of `data`, where items of lists can be missing. */
  readonly locate: Source['locate'] = (path, part) => {
    let at: unknown = this.data;
    const original = path.map((step) => {
      const place = this.indexes.get(at)?.[Number(step)] ?? step;
      at = follow(at, [step]);
      return place;
    });
    return this.locateWhole(original, part);
  };

  /**
   * Removes a part. Later items of its list move up, so remove several items of a list from its end.
   *
   * @param path the path of the part
   * @returns false if the path is empty: the whole cannot be removed
   */
  remove(path: Path): boolean {
    const last = path.at(-1);
    if (last === undefined) return false;
    const parent = follow(this.data, path.slice(0, -1));
    if (Array.isArray(parent)) {
      const original = this.indexes.get(parent) ?? [...parent.keys()];
      this.indexes.set(parent, original);
      original.splice(Number(last), 1);
      parent.splice(Number(last), 1);
    } else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last);
    return true;
  }
}

/**
 * Reads the value at a path. It reads own properties only, so that no path reaches `Object.prototype`.
 *
 * @param data any data
 * @param path the path of a part of it
 * @returns the value, or undefined if the path does not exist
 * @example
 * follow({ tools: ['a'] }, ['tools', 0]); // 'a'
 */
export function follow(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(child, data);
}

function child(parent: unknown, step: string | number): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, step)
    ? Reflect.get(parent, step)
    : undefined;
}

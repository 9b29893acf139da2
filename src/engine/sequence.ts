/**
 * A sequence of values that was followed before, and what was found at its end. Equal sequences are the same object. A
 * text as a key would do the same, but takes several times as long to write.
 */
export class Sequence<T> {
  /** What was found at the end of this sequence. */
  end: T | undefined = undefined;
  // Most facts are true, false or missing. A field is faster than a Map.
  private yes: Sequence<T> | undefined = undefined;
  private no: Sequence<T> | undefined = undefined;
  private missing: Sequence<T> | undefined = undefined;
  private others: Map<unknown, Sequence<T>> | undefined = undefined;
  // Neighbors in a list often have the same value. Comparing it takes less time than finding it in a Map.
  private latest: unknown = undefined;
  private afterLatest: Sequence<T> | undefined = undefined;

  /** @returns the sequence that is longer by this value; an object is equal only to itself, see `followContent` */
  follow(value: unknown): Sequence<T> {
    if (value === true) {
      this.yes ??= new Sequence();
      return this.yes;
    }
    if (value === false) {
      this.no ??= new Sequence();
      return this.no;
    }
    if (value === undefined) {
      this.missing ??= new Sequence();
      return this.missing;
    }
    if (this.latest === value && this.afterLatest !== undefined) return this.afterLatest;
    this.others ??= new Map();
    let longer = this.others.get(value);
    if (longer === undefined) {
      longer = new Sequence();
      this.others.set(value, longer);
    }
    this.latest = value;
    this.afterLatest = longer;
    return longer;
  }

  /** @returns the sequence that is longer by this value; the same one for objects and lists with equal JSON */
  followContent(value: unknown): Sequence<T> {
    if (typeof value !== 'object' || value === null) return this.follow(value);
    if (!Array.isArray(value)) return this.follow(OBJECT).follow(textOf(value));
    let longer = this.follow(LIST).follow(value.length);
    for (const each of value) {
      const isText = typeof each !== 'object' || each === null;
      longer = isText ? longer.follow(each) : longer.follow(OBJECT).follow(textOf(each));
    }
    return longer;
  }
}

const [LIST, OBJECT] = [Symbol('list'), Symbol('object')];

/** @returns the JSON of a value; something unique if it cannot be written, for example because it nests too deeply */
function textOf(value: object): unknown {
  try {
    return JSON.stringify(value);
  } catch {
    return Symbol('not written');
  }
}

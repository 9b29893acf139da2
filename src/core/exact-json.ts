/**
 * A number of a JSON text that JavaScript would write in another way: an integer over 2^53, `1.0`, `1e400`. It keeps its text,
 * and `JSON.stringify` writes that text.
 */
export class ExactNumber {
  // Private, so that whatever walks through the members of a value finds none.
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  valueOf(): number {
    return Number(this.#text);
  }

  toString(): string {
    return this.#text;
  }

  toJSON(): unknown {
    if (rawJson !== undefined) return rawJson(this.#text);
    if (tell !== undefined && changedText(this) !== undefined) {
      tell();
      tell = undefined;
    }
    return this.valueOf();
  }
}

let tell: (() => void) | undefined;

/**
 * Tells once that this version of Node.js has changed a number. It never does in Node.js 22 and later.
 *
 * @param changed called before the first such number is written
 */
export function onNumberChanged(changed: () => void): void {
  tell = changed;
}

/**
 * Of Node.js 22 and later; where there is none, numbers change as they always did. Node.js 20 has it behind a flag of V8, and
 * writes wrong characters there if the text has one beyond Latin-1.
 */
const { rawJSON: rawJson }: JSON & { readonly rawJSON?: (text: string) => unknown } = JSON;

/** Whether this version of Node.js writes the text of a number again. */
export const KEEPS_NUMBERS: boolean = rawJson !== undefined;

/** @returns the number of a value that may keep its text; any other value as it is */
export const numberOf = (value: unknown): unknown => (value instanceof ExactNumber ? value.valueOf() : value);

/**
 * Returns the text of a number that has another value in JavaScript; `undefined` for one that only looks different, as `1.0`
 * does, and for any other value.
 *
 * @example
 * changedText(parseExact('9007199254740993')); // '9007199254740993'
 */
export function changedText(value: unknown): string | undefined {
  if (!(value instanceof ExactNumber)) return undefined;
  const text = value.toString();
  return decimalOf(text) === decimalOf(String(value.valueOf())) ? undefined : text;
}

/** @returns a text that only texts of the same number have: its digits, and the power of ten of the last one */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return whole === '' ? text : '0';
  return `${sign}${short}e${Number(power) - part.length + digits.length - short.length}`;
}

/**
 * How deep arrays and objects of a message may lie in each other. `JSON.parse` reads any depth, but whatever writes the message
 * again, or walks through it, uses the stack of the process: 5,000 levels could end it for all clients.
 */
export const MAX_DEPTH = 1000;

/** Thrown for a text that is JSON, but deeper than `MAX_DEPTH`. */
export class TooDeepError extends SyntaxError {
  /** @param value what the text says; nothing may walk through it */
  constructor(readonly value: unknown) {
    super(`Arrays and objects lie more than ${MAX_DEPTH} levels deep in each other.`);
  }
}

/**
 * Returns whether a text of JSON is deeper than `MAX_DEPTH`.
 *
 * @example
 * isTooDeep('[[1]]'); // false
 */
export function isTooDeep(text: string): boolean {
  // Each level has two brackets.
  return text.length > 2 * MAX_DEPTH && examine(text) === 'too-deep';
}

const [QUOTE, BACKSLASH, COLON, COMMA, MINUS] = [0x22, 0x5c, 0x3a, 0x2c, 0x2d];
const [OPENS_OBJECT, CLOSES_OBJECT, OPENS_ARRAY, CLOSES_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** `String(2 ** 53)` has 16 digits: a shorter row of digits alone is exact. */
const MANY_DIGITS = 16;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * Walks once through a text that is JSON, and skips its strings: that costs about a third of what `JSON.parse` does.
 *
 * @returns whether it is deeper than `MAX_DEPTH`; else, whether JavaScript would write one of its numbers in another way
 */
function examine(text: string): 'plain' | 'inexact' | 'too-deep' {
  let depth = 0;
  let isInexact = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPENS_OBJECT || code === OPENS_ARRAY) {
      if (++depth > MAX_DEPTH) return 'too-deep';
    } else if (code === CLOSES_OBJECT || code === CLOSES_ARRAY) depth--;
    else if (!isInexact && (code === MINUS || isDigit(code))) {
      const from = at;
      while (isDigit(text.charCodeAt(at))) at++;
      // What is left is the sign, or what follows the digits: a point, a power, or the end of the number.
      const isShort = at > from && at - from < MANY_DIGITS;
      if (isShort && !GOES_ON.has(text.charCodeAt(at))) at--;
      else {
        at = endOfLiteral(text, at);
        isInexact = !isExact(text.slice(from, at));
        at--;
      }
    }
  }
  return isInexact ? 'inexact' : 'plain';
}

/** @returns where the quote is that ends a string of a text that is JSON */
function endOfString(text: string, at: number): number {
  let end = at;
  let slashes = at;
  do {
    end = text.indexOf('"', end + 1);
    slashes = end - 1;
    while (text.charCodeAt(slashes) === BACKSLASH) slashes--;
  } while ((end - slashes) % 2 === 0);
  return end;
}

/**
 * Reads a text of JSON without changing a number. A text without such a number, which is almost every message, is read by
 * `JSON.parse`; another one takes three times as long.
 *
 * @throws {SyntaxError} as `JSON.parse` does; a `TooDeepError`, which is one, if the value is deeper than `MAX_DEPTH`
 * @example
 * JSON.stringify(parseExact('[20000000000000003, 1.0]')); // '[20000000000000003,1.0]'
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const found = examine(text);
  if (found === 'too-deep') throw new TooDeepError(value);
  return found === 'inexact' ? new Reader(text).read() : value;
}

const isExact = (text: string): boolean => String(Number(text)) === text;

const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads a text that is known to be JSON, of any depth: it has a stack of its own. */
class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): unknown {
    const root: unknown[] = [];
    const outer: (unknown[] | Record<string, unknown>)[] = [];
    let into: unknown[] | Record<string, unknown> = root;
    let key = '';
    const { text } = this;
    const put = (value: unknown): void => {
      if (Array.isArray(into)) into.push(value);
      // An assignment to `__proto__` would set the prototype.
      else if (key === '__proto__')
        Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
      else into[key] = value;
    };
    while (this.at < text.length) {
      const code = text.charCodeAt(this.at);
      if (code <= 0x20 || code === COMMA || code === COLON) this.at++;
      else if (code === QUOTE) {
        const string = this.string();
        if (!Array.isArray(into) && this.isKey()) key = string;
        else put(string);
      } else if (code === OPENS_OBJECT || code === OPENS_ARRAY) {
        const container = code === OPENS_OBJECT ? {} : [];
        put(container);
        outer.push(into);
        into = container;
        this.at++;
      } else if (code === CLOSES_OBJECT || code === CLOSES_ARRAY) {
        into = outer.pop() ?? root;
        this.at++;
      } else put(this.literal());
    }
    return root[0];
  }

  private isKey(): boolean {
    while (this.text.charCodeAt(this.at) <= 0x20) this.at++;
    return this.text.charCodeAt(this.at) === COLON;
  }

  private string(): string {
    const { text, at } = this;
    const end = endOfString(text, at);
    this.at = end + 1;
    const inner = text.slice(at + 1, end);
    return inner.includes('\\') ? JSON.parse(text.slice(at, end + 1)) : inner;
  }

  private literal(): unknown {
    const from = this.at;
    this.at = endOfLiteral(this.text, from);
    const found = this.text.slice(from, this.at);
    if (LITERALS.has(found)) return LITERALS.get(found);
    return isExact(found) ? Number(found) : new ExactNumber(found);
  }
}

/** @returns where a number, `true`, `false` or `null` ends that begins at or before a place of a text */
function endOfLiteral(text: string, from: number): number {
  let at = from;
  while (at < text.length && !ENDS.has(text.charCodeAt(at))) at++;
  return at;
}

const ENDS: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09, COMMA, CLOSES_OBJECT, CLOSES_ARRAY]);

/** A point, or `E` or `e` in front of a power, after the first digits of a number. */
const GOES_ON: ReadonlySet<number> = new Set([0x2e, 0x45, 0x65]);

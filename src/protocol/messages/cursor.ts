import { createHash } from 'node:crypto';

/** Everything that makes a list what it is while a client walks its pages. */
export interface CursorTarget {
  /**
   * A digest of the list, from `digestOf`: its kind, and the identities in it. Best of what this client is shown,
   * before its own filter: then a change among hidden primitives does not show in a cursor that is refused.
   */
  readonly catalog: string;
  /** `policy.digest` */
  readonly policy: string;
  /** `configuration.key` */
  readonly configuration: string;
  /** The key that the client's own filter was read with. */
  readonly filter: string;
}

export type ReadCursor =
  | { readonly ok: true; readonly offset: number }
  | { readonly ok: false; readonly reason: 'malformed' | 'changed' | 'filter-changed' };

/** What a client is told of a cursor that is refused, with `-32602`. The last one is the wording of SEP-2564. */
export const CURSOR_MESSAGES = {
  malformed: 'This is no cursor of this server; list again without a cursor.',
  changed: 'This cursor does not belong to the list as it is now; list again without a cursor.',
  'filter-changed': 'Filter parameters must not change between paginated requests',
} as const;

/**
 * Makes the cursor of a page: where it starts, and digests of what it is a page of. A changed filter is told from
 * everything else, so there are two.
 *
 * Cursors carry no signature. Whoever forges one gets another page of a list that is filtered for them all the same,
 * with the preferences of that very request; nothing is read from a cursor but the offset.
 *
 * @param target the offset, a whole number from `pageOf`, and what the list depends on
 * @returns a short text of letters, digits, `-`, `_` and `.`
 * @example
 * makeCursor({ offset: 500, catalog: digestOf(['tools', ...names]), policy: policy.digest, configuration: key, filter: '' });
 */
export function makeCursor(target: CursorTarget & { readonly offset: number }): string {
  return [target.offset.toString(36), ...digestsOf(target)].join('.');
}

/** An offset without leading zeros, and two digests: 2^53 has 11 digits in base 36. */
const CURSOR = /^(0|[1-9a-z][0-9a-z]{0,10})\.([\w-]{22})\.([\w-]{22})$/;

/**
 * Reads a cursor that a client sent back (MCP, "Pagination"; SEP-2564 for a filter that changed). Where filter and
 * list both changed, the list did: with a new filter alone the client would still walk a list that is gone.
 *
 * @param cursor what was sent, of any type
 * @param expected what the list depends on now
 * @returns where the page starts; or why there is none
 * @example
 * const read = readCursor(request.params?.cursor, target);
 * if (!read.ok) refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES[read.reason]);
 */
export function readCursor(cursor: unknown, expected: CursorTarget): ReadCursor {
  const match = typeof cursor === 'string' ? CURSOR.exec(cursor) : null;
  const offset = Number.parseInt(match?.[1] ?? '', 36);
  if (match === null || !Number.isSafeInteger(offset)) return { ok: false, reason: 'malformed' };
  const [list, filter] = digestsOf(expected);
  if (match[2] !== list) return { ok: false, reason: 'changed' };
  if (match[3] !== filter) return { ok: false, reason: 'filter-changed' };
  return { ok: true, offset };
}

/** @returns digests of the list, and of the client's own filter */
export function digestsOf({
  catalog,
  policy,
  configuration,
  filter,
}: CursorTarget): readonly [string, string] {
  return [digestOf([catalog, policy, configuration]), digestOf([filter])];
}

/**
 * Digests texts: other texts, other digest, also where only the borders between them moved.
 *
 * SHA-256, not a faster one: a cursor is seen by clients, and a digest that can be calculated backwards confirms guesses
 * of what a list hides.
 *
 * @param texts the texts, in their order
 * @returns 22 characters of base64url, 132 bits
 * @example
 * digestOf(['tools', ...tools.map((tool) => identityOf('tools', tool))]);
 */
export function digestOf(texts: readonly string[]): string {
  // JSON keeps the borders, and lone surrogates apart, which all become the same bytes in UTF-8.
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 22);
}

/** The most bytes of JSON that the items of one list result take: Lambda refuses answers of more than 6 MB. */
export const MAX_PAGE_BYTES = 5_000_000;

export interface PageLimits {
  /** None unless an operator wants one: some clients read the first page only. */
  readonly pageSize?: number | undefined;
  readonly maxBytes?: number | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page starts; none on the last page. */
  readonly next?: number;
}

/**
 * Cuts one page out of a list (MCP, "Pagination"): everything that is left, unless its JSON would be too large. Every
 * page makes progress: one item that is too large by itself is a page.
 *
 * @param items the whole list, filtered
 * @param offset where the page starts, from 0; behind the end the page is empty
 * @param limits how many items, and how many bytes of UTF-8 the JSON of their array may have
 * @returns the page; the very list if it is one page
 * @example
 * pageOf(['a', 'b', 'c'], 0, { pageSize: 2 }); // { items: ['a', 'b'], next: 2 }
 */
export function pageOf<T>(items: readonly T[], offset: number, limits: PageLimits = {}): Page<T> {
  const { pageSize = Number.POSITIVE_INFINITY, maxBytes = MAX_PAGE_BYTES } = limits;
  const size = pageSize >= 1 ? Math.floor(pageSize) : 1;
  const most = Math.min(items.length, offset + size);
  const whole = offset === 0 && most === items.length && maxBytes === MAX_PAGE_BYTES;
  const end =
    (whole && fitting.has(items)) || surelyFits(items, offset, most, maxBytes)
      ? most
      : cut(items, offset, most, maxBytes);
  if (whole && end === most) fitting.add(items);
  const page = offset === 0 && end === items.length ? items : items.slice(offset, end);
  return end < items.length ? { items: page, next: end } : { items: page };
}

/** Lists that fit one page, as was found out once: a selection is kept and listed again for every like request. */
const fitting = new WeakSet<readonly unknown[]>();

/** @returns the first position behind `from` that does not fit any more */
function cut(items: readonly unknown[], from: number, to: number, maxBytes: number): number {
  let bytes = 1;
  for (let index = from; index < to; index++) {
    // With the comma behind it, or the bracket.
    bytes += bytesOf(items[index]) + 1;
    if (bytes > maxBytes && index > from) return index;
  }
  return to;
}

function bytesOf(item: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(item) ?? 'null');
  } catch {
    // What has no JSON does not go over a wire, so it is not too long for one: in memory a list may hold anything.
    return 0;
  }
}

/**
 * Adds up the most that each value can need, without writing it: less than `JSON.stringify` takes, which writes
 * the answer once more later. Lists of up to 900 kB are found to fit by this alone, plain ones of up to 5 MB.
 *
 * @returns whether the items fit for certain
 */
function surelyFits(items: readonly unknown[], from: number, to: number, maxBytes: number): boolean {
  let most = 2;
  // A list of what is to be looked at, not recursion: values may be nested deeply, or contain themselves.
  const open: unknown[] = [];
  for (let index = from; index < to; index++) {
    open.push(items[index]);
    while (open.length > 0) {
      const value = open.pop();
      if (typeof value === 'string') {
        most += textBytes(value) + 1;
      } else if (Array.isArray(value)) {
        most += 3;
        for (const each of value) open.push(each);
      } else if (typeof value === 'object' && value !== null) {
        const prototype = Object.getPrototypeOf(value);
        if (prototype !== Object.prototype && prototype !== null) return false;
        most += 3;
        // Nothing is inherited, and this is twice as fast as Object.entries.
        for (const key in value) {
          most += textBytes(key) + 1;
          open.push((value as Record<string, unknown>)[key]);
        }
      } else if (typeof value === 'function' || typeof value === 'bigint') {
        // Like objects of classes: a toJSON may write anything in their place.
        return false;
      } else {
        most += SCALAR_BYTES;
      }
      if (most > maxBytes) return false;
    }
  }
  return true;
}

/** The longest number is one like -0.0000012345678901234567, 25 characters; and a comma. */
const SCALAR_BYTES = 26;

/** What JSON writes as it is, a byte each. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Quotes, and six bytes for each unit of any other text: that is what a control character or half a surrogate pair takes. */
function textBytes(text: string): number {
  return 2 + (PLAIN.test(text) ? text.length : 6 * text.length);
}

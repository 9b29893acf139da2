import { createHash } from 'node:crypto';

/** Everything that the pages of a list depend on. A cursor is valid only as long as none of it changes. */
export interface CursorTarget {
  /**
   * A digest of the list, from `digestOf`: its kind, and the identities in it. Use the list that this client is shown,
   * before the client's own filter: then a change of hidden primitives does not invalidate the client's cursors.
   */
  readonly catalog: string;
  /** `policy.digest` */
  readonly policy: string;
  /** `configuration.key` */
  readonly configuration: string;
  /** The key of the client's own filter. */
  readonly filter: string;
}

export type ReadCursor =
  | { readonly ok: true; readonly offset: number }
  | { readonly ok: false; readonly reason: 'malformed' | 'changed' | 'filter-changed' };

/** The messages of the `-32602` errors about cursors. SEP-2564 specifies the last one. */
export const CURSOR_MESSAGES = {
  malformed: 'The cursor is not valid. List again without a cursor.',
  changed: 'The list changed, so the cursor is not valid any more. List again without a cursor.',
  'filter-changed': 'Filter parameters must not change between paginated requests',
} as const;

/**
 * Makes the cursor of a page: its offset, and two digests of what the list depends on. The filter has a digest of its
 * own, because SEP-2564 specifies an error for a changed filter.
 *
 * Cursors are not signed. A client that forges one gets another page of a list that is filtered for that same client:
 * only the offset is read from a cursor.
 *
 * @param target the offset, an integer from `pageOf`, and what the list depends on
 * @returns a short string of letters, digits, `-`, `_` and `.`
 * @example
 * makeCursor({ offset: 500, catalog: digestOf(['tools', ...names]), policy: policy.digest, configuration: key, filter: '' });
 */
export function makeCursor(target: CursorTarget & { readonly offset: number }): string {
  return [target.offset.toString(36), ...digestsOf(target)].join('.');
}

/** An offset without leading zeros, then two digests. 2^53 has 11 digits in base 36. */
const CURSOR = /^(0|[1-9a-z][0-9a-z]{0,10})\.([\w-]{22})\.([\w-]{22})$/;

/**
 * Reads a cursor that a client sent back (MCP, "Pagination"; SEP-2564 for a changed filter). If both the list and the
 * filter changed, the reason is `changed`: the client has to list again in any case.
 *
 * @param cursor what the client sent, of any type
 * @param expected what the list depends on now
 * @returns the offset of the page, or the reason why the cursor cannot be used
 * @example
 * const read = readCursor(request.params?.cursor, target);
 * if (!read.ok) refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES[read.reason]);
 */
export function readCursor(cursor: unknown, expected: CursorTarget): ReadCursor {
  const sent = partsOf(cursor);
  if (sent === undefined) return { ok: false, reason: 'malformed' };
  const [list, filter] = digestsOf(expected);
  if (sent.list !== list) return { ok: false, reason: 'changed' };
  if (sent.filter !== filter) return { ok: false, reason: 'filter-changed' };
  return { ok: true, offset: sent.offset };
}

/** Returns the parts of a cursor that a gate made, for any list; `undefined` for every other value. */
function partsOf(cursor: unknown) {
  const match = typeof cursor === 'string' ? CURSOR.exec(cursor) : null;
  const offset = Number.parseInt(match?.[1] ?? '', 36);
  return Number.isSafeInteger(offset) ? { offset, list: match?.[2], filter: match?.[3] } : undefined;
}

/** Returns the digest of the list and the digest of the client's own filter. */
export function digestsOf({
  catalog,
  policy,
  configuration,
  filter,
}: CursorTarget): readonly [string, string] {
  return [digestOf([catalog, policy, configuration]), digestOf([filter])];
}

/**
 * Digests a sequence of strings. `['ab']` and `['a', 'b']` have different digests.
 *
 * Uses SHA-256 and not a faster hash: clients see cursors, and a hash that can be inverted confirms guesses about hidden
 * primitives.
 *
 * @param texts the strings, in order
 * @returns 22 characters of base64url, 132 bits
 * @example
 * digestOf(['tools', ...tools.map((tool) => identityOf('tools', tool))]);
 */
export function digestOf(texts: readonly string[]): string {
  // JSON keeps the strings apart, and lone surrogates, which UTF-8 encodes as the same bytes.
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 22);
}

/** The maximum size of the items of one page, in bytes of JSON. Lambda refuses responses of more than 6 MB. */
const MAX_PAGE_BYTES = 5_000_000;

export interface PageLimits {
  /** The maximum number of items. By default there is none: some clients read the first page only. */
  readonly pageSize?: number | undefined;
  readonly maxBytes?: number | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The offset of the next page; missing on the last page. */
  readonly next?: number;
}

/**
 * Cuts one page out of a list (MCP, "Pagination"): all remaining items, unless their JSON would be too large. A page has
 * at least one item, also if that item alone is too large.
 *
 * @param items the whole list, filtered
 * @param offset the position of the first item, from 0. Past the end, the page is empty.
 * @param limits the maximum number of items, and the maximum size of the JSON array in bytes of UTF-8
 * @returns the page. Its `items` are the given array itself if everything fits.
 * @example
 * pageOf(['a', 'b', 'c'], 0, { pageSize: 2 }); // { items: ['a', 'b'], next: 2 }
 */
export function pageOf<T>(items: readonly T[], offset: number, limits: PageLimits = {}): Page<T> {
  const { pageSize = Number.POSITIVE_INFINITY, maxBytes = MAX_PAGE_BYTES } = limits;
  const size = pageSize >= 1 ? Math.floor(pageSize) : 1;
  const most = Math.min(items.length, offset + size);
  const whole = offset === 0 && most === items.length && maxBytes === MAX_PAGE_BYTES;
  const end = whole && fitting.has(items) ? most : cut(items, offset, most, maxBytes);
  if (whole && end === most) fitting.add(items);
  const page = offset === 0 && end === items.length ? items : items.slice(offset, end);
  return end < items.length ? { items: page, next: end } : { items: page };
}

/** One page of a list with the cursor of the next page, or the message of a `-32602` error about the client's cursor. */
export type CutPage<T> =
  | { readonly ok: true; readonly items: readonly T[]; readonly nextCursor: { readonly nextCursor?: string } }
  | { readonly ok: false; readonly message: string };

/**
 * Cuts out the page that a client's cursor points to.
 *
 * @param items the whole list, filtered
 * @param cursor the cursor that the client sent; `undefined` for the first page
 * @param target returns what the list depends on. Called only if there is more than one page.
 * @param limits the maximum size of a page
 * @returns the page; its `nextCursor` is an object to spread into the result
 * @example
 * cutPage(tools, request.params?.cursor, () => target, { pageSize: 100 });
 */
export function cutPage<T>(
  items: readonly T[],
  cursor: unknown,
  target: () => CursorTarget,
  limits: PageLimits = {},
): CutPage<T> {
  const start = cursor === undefined ? FIRST_PAGE : readCursor(cursor, target());
  if (!start.ok) return { ok: false, message: CURSOR_MESSAGES[start.reason] };
  const page = pageOf(items, start.offset, limits);
  const nextCursor =
    page.next === undefined ? {} : { nextCursor: makeCursor({ ...target(), offset: page.next }) };
  return { ok: true, items: page.items, nextCursor };
}

const FIRST_PAGE: ReadCursor = { ok: true, offset: 0 };

/** Returns whether a gate made this cursor, for any list. */
export function isGateCursor(cursor: unknown): boolean {
  return partsOf(cursor) !== undefined;
}

/** Lists that are known to fit into one page. Selections are cached, so equal requests list the same array again. */
const fitting = new WeakSet<readonly unknown[]>();

/** Returns the first position after `from` that does not fit. */
function cut(items: readonly unknown[], from: number, to: number, maxBytes: number): number {
  let bytes = 1;
  for (let index = from; index < to; index++) {
    // Plus one byte for the comma or the closing bracket.
    bytes += bytesOf(items[index]) + 1;
    if (bytes > maxBytes && index > from) return index;
  }
  return to;
}

/** The sizes of items. Lists of many configurations have the same items, and writing one as JSON takes microseconds. */
const sizes = new WeakMap<object, number>();

function bytesOf(item: unknown): number {
  const known = typeof item === 'object' && item !== null ? sizes.get(item) : undefined;
  if (known !== undefined) return known;
  const bytes = jsonBytesOf(item);
  if (typeof item === 'object' && item !== null) sizes.set(item, bytes);
  return bytes;
}

function jsonBytesOf(item: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(item) ?? 'null');
  } catch {
    // In memory, a list may contain values that cannot be written as JSON. They never reach a transport with a limit.
    return 0;
  }
}

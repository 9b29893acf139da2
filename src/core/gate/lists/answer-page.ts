import type { ConcernWarning } from '../../engine/configuration.js';
import { getOrMake } from '../../once.js';
import { ERRORS, isMembers } from '../../wire/messages.js';
import { type RequestOutcome, refuse, reply } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { CURSOR_MESSAGES } from '../request/messages.js';
import { describeConcerns, type ListCounts, type ReportContext } from '../request/report.js';
import { withCacheHints } from './cache-hints.js';
import {
  type CursorTarget,
  cursorOf,
  cursorTarget,
  digestOf,
  makeCursor,
  type ReadCursor,
  readCursor,
} from './cursor.js';
import { withOwnEntries } from './own-entries.js';

/** A filtered list of primitives, and the other parts of its result. */
export interface PagedList {
  /** The server's whole list. */
  readonly list: NonNullable<ReportContext['list']>;
  readonly items: readonly unknown[];
  /** Returns the identities of the items. Called only if there is more than one page. */
  readonly identities: () => readonly string[];
  /** The key of the client's own filter. */
  readonly filterKey: string;
  /** Other members of the result. `_meta` comes last. */
  readonly rest: Record<string, unknown>;
  readonly meta: { readonly _meta?: object };
  readonly counts: ListCounts;
  /** Warnings for the log. */
  readonly warnings: readonly ConcernWarning[];
}

/**
 * Answers a list request with the page that its cursor points to, or with a `-32602` error if the cursor is not valid,
 * and reports the request (MCP, "Pagination").
 *
 * @param facts the list request
 * @param paged the filtered list
 * @example
 * answerPage(facts, {
 *   list: { kind: 'tools', items: listed }, items, identities: () => items.map(({ name }) => name),
 *   filterKey: '', rest: {}, meta: {}, counts: { shown: 2, total: 3 }, warnings: [],
 * });
 */
export function answerPage(facts: Facts, paged: PagedList): RequestOutcome {
  const { list, items, filterKey, rest, meta, counts, warnings } = paged;
  const { kind } = list;
  const { pageSize } = facts.policy.settings;
  const page = cutPage(items, cursorOf(facts), () => listTarget(facts, paged), { pageSize });
  if (!page.ok) return refuse(ERRORS.invalidParams, page.message);
  const result = { ...rest, [kind]: page.items, ...page.nextCursor, ...meta };
  const listed = withOwnEntries(facts, { kind, filterKey }, result);
  return reply(withCacheHints(facts, listed, list.items), () => [
    describeConcerns(facts.configuration, warnings, counts),
    { list },
  ]);
}

/** Returns what the cursors of a filtered list depend on. */
export const listTarget = (
  facts: Facts,
  { list, identities, filterKey }: Pick<PagedList, 'list' | 'identities' | 'filterKey'>,
): CursorTarget => cursorTarget(facts, digestOf([list.kind, ...identities()]), filterKey);

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
const encoder = new TextEncoder();

const bytesOf = (item: unknown): number =>
  isMembers(item) ? getOrMake(sizes, item, () => written(item)) : written(item);

function written(item: unknown): number {
  try {
    return encoder.encode(JSON.stringify(item) ?? 'null').length;
  } catch {
    // In memory, a list may contain values that cannot be written as JSON. They never reach a transport with a limit.
    return 0;
  }
}

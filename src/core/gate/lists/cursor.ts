import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { sha256Of } from '../../sha256.js';
import { eraOf } from '../../wire/messages.js';
import { seal, unseal } from '../../wire/seal.js';
import type { Facts } from '../request/facts.js';
import type { CURSOR_MESSAGES } from '../request/messages.js';

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

/**
 * Returns what the cursors of a list depend on.
 *
 * @param facts the list request
 * @param catalog a digest of the list; of one that is not known as a whole, what tells it from other lists
 * @param filter the key of the client's own filter
 * @example
 * cursorTarget(facts, digestOf(['tools', ...names]), '');
 */
export const cursorTarget = (
  { configuration: { policy, key } }: Pick<Facts, 'configuration'>,
  catalog: string,
  filter: string,
): CursorTarget => ({ catalog, policy: policy.digest, configuration: key, filter });

/**
 * Returns the cursor of a list request. A host of 2025-11-25 that sends an empty one asks for the first page; 2026-07-28 allows an
 * empty one as a cursor.
 */
export const cursorOf = ({ request }: Pick<Facts, 'request'>): unknown => {
  const cursor = request.params?.cursor;
  return cursor === '' && eraOf(request) === 'legacy' ? undefined : cursor;
};

export type ReadCursor =
  | { readonly ok: true; readonly offset: number }
  | { readonly ok: false; readonly reason: keyof typeof CURSOR_MESSAGES };

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
export const digestsOf = (target: CursorTarget): readonly [list: string, filter: string] => [
  digestOf([target.catalog, target.policy, target.configuration]),
  digestOf([target.filter]),
];

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
  return sha256Of(JSON.stringify(texts), 'base64url').slice(0, 22);
}

/** Returns whether a gate made this cursor, for any list. */
export function isGateCursor(cursor: unknown): boolean {
  return partsOf(cursor) !== undefined;
}

/** The two digests that all cursors of the gate have, then the encrypted cursor. */
const SEALED = /^p\.([\w-]{22})\.([\w-]{22})\.([\w-]{38,})$/;

/** Returns whether a cursor has the form of a sealed one, for a list that is filtered page by page. */
export function isSealed(cursor: unknown): cursor is string {
  return typeof cursor === 'string' && SEALED.test(cursor);
}

/**
 * Encrypts a server's cursor into a cursor of the gate, for a list that is filtered page by page. Like every cursor, it
 * is bound to everything that the list depends on. It is encrypted because a server may write the last name of a page
 * into its cursor, and that name may be hidden.
 *
 * The key is derived from the policy, so all processes that serve the policy can open each other's cursors, and anyone
 * who can derive the key already knows what is hidden. The same cursor always gives the same text: hosts cache by bytes.
 *
 * @param target what the list depends on. `catalog` is the kind of the list: the whole list is not known.
 * @param cursor the server's cursor
 * @returns a string of letters, digits, `-`, `_` and `.`
 * @example
 * sealCursor({ catalog: 'tools', policy: policy.digest, configuration: configuration.key, filter: '' }, 'page-2');
 */
export function sealCursor(target: CursorTarget, cursor: string | number): string {
  const bound = digestsOf(target).join('.');
  // JSON writes lone surrogates differently from each other. UTF-8 alone would not.
  return `p.${bound}.${seal(keyOf(target), bound, JSON.stringify(cursor))}`;
}

/**
 * Opens a sealed cursor that a client sent back.
 *
 * @param cursor what the client sent, of any type
 * @param expected what the list depends on now
 * @returns the server's cursor, or the reason why it cannot be used
 */
export function openCursor(
  cursor: unknown,
  expected: CursorTarget,
): { readonly ok: true; readonly cursor: string | number } | Extract<ReadCursor, { readonly ok: false }> {
  const [, list, filter, sealed = ''] = isSealed(cursor) ? (SEALED.exec(cursor) ?? []) : [];
  const digests = digestsOf(expected);
  if (list !== digests[0]) return { ok: false, reason: list === undefined ? 'malformed' : 'changed' };
  if (filter !== digests[1]) return { ok: false, reason: 'filter-changed' };
  const text = unseal(keyOf(expected), digests.join('.'), sealed);
  return text === undefined ? { ok: false, reason: 'malformed' } : { ok: true, cursor: JSON.parse(text) };
}

const keyOf = ({ policy }: CursorTarget): Uint8Array =>
  sha256(utf8ToBytes(JSON.stringify(['cursor', policy])));

import { createHash } from 'node:crypto';
import { seal, unseal } from '../../wire/seal.js';
import { type CursorTarget, digestsOf, type ReadCursor } from './cursor.js';

/** The two digests that all cursors of the gate have, then the encrypted cursor. */
const SEALED = /^p\.([\w-]{22})\.([\w-]{22})\.([\w-]{38,})$/;

export type OpenedCursor =
  | { readonly ok: true; readonly cursor: string }
  | Extract<ReadCursor, { readonly ok: false }>;

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
export function sealCursor(target: CursorTarget, cursor: string): string {
  const bound = digestsOf(target).join('.');
  // JSON writes lone surrogates differently from each other. UTF-8 alone would not.
  return `p.${bound}.${seal(keyOf(target), bound, JSON.stringify(cursor))}`;
}

/**
 * Opens a sealed cursor that a client sent back.
 *
 * @param cursor the cursor as the client sent it
 * @param expected what the list depends on now
 * @returns the server's cursor, or the reason why it cannot be used
 */
export function openCursor(cursor: string, expected: CursorTarget): OpenedCursor {
  const [, list, filter, sealed = ''] = SEALED.exec(cursor) ?? [];
  const digests = digestsOf(expected);
  if (list !== digests[0]) return { ok: false, reason: list === undefined ? 'malformed' : 'changed' };
  if (filter !== digests[1]) return { ok: false, reason: 'filter-changed' };
  const text = unseal(keyOf(expected), digests.join('.'), sealed);
  return text === undefined ? { ok: false, reason: 'malformed' } : { ok: true, cursor: JSON.parse(text) };
}

function keyOf({ policy }: CursorTarget): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['cursor', policy]))
    .digest();
}

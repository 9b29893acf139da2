import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { type CursorTarget, digestsOf, type ReadCursor } from './cursor.js';

/** The two digests that all cursors of the gate have, then the encrypted cursor. */
const SEALED = /^p\.([\w-]{22})\.([\w-]{22})\.([\w-]{38,})$/;
const LENGTHS = { nonce: 12, tag: 16 };

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
  const key = keyOf(target);
  const bound = digestsOf(target).join('.');
  // JSON writes lone surrogates differently from each other. UTF-8 alone would not.
  const text = JSON.stringify(cursor);
  const nonce = createHmac('sha256', key).update(`${bound}.${text}`).digest().subarray(0, LENGTHS.nonce);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `p.${bound}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
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
  const bytes = Buffer.from(sealed, 'base64url');
  // The last character of base64 has unused bits. Only one text is accepted for each cursor.
  if (bytes.toString('base64url') !== sealed) return { ok: false, reason: 'malformed' };
  const nonce = bytes.subarray(0, LENGTHS.nonce);
  const tag = bytes.subarray(LENGTHS.nonce, LENGTHS.nonce + LENGTHS.tag);
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(expected), nonce, { authTagLength: LENGTHS.tag });
    decipher.setAAD(Buffer.from(digests.join('.'))).setAuthTag(tag);
    const text = decipher.update(bytes.subarray(LENGTHS.nonce + LENGTHS.tag), undefined, 'utf8');
    return { ok: true, cursor: JSON.parse(text + decipher.final('utf8')) };
  } catch {
    return { ok: false, reason: 'malformed' };
  }
}

function keyOf({ policy }: CursorTarget): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['cursor', policy]))
    .digest();
}

import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { type CursorTarget, digestsOf, type ReadCursor } from './cursor.js';

/** Two digests as in cursors of the gate's own pages, and what is sealed. */
const SEALED = /^p\.([\w-]{22})\.([\w-]{22})\.([\w-]{38,})$/;
const LENGTHS = { nonce: 12, tag: 16 };

export type OpenedCursor =
  | { readonly ok: true; readonly cursor: string }
  | Extract<ReadCursor, { readonly ok: false }>;

/** @returns whether this was meant to be a cursor of a list that is filtered page by page */
export function isSealed(cursor: unknown): cursor is string {
  return typeof cursor === 'string' && SEALED.test(cursor);
}

/**
 * Seals a server's own cursor inside one of the gate's, for a list that is filtered page by page. It is bound to what
 * the list depends on, like any cursor; and encrypted, since a server may write into it what the page ended with, and
 * that may be hidden.
 *
 * The key is made of the policy, so that all processes that serve it can open each other's cursors. Who has the policy
 * knows what it hides. The same cursor is sealed to the same text: hosts cache by bytes.
 *
 * @param target what the list depends on; instead of a digest of the list, which nobody holds, its kind
 * @param cursor the server's cursor
 * @returns a text of letters, digits, `-`, `_` and `.`
 */
export function sealCursor(target: CursorTarget, cursor: string): string {
  const key = keyOf(target);
  const bound = digestsOf(target).join('.');
  // JSON keeps half a surrogate pair apart from other ones.
  const text = JSON.stringify(cursor);
  const nonce = createHmac('sha256', key).update(`${bound}.${text}`).digest().subarray(0, LENGTHS.nonce);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `p.${bound}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/**
 * Opens a sealed cursor that a client sent back.
 *
 * @param cursor what was sent
 * @param expected what the list depends on now
 * @returns the server's cursor; or why there is none
 */
export function openCursor(cursor: string, expected: CursorTarget): OpenedCursor {
  const [, list, filter, sealed = ''] = SEALED.exec(cursor) ?? [];
  const digests = digestsOf(expected);
  if (list !== digests[0]) return { ok: false, reason: list === undefined ? 'malformed' : 'changed' };
  if (filter !== digests[1]) return { ok: false, reason: 'filter-changed' };
  const bytes = Buffer.from(sealed, 'base64url');
  // Base64 has bits that say nothing: there is one text for a cursor all the same.
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

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const LENGTHS = { nonce: 12, tag: 16 };

/**
 * Encrypts a text and binds it to another one. The same text always gives the same result: hosts cache by bytes.
 *
 * @param key 32 bytes
 * @param bound what the text belongs to. It is not part of the result.
 * @param text the text
 * @returns a string of letters, digits, `-` and `_`
 * @example
 * seal(key, 'tools', 'page-2');
 */
export function seal(key: Buffer, bound: string, text: string): string {
  const nonce = createHmac('sha256', key).update(`${bound}.${text}`).digest().subarray(0, LENGTHS.nonce);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Returns the text that was sealed; `undefined` if the key or what it is bound to differs, or if it was changed. */
export function unseal(key: Buffer, bound: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  // The last character of base64 has unused bits. Only one text is accepted for each seal.
  if (bytes.toString('base64url') !== sealed) return undefined;
  const nonce = bytes.subarray(0, LENGTHS.nonce);
  const tag = bytes.subarray(LENGTHS.nonce, LENGTHS.nonce + LENGTHS.tag);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: LENGTHS.tag });
    decipher.setAAD(Buffer.from(bound)).setAuthTag(tag);
    return (
      decipher.update(bytes.subarray(LENGTHS.nonce + LENGTHS.tag), undefined, 'utf8') + decipher.final('utf8')
    );
  } catch {
    return undefined;
  }
}

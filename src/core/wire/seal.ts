import { gcm } from '@noble/ciphers/aes.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromBase64url, toBase64url } from '../base64.js';

const LENGTHS = { nonce: 12, tag: 16 };
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

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
export function seal(key: Uint8Array, bound: string, text: string): string {
  const nonce = hmac(sha256, key, utf8ToBytes(`${bound}.${text}`)).subarray(0, LENGTHS.nonce);
  const encrypted = gcm(key, nonce, utf8ToBytes(bound)).encrypt(utf8ToBytes(text));
  const tagAt = encrypted.length - LENGTHS.tag;
  return toBase64url(concatBytes(nonce, encrypted.subarray(tagAt), encrypted.subarray(0, tagAt)));
}

/** Returns the text that was sealed; `undefined` if the key or what it is bound to differs, or if it was changed. */
export function unseal(key: Uint8Array, bound: string, sealed: string): string | undefined {
  try {
    const bytes = fromBase64url(sealed);
    // The last character of base64 has unused bits. Only one text is accepted for each seal.
    if (toBase64url(bytes) !== sealed) return undefined;
    const nonce = bytes.subarray(0, LENGTHS.nonce);
    const tag = bytes.subarray(LENGTHS.nonce, LENGTHS.nonce + LENGTHS.tag);
    const encrypted = concatBytes(bytes.subarray(LENGTHS.nonce + LENGTHS.tag), tag);
    return decoder.decode(gcm(key, nonce, utf8ToBytes(bound)).decrypt(encrypted));
  } catch {
    return undefined;
  }
}

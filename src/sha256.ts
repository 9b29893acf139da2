import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { toBase64url } from './base64.js';

/**
 * Computes the SHA-256 of a text. It is synchronous, which Web Crypto is not, and needs nothing of Node.js.
 *
 * @param text the text, whose UTF-8 is hashed
 * @example
 * sha256Of('a').slice(0, 8); // 'ca978112'
 */
export const sha256Of = (text: string, encoding: 'hex' | 'base64url' = 'hex'): string =>
  (encoding === 'hex' ? bytesToHex : toBase64url)(sha256(utf8ToBytes(text)));

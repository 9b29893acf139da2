import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { toBase64url } from './base64.js';

/** What is used of `node:crypto`. */
interface Native {
  createHash(name: 'sha256'): { update(text: string): { digest(encoding: 'hex' | 'base64url'): string } };
}

/** Native code, where there is some. At a cold start, the digest of a policy of 20 KB takes 0.3 ms with it, and 8 ms without. */
const native: Native | undefined = Reflect.get(globalThis, 'process')?.getBuiltinModule?.('node:crypto');

/**
 * Computes the SHA-256 of a text. It is synchronous, which Web Crypto is not, and needs nothing of Node.js.
 *
 * @param text the text, whose UTF-8 is hashed
 * @example
 * sha256Of('a').slice(0, 8); // 'ca978112'
 */
export function sha256Of(text: string, encoding: 'hex' | 'base64url' = 'hex'): string {
  if (native !== undefined) return native.createHash('sha256').update(text).digest(encoding);
  return (encoding === 'hex' ? bytesToHex : toBase64url)(sha256(utf8ToBytes(text)));
}

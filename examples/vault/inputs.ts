import * as z from 'zod';
import { LIMITS } from './limits.js';

/** Input fields of several tools. They are created once, because each request has a server of its own. */

export const text = z.string().max(LIMITS.textCharacters);

export const id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use 1 to 40 lower-case letters, digits and hyphens');

export const context = z
  .string()
  .max(256)
  .default('')
  .describe('Bound to the ciphertext: decryption needs the same context');

export const passphrase = z.string().min(12).max(128).describe('At least 12 characters; it is not stored');

export const encoded = z.string().max(LIMITS.encodedCharacters);

/** Returns the message about an argument that is not Base64. */
export const notBase64 = (what: string) =>
  `The ${what} is not Base64 with padding; encode it again, without line breaks or other characters.`;

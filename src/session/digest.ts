import { sha256Of } from '../sha256.js';

/** @returns the SHA-256 of several texts, which no other texts have */
export const digestOf = (texts: readonly string[], encoding: 'hex' | 'base64url'): string =>
  sha256Of(JSON.stringify(texts), encoding);

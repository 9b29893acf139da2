import { createHash } from 'node:crypto';

/** @returns the SHA-256 of several texts, which no other texts have */
export const digestOf = (texts: readonly string[], encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest(encoding);

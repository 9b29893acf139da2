import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Compares a text that a client sent with a secret, in a time that tells nothing about the secret. It is a file of its own because
 * pages of `serve --stdio` need it, before any module of an endpoint is loaded.
 *
 * @returns whether both are equal
 * @example
 * sameSecret(given, key);
 */
export const sameSecret = (given: string, secret: string): boolean =>
  // Digests have equal lengths, which timingSafeEqual requires.
  timingSafeEqual(digest(given), digest(secret));

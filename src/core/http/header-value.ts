import { fromBase64, toBase64 } from '../base64.js';

/** SEP-2243: a value that a header cannot contain is sent as Base64 of its UTF-8, between these markers. */
const BASE64 = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/**
 * Reads a header that repeats a value of the body, in the same way as SDK v2.
 *
 * @param header the value of the header
 * @returns the value that it repeats; `undefined` if there is no header, or it cannot be decoded
 * @example
 * decodeHeader('=?base64?w6k=?='); // 'é'
 */
export function decodeHeader(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, base64] = BASE64.exec(header) ?? [];
  if (base64 === undefined)
    return header.startsWith('=?base64?') && header.endsWith('?=') ? undefined : header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(base64));
  } catch {
    return undefined;
  }
}

/** @returns the value in a form that any header can contain */
export function encodeHeader(value: string): string {
  return `=?base64?${toBase64(new TextEncoder().encode(value))}?=`;
}

/** SEP-2243: what cannot stand in a header is sent as Base64 of its UTF-8, between these. */
const BASE64 = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/**
 * Reads a header that repeats a value of the body, exactly as SDK v2 does.
 *
 * @param header the header's value
 * @returns the value that it repeats; nothing if there is none, or it cannot be read
 * @example
 * decodeHeader('=?base64?w6k=?='); // 'é'
 */
export function decodeHeader(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, base64] = BASE64.exec(header) ?? [];
  if (base64 === undefined)
    return header.startsWith('=?base64?') && header.endsWith('?=') ? undefined : header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

/** @returns the value as it can stand in a header, whatever it is */
export function encodeHeader(value: string): string {
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

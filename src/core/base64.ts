/**
 * Writes bytes as Base64 (RFC 4648, section 4).
 *
 * @example
 * toBase64(new Uint8Array([195, 169])); // 'w6k='
 */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/**
 * Reads Base64 (RFC 4648, section 4).
 *
 * @throws {DOMException} if the text is not Base64
 * @example
 * fromBase64('w6k='); // the bytes 195 and 169
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  // Uint8Array.from takes 15 times as long.
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/**
 * Writes bytes as base64url (RFC 4648, section 5), without padding.
 *
 * @example
 * toBase64url(new Uint8Array([251])); // '-w'
 */
export const toBase64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/**
 * Reads base64url (RFC 4648, section 5), with or without padding.
 *
 * @throws {DOMException} if the text is not Base64
 * @example
 * fromBase64url('-w'); // the byte 251
 */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));

/** In characters of JSON. */
const LIMIT = 80;

/**
 * Quotes a value of a client in a message or a log line.
 *
 * @param value any value, also a text of megabytes: it is cut before it becomes JSON
 * @returns its JSON, at most 80 characters; its type if it has no JSON, such as a BigInt or an object that contains itself
 * @example
 * quoted('low'); // '"low"'
 */
export function quoted(value: unknown): string {
  try {
    const text = JSON.stringify(typeof value === 'string' ? value.slice(0, LIMIT) : value) ?? String(value);
    return text.length > LIMIT ? `${text.slice(0, LIMIT - 1)}…` : text;
  } catch {
    return `a value of type ${typeof value}`;
  }
}

const QUOTED_CHARACTERS = 80;

/**
 * Quotes a value that was sent for a concern, for a sentence about it. Values can have any size and depth, and
 * `JSON.stringify` throws on lists that are nested too deeply.
 *
 * @param value what a host, a person or a model sent
 * @returns at most 80 characters of a text in quotes; of lists and objects only what they are
 * @example
 * quoteValue('hihg'); // '"hihg"'
 */
export function quoteValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'A list' : 'An object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, QUOTED_CHARACTERS) : value);
  return String(text);
}

/** Longer lists of names would fill a message. */
const LISTED = 20;

/**
 * Writes the names that are allowed, for a message.
 *
 * @param names the names
 * @returns the names separated by commas; of a long list only the first, and how many there are more
 * @example
 * listNames(['low', 'high']); // 'low, high'
 */
export function listNames(names: readonly string[]): string {
  if (names.length <= LISTED) return names.join(', ');
  return `${names.slice(0, LISTED).join(', ')} and ${names.length - LISTED} more`;
}

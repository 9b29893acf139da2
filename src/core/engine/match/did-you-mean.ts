import { nearest } from './nearest.js';

/**
 * Writes the hint that every message about an unknown name ends with, so that all of them read alike.
 *
 * @param name the name that is not known
 * @param known the names that are
 * @returns ` Did you mean "high"?` with a leading space, or an empty string if no known name is similar enough
 * @example
 * `"hihg" is not a valid value for security.${didYouMean('hihg', ['low', 'high'])}`;
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

import leven from 'leven';

/**
 * Finds the known name that was probably meant. `didYouMean` writes the hint for a message.
 *
 * @param name a name that is not known
 * @param known the names that exist
 * @returns the known name with the smallest edit distance; `undefined` if the distance is over a third of the length
 * @example
 * nearest('hihg', ['low', 'medium', 'high']); // 'high'
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let distance = Number.POSITIVE_INFINITY;
  // A longer text is not a typing error, and the time grows with length times length.
  if (name.length > 128) return undefined;
  for (const candidate of known) {
    const length = Math.max(name.length, candidate.length);
    // Two swapped letters are two edits. In a name of three letters, that would be a different name.
    const allowed = length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
    const found = leven(name, candidate, { maxDistance: allowed + 1 });
    if (found < distance && found <= allowed) {
      best = candidate;
      distance = found;
    }
  }
  return best;
}

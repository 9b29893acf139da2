import leven from 'leven';

/**
 * @param name what somebody wrote
 * @param known the names that exist
 * @returns the known name that was probably meant, if one is within a third of its length
 * @example
 * nearest('hihg', ['low', 'medium', 'high']); // 'high'
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let distance = Number.POSITIVE_INFINITY;
  // Longer texts are no typing errors, and the distance costs length times length.
  if (name.length > 128) return undefined;
  for (const candidate of known) {
    const length = Math.max(name.length, candidate.length);
    // Two letters swapped are two edits; in a name of three letters that would be nearly another name.
    const allowed = length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
    const found = leven(name, candidate, { maxDistance: allowed + 1 });
    if (found < distance && found <= allowed) {
      best = candidate;
      distance = found;
    }
  }
  return best;
}

/** A part of a text, from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const FEWEST_DIGITS = 13;
const MOST_DIGITS = 19;

/**
 * Finds possible payment card numbers: 13 to 19 digits, possibly in groups, with a valid check digit.
 *
 * A card number may follow another number ("2 x 4111 1111 1111 1111"), so it can start at any group of digits. It has at
 * most 19 digits, so the time is proportional to the length of the text.
 */
export function findCards(text: string): Range[] {
  const cards: Range[] = [];
  for (const run of text.matchAll(/\d(?:[ -]?\d)*/g)) {
    const groups = Array.from(run[0].matchAll(/\d+/g), ({ 0: { length }, index }) => ({
      start: run.index + index,
      end: run.index + index + length,
    }));
    for (let first = 0; first < groups.length; first += 1) {
      const last = lastGroup(text, groups, first);
      if (last === undefined) continue;
      cards.push({ start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0 });
      first = last;
    }
  }
  return cards;
}

/** Returns the last group of the longest card number that starts with the group `first`. */
function lastGroup(text: string, groups: readonly Range[], first: number): number | undefined {
  let digits = '';
  let found: number | undefined;
  for (let index = first; index < groups.length; index += 1) {
    const group = groups[index];
    if (!group || digits.length + group.end - group.start > MOST_DIGITS) break;
    digits += text.slice(group.start, group.end);
    if (digits.length >= FEWEST_DIGITS && passesLuhn(digits)) found = index;
  }
  return found;
}

/** Checks the Luhn check digit of payment cards. Most other long numbers fail the check. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const weighted = index % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

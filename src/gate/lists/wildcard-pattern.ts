const STAR = 42; // *
const ANY = 63; // ?

/** Matches whole texts, given as Unicode code points. */
type TextMatcher = (text: readonly number[]) => boolean;

/**
 * Compiles a pattern of SEP-2564. `*` matches any number of characters, `?` matches exactly one, and any other
 * character matches itself. There is no escape. A character is a Unicode code point, so `?` matches a whole emoji. A
 * lone surrogate is a character too.
 *
 * The parts between stars are searched from left to right, each from where the one before it ended. A search is
 * bit-parallel (Baeza-Yates and Gonnet, 1992): it reads each character of the text once, so a match takes at most the
 * length of the text times the number of 32-bit words in the longest part, which is 8 for a pattern of 256 characters.
 *
 * @param pattern the pattern
 * @returns a function that returns whether a whole text matches
 * @example
 * compilePattern('log?*')(codePointsOf('logData')); // true
 */
export function compilePattern(pattern: string): TextMatcher {
  const { parts, gaps } = parse(codePointsOf(pattern));
  const [first = []] = parts;
  if (gaps.length === 0) return (text) => text.length === first.length && matchesAt(first, text, 0);

  const last = parts.at(-1) ?? [];
  const searches = parts.slice(1, -1).map(searchFor);
  const shortest = [...parts.map(({ length }) => length), ...gaps].reduce((sum, length) => sum + length, 0);
  return (text) => {
    const end = text.length - last.length;
    if (text.length < shortest || !matchesAt(first, text, 0) || !matchesAt(last, text, end)) return false;
    let at = first.length;
    for (const [index, search] of searches.entries()) {
      at = search(text, at + (gaps[index] ?? 0), end);
      if (at === -1) return false;
    }
    return at + (gaps.at(-1) ?? 0) <= end;
  };
}

/** Returns the code points of a text. */
export function codePointsOf(text: string): readonly number[] {
  const points: number[] = [];
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    points.push(point);
    at += point > 0xffff ? 2 : 1;
  }
  return points;
}

interface Pattern {
  /** The parts between stars. The first and the last one may be empty. They contain literal characters and `?`. */
  readonly parts: readonly (readonly number[])[];
  /** Between each two parts, the least number of characters: each `?` next to a star requires one. */
  readonly gaps: readonly number[];
}

function parse(pattern: readonly number[]): Pattern {
  const parts: number[][] = [];
  const gaps: number[] = [];
  let part: number[] = [];
  for (let at = 0; at < pattern.length; ) {
    let end = at;
    let stars = 0;
    for (; pattern[end] === STAR || pattern[end] === ANY; end++) if (pattern[end] === STAR) stars++;
    if (stars > 0) {
      parts.push(part);
      gaps.push(end - at - stars);
      part = [];
    } else {
      // Wildcards without a star, or one literal character.
      end = Math.max(end, at + 1);
      part.push(...pattern.slice(at, end));
    }
    at = end;
  }
  return { parts: [...parts, part], gaps };
}

function matchesAt(part: readonly number[], text: readonly number[], at: number): boolean {
  for (let index = 0; index < part.length; index++) {
    if (part[index] !== ANY && part[index] !== text[at + index]) return false;
  }
  return true;
}

/** Returns where the leftmost occurrence of a part between two positions ends; -1 if there is none. */
type Search = (text: readonly number[], from: number, to: number) => number;

const BITS = 32;

/** Bit `i` of the state means: the first `i + 1` characters of the part end here. */
function searchFor(part: readonly number[]): Search {
  const words = Math.ceil(part.length / BITS);
  const found = 1 << ((part.length - 1) % BITS);
  // Only texts that match up to this part need the masks.
  let masks: ((character: number) => Int32Array) | undefined;
  return (text, from, to) => {
    masks ??= masksOf(part, words);
    const state = new Int32Array(words);
    for (let at = from; at < to; at++) {
      const mask = masks(text[at] ?? 0);
      let carry = 1;
      for (let word = 0; word < words; word++) {
        const before = state[word] ?? 0;
        state[word] = ((before << 1) | carry) & (mask[word] ?? 0);
        carry = before >>> (BITS - 1);
      }
      if (((state[words - 1] ?? 0) & found) !== 0) return at + 1;
    }
    return -1;
  };
}

/** Returns the positions of the part at which a character fits, as bits. */
function masksOf(part: readonly number[], words: number): (character: number) => Int32Array {
  const other = new Int32Array(words);
  const masks = new Map<number, Int32Array>();
  part.forEach((character, index) => {
    if (character === ANY) setBit(other, index);
  });
  part.forEach((character, index) => {
    if (character === ANY) return;
    const mask = masks.get(character) ?? other.slice();
    setBit(mask, index);
    masks.set(character, mask);
  });
  return (character) => masks.get(character) ?? other;
}

function setBit(mask: Int32Array, index: number): void {
  const word = Math.floor(index / BITS);
  mask[word] = (mask[word] ?? 0) | (1 << (index % BITS));
}

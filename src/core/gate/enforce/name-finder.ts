import { getOrMake } from '../../once.js';

/** A name in a text: the half-open range of its UTF-16 code units. */
export interface FoundName {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Finds names in a text, by their end. */
export type Finder = Pick<NameFinder, 'find'>;

/** Returns a finder of what two of them find. */
export const findersAsOne = (one: Finder, other: Finder): Finder => ({
  find: (text) => [...one.find(text), ...other.find(text)].sort((a, b) => a.end - b.end),
});

/** What was read of a text: the longest beginning of a name that ends here. */
interface State {
  readonly next: Map<string, State>;
  /** The state of its longest proper suffix. Only the first state has none. */
  suffix: State | undefined;
  /** The longest name that ends here. */
  found: { readonly name: string; readonly length: number } | undefined;
}

const newState = (): State => ({ next: new Map(), suffix: undefined, found: undefined });

/**
 * Finds names in texts, in a time that depends on the text alone and not on the number of names: an automaton (Aho and
 * Corasick, 1975) whose letters are whole words and the single characters between them. A name inside a longer word is
 * another name. A name that starts or ends with a character that is not part of a word is also found next to a word.
 *
 * A name and a text match if they are equal as written or in Unicode normalization form C.
 *
 * @example
 * new NameFinder(['logData']).find('Tool logData failed'); // [{ name: 'logData', start: 5, end: 12 }]
 */
export class NameFinder {
  private readonly first = newState();

  /** @param names the names to find; empty names are ignored */
  constructor(names: Iterable<string>) {
    for (const written of names) {
      const name = written.normalize('NFC');
      for (const form of new Set([written, name])) if (form !== '') this.add(form, name);
    }
    // A state's suffixes are shorter than the state, so they are complete before it.
    const states = [this.first];
    for (const state of states) {
      for (const [letter, next] of state.next) {
        next.suffix = state.suffix === undefined ? this.first : this.step(state.suffix, letter);
        next.found ??= next.suffix.found;
        states.push(next);
      }
    }
  }

  /**
   * Finds the longest name that ends at each position.
   *
   * @param text any text
   * @returns the names by their end; together they cover every occurrence of every name. Names are in normalization
   *   form C.
   */
  find(text: string): readonly FoundName[] {
    const found: FoundName[] = [];
    if (this.first.next.size === 0) return found;
    let state = this.first;
    let end = 0;
    for (const letter of lettersOf(text)) {
      end += letter.length;
      state = this.step(state, letter);
      if (state.found === undefined) continue;
      const { name, length } = state.found;
      found.push({ name, start: end - length, end });
    }
    return found;
  }

  private add(form: string, name: string): void {
    let state = this.first;
    for (const letter of lettersOf(form)) {
      state = getOrMake(state.next, letter, newState);
    }
    state.found = { name, length: form.length };
  }

  private step(from: State, letter: string): State {
    for (let state: State | undefined = from; state !== undefined; state = state.suffix) {
      const next = state.next.get(letter);
      if (next !== undefined) return next;
    }
    return this.first;
  }
}

const LETTER = /[\p{L}\p{N}]+|./gsu;

/** Returns the words of a text, and the single characters between them. */
const lettersOf = (text: string): readonly string[] => text.match(LETTER) ?? [];

/** A half-open range of a text. */
export type Span = Pick<FoundName, 'start' | 'end'>;

/** Returns the parts that lie in none of the spans. Both are in the order of their ends. */
export function outside(parts: readonly FoundName[], spans: readonly Span[]): readonly FoundName[] {
  const left = [...spans];
  let first = Number.POSITIVE_INFINITY;
  const found = parts.toReversed().filter(({ start, end }) => {
    for (let last = left.at(-1); last !== undefined && last.end >= end; last = left.at(-1)) {
      first = Math.min(first, last.start);
      left.pop();
    }
    return start < first;
  });
  return found.reverse();
}

/** The text in place of a hidden name. */
export const HIDDEN = '[hidden]';

/**
 * Replaces parts of a text. Parts that overlap become one.
 *
 * @param text the text
 * @param parts the parts to replace, by their end
 * @param by the text in place of each part
 * @returns the text with the replacements
 */
export function replaceParts(text: string, parts: readonly FoundName[], by: string): string {
  const merged: { readonly start: number; readonly end: number }[] = [];
  for (const { start, end } of parts) {
    let from = start;
    for (let last = merged.at(-1); last !== undefined && last.end > start; last = merged.at(-1)) {
      from = Math.min(from, last.start);
      merged.pop();
    }
    merged.push({ start: from, end });
  }
  let replaced = '';
  let at = 0;
  for (const { start, end } of merged) {
    replaced += text.slice(at, start) + by;
    at = end;
  }
  return replaced + text.slice(at);
}

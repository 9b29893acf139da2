/** A name in a text: the half-open range of its UTF-16 code units. */
export interface FoundName {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

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
  private readonly letters = new Letters();
  /** The next state of a state and a letter, see `edgeKey`. */
  private readonly edges = new Map<number, number>();
  /** For each state, the state of its longest proper suffix. */
  private readonly failures: number[] = [0];
  /** For each state, the longest name that ends there. */
  private readonly names: (FoundForm | undefined)[] = [undefined];

  /** @param names the names to find; empty names are ignored */
  constructor(names: Iterable<string>) {
    const depths = [0];
    const edges: Edge[] = [];
    for (const written of names) {
      const name = written.normalize('NFC');
      for (const form of new Set([written, name])) {
        if (form !== '') this.add(form, name, depths, edges);
      }
    }
    // A state's suffixes are shorter than the state, so they are complete before it.
    edges.sort((one, other) => one.depth - other.depth);
    for (const { from, letter, to } of edges) {
      const failure = from === 0 ? 0 : this.step(this.failures[from] ?? 0, letter);
      this.failures[to] = failure;
      this.names[to] ??= this.names[failure];
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
    if (this.letters.size === 0) return NOTHING;
    let found: FoundName[] | undefined;
    let state = 0;
    for (const tokens = new Tokens(text); tokens.next(); ) {
      const letter = this.letters.find(tokens);
      if (letter === undefined) {
        state = 0;
        continue;
      }
      state = this.step(state, letter);
      const match = this.names[state];
      if (match === undefined) continue;
      const { end } = tokens;
      found ??= [];
      found.push({ name: match.name, start: end - match.length, end });
    }
    return found ?? NOTHING;
  }

  private add(form: string, name: string, depths: number[], edges: Edge[]): void {
    let state = 0;
    for (const tokens = new Tokens(form); tokens.next(); ) {
      const letter = this.letters.find(tokens) ?? this.letters.add(tokens);
      let next = this.edges.get(edgeKey(state, letter));
      if (next === undefined) {
        const depth = (depths[state] ?? 0) + 1;
        next = depths.push(depth) - 1;
        this.failures.push(0);
        this.names.push(undefined);
        this.edges.set(edgeKey(state, letter), next);
        edges.push({ from: state, letter, to: next, depth });
      }
      state = next;
    }
    this.names[state] = { name, length: form.length };
  }

  private step(state: number, letter: number): number {
    for (let from = state; ; from = this.failures[from] ?? 0) {
      const next = this.edges.get(edgeKey(from, letter));
      if (next !== undefined) return next;
      if (from === 0) return 0;
    }
  }
}

/** The numbers of the words and single characters that occur in names. */
class Letters {
  size = 0;
  /** By hash, so that a text is searched without a string for each of its words. */
  private readonly byHash = new Map<number, { readonly token: string; readonly letter: number }[]>();

  find({ text, start, end, hash }: Tokens): number | undefined {
    const equal = this.byHash.get(hash);
    if (equal === undefined) return undefined;
    for (const { token, letter } of equal) {
      if (token.length === end - start && text.startsWith(token, start)) return letter;
    }
    return undefined;
  }

  add({ text, start, end, hash }: Tokens): number {
    const letter = this.size++;
    const added = { token: text.slice(start, end), letter };
    const equal = this.byHash.get(hash);
    if (equal === undefined) this.byHash.set(hash, [added]);
    else equal.push(added);
    return letter;
  }
}

/** Reads the words of a text, and the single characters between them, one after the other. */
class Tokens {
  start = 0;
  end = 0;
  hash = 0;

  constructor(readonly text: string) {}

  next(): boolean {
    const { text } = this;
    const start = this.end;
    if (start >= text.length) return false;
    let width: number = wordWidth(text, start);
    let end = start + (width > 0 ? width : (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
    let hash = text.charCodeAt(start);
    while (width > 0 && end < text.length) {
      width = wordWidth(text, end);
      // FNV-1a. The second half of a surrogate pair does not count: equal hashes are compared.
      if (width > 0) hash = Math.imul(hash ^ text.charCodeAt(end), 0x01000193) & 0x3fffffff;
      end += width;
    }
    this.start = start;
    this.end = end;
    this.hash = hash;
    return true;
  }
}

interface FoundForm {
  readonly name: string;
  /** Of the form that was added, in UTF-16 code units. */
  readonly length: number;
}

interface Edge {
  readonly from: number;
  readonly letter: number;
  readonly to: number;
  readonly depth: number;
}

const NOTHING: readonly FoundName[] = [];

/** More than the number of words of all names, and small enough that a key is a safe integer. */
const MAX_LETTERS = 2 ** 26;

const edgeKey = (state: number, letter: number): number => state * MAX_LETTERS + letter;

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

const WORD = /[\p{L}\p{N}]/u;
const IS_WORD = 1;
const IS_OTHER = 2;
/** By UTF-16 code unit: 0 until the first text contains it. */
const kinds = new Uint8Array(0x10000);

/** Returns how many UTF-16 code units a letter or digit takes; 0 if the character is neither. */
function wordWidth(text: string, at: number): 0 | 1 | 2 {
  const unit = text.charCodeAt(at);
  const kind = kinds[unit];
  if (kind === IS_WORD) return 1;
  if (kind === IS_OTHER) return 0;
  if (unit >= 0xd800 && unit < 0xdc00) {
    // A surrogate pair is one character, so its first unit alone has no kind.
    const character = text.codePointAt(at) ?? 0;
    return character > 0xffff && WORD.test(String.fromCodePoint(character)) ? 2 : 0;
  }
  kinds[unit] = WORD.test(String.fromCharCode(unit)) ? IS_WORD : IS_OTHER;
  return kinds[unit] === IS_WORD ? 1 : 0;
}

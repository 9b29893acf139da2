import { Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';

/** An entry with its value, and the offset of the comment at the end of its line. */
export interface ReadEntry {
  readonly pair: Pair;
  readonly comment?: number | undefined;
}

/** Deeper entries could exceed the limit of the nesting, which this reader does not count. */
const INDENT = / {1,32}(?=["A-Za-z])/y;
/** A colon within a plain key must be followed by a character of the key. */
const KEY = /(?:"([ !#-[\]-~]{0,255})"|([A-Za-z](?:[\w./-]|:(?=[\w/])){0,255})):(?= |\r?\n)/y;
const SCALAR = /"([ !#-[\]-~]*)"|([A-Za-z][\w.-]*)|(0|[1-9]\d{0,8})/y;
const SPACES = / */y;
const COMMA = / *, */y;
const LINE_END = / *\r?\n/y;
const COMMENTED_LINE_END = / +(#[^\r\n]*)\r?\n/y;
const COMMENT_LINE = /( *)#[^\r\n]*\r?\n/y;

/** Plain texts that YAML 1.2 reads as another type. */
const NOT_TEXT = /^(?:null|Null|NULL|true|True|TRUE|false|False|FALSE)$/;

/** Reads the simplest form of YAML, which needs no knowledge of the lines before. Each method moves behind what it reads. */
export class EntryReader {
  /** The offset of the next character. */
  offset = 0;

  constructor(private readonly text: string) {}

  /** @returns the number of spaces before a key, which stay unread; 0 if the line does not begin with spaces and a key */
  indent(): number {
    INDENT.lastIndex = this.offset;
    return INDENT.exec(this.text)?.[0].length ?? 0;
  }

  /** Continues at the line below a line, or at the end of the text. */
  skipLine(start: number): void {
    const end = this.text.indexOf('\n', start);
    this.offset = end === -1 ? this.text.length : end + 1;
  }

  blankLine(): boolean {
    return this.read(LINE_END) !== null;
  }

  /** @returns the offset of the comment, if the line has this indentation and only a comment */
  commentLine(indent: number): number | undefined {
    const start = this.offset;
    const match = this.read(COMMENT_LINE);
    if (match === null) return undefined;
    if (match[1]?.length === indent) return start + indent;
    this.offset = start;
    return undefined;
  }

  /**
   * Reads an entry that begins on this line: a key with a value, or with a block of keys and values below.
   *
   * @param indent the number of spaces before its key
   * @returns the entry; `undefined` if it is not as simple as that
   */
  entry(indent: number): ReadEntry | undefined {
    this.offset += indent;
    const key = this.key();
    if (key === undefined) return undefined;
    if (this.read(LINE_END) !== null) {
      const inner = this.indent();
      const block = inner > indent ? this.block(inner) : undefined;
      return block && { pair: new Pair(key, block) };
    }
    this.read(SPACES);
    const value = this.value();
    if (value === undefined) return undefined;
    const commented = this.read(COMMENTED_LINE_END);
    if (commented !== null) return { pair: new Pair(key, value), comment: this.startOf(commented) };
    return this.read(LINE_END) === null ? undefined : { pair: new Pair(key, value) };
  }

  /** Reads lines of keys and values without mappings, all with the same indentation. */
  private block(indent: number): YAMLMap | undefined {
    const map = new YAMLMap();
    const start = this.offset + indent;
    while (this.indent() === indent) {
      this.offset += indent;
      const key = this.key();
      this.read(SPACES);
      const value = key && this.simpleValue();
      if (value === undefined || this.read(LINE_END) === null) return undefined;
      map.items.push(new Pair(key, value));
    }
    return this.placed(map, start);
  }

  private value(): Scalar | YAMLMap | YAMLSeq | undefined {
    return this.text[this.offset] === '{' ? this.flowMap() : this.simpleValue();
  }

  private simpleValue(): Scalar | YAMLSeq | undefined {
    return this.text[this.offset] === '[' ? this.flowSeq() : this.scalar();
  }

  private flowMap(): YAMLMap | undefined {
    const map = new YAMLMap();
    map.flow = true;
    return this.flow(map, '}', () => {
      const key = this.key();
      this.read(SPACES);
      const value = key && this.simpleValue();
      if (value !== undefined) map.items.push(new Pair(key, value));
      return value !== undefined;
    });
  }

  private flowSeq(): YAMLSeq | undefined {
    const seq = new YAMLSeq();
    seq.flow = true;
    return this.flow(seq, ']', () => {
      const value = this.scalar();
      if (value !== undefined) seq.items.push(value);
      return value !== undefined;
    });
  }

  /** Reads a collection in brackets on one line. */
  private flow<T extends YAMLMap | YAMLSeq>(
    collection: T,
    close: string,
    readItem: () => boolean,
  ): T | undefined {
    const start = this.offset++;
    this.read(SPACES);
    if (this.text[this.offset] !== close) {
      do {
        if (!readItem()) return undefined;
      } while (this.read(COMMA) !== null);
      this.read(SPACES);
      if (this.text[this.offset] !== close) return undefined;
    }
    this.offset++;
    return this.placed(collection, start);
  }

  private key(): Scalar | undefined {
    const start = this.offset;
    const [, quoted, plain] = this.read(KEY) ?? [];
    const key = textOf(quoted, plain);
    return key === undefined ? undefined : placed(new Scalar(key), start, this.offset - 1);
  }

  private scalar(): Scalar | undefined {
    const start = this.offset;
    const [, quoted, plain, digits] = this.read(SCALAR) ?? [];
    const value = digits === undefined ? textOf(quoted, plain) : Number(digits);
    return value === undefined ? undefined : this.placed(new Scalar(value), start);
  }

  private read(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.text);
    if (match !== null) this.offset = pattern.lastIndex;
    return match;
  }

  private startOf(match: RegExpExecArray): number {
    return this.text.indexOf('#', match.index);
  }

  private placed<T extends Scalar | YAMLMap | YAMLSeq>(node: T, from: number): T {
    return placed(node, from, this.offset);
  }
}

const textOf = (quoted: string | undefined, plain: string | undefined): string | undefined =>
  quoted ?? (plain === undefined || NOT_TEXT.test(plain) ? undefined : plain);

function placed<T extends Scalar | YAMLMap | YAMLSeq>(node: T, from: number, to: number): T {
  node.range = [from, to, to];
  return node;
}

import type { YamlEntry, YamlMap, YamlScalar, YamlSeq } from './yaml-tree.js';

/** An entry with its value, and the offset of the comment at the end of its line. */
export interface ReadEntry {
  readonly entry: YamlEntry;
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
      return block && { entry: entryOf(key, block) };
    }
    this.read(SPACES);
    const value = this.value();
    if (value === undefined) return undefined;
    const commented = this.read(COMMENTED_LINE_END);
    if (commented !== null) return { entry: entryOf(key, value), comment: this.startOf(commented) };
    return this.read(LINE_END) === null ? undefined : { entry: entryOf(key, value) };
  }

  /** Reads lines of keys and values without mappings, all with the same indentation. */
  private block(indent: number): YamlMap | undefined {
    const entries: YamlEntry[] = [];
    const from = this.offset + indent;
    while (this.indent() === indent) {
      this.offset += indent;
      const key = this.key();
      this.read(SPACES);
      const value = key && this.simpleValue();
      if (key === undefined || value === undefined || this.read(LINE_END) === null) return undefined;
      entries.push(entryOf(key, value));
    }
    return { kind: 'map', from, to: this.offset, flow: false, entries };
  }

  private value(): YamlScalar | YamlMap | YamlSeq | undefined {
    return this.text[this.offset] === '{' ? this.flowMap() : this.simpleValue();
  }

  private simpleValue(): YamlScalar | YamlSeq | undefined {
    return this.text[this.offset] === '[' ? this.flowSeq() : this.scalar();
  }

  private flowMap(): YamlMap | undefined {
    const from = this.offset;
    const entries = this.flow('}', () => {
      const key = this.key();
      this.read(SPACES);
      const value = key && this.simpleValue();
      return key && value && entryOf(key, value);
    });
    return entries && { kind: 'map', from, to: this.offset, flow: true, entries };
  }

  private flowSeq(): YamlSeq | undefined {
    const from = this.offset;
    const items = this.flow(']', () => this.scalar());
    return items && { kind: 'seq', from, to: this.offset, flow: true, items };
  }

  /** Reads a collection in brackets on one line. */
  private flow<T>(close: string, readItem: () => T | undefined): T[] | undefined {
    const items: T[] = [];
    this.offset++;
    this.read(SPACES);
    if (this.text[this.offset] !== close) {
      do {
        const item = readItem();
        if (item === undefined) return undefined;
        items.push(item);
      } while (this.read(COMMA) !== null);
      this.read(SPACES);
      if (this.text[this.offset] !== close) return undefined;
    }
    this.offset++;
    return items;
  }

  private key(): YamlScalar | undefined {
    const from = this.offset;
    const [, quoted, plain] = this.read(KEY) ?? [];
    const value = textOf(quoted, plain);
    return value === undefined ? undefined : { kind: 'scalar', from, to: this.offset - 1, value };
  }

  private scalar(): YamlScalar | undefined {
    const from = this.offset;
    const [, quoted, plain, digits] = this.read(SCALAR) ?? [];
    const value = digits === undefined ? textOf(quoted, plain) : Number(digits);
    return value === undefined ? undefined : { kind: 'scalar', from, to: this.offset, value };
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
}

const textOf = (quoted: string | undefined, plain: string | undefined): string | undefined =>
  quoted ?? (plain === undefined || NOT_TEXT.test(plain) ? undefined : plain);

const entryOf = (key: YamlScalar, value: YamlEntry['value']): YamlEntry => ({
  name: String(key.value),
  key,
  value,
});

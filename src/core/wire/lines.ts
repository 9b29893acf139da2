import { parseExact, TooDeepError } from '../exact-json.js';
import { type Message, membersOf, readMessage } from './messages.js';

const LINE_CHARACTERS = 300;
/** Lines that are not messages and are reported. A child can write millions. */
const MAX_REPORTED = 200;
const NEWLINE = 0x0a;
const OPENING_BRACE = 0x7b;

/** Receives what the other side of a pipe writes. */
export interface LinePorts {
  readonly message: (message: Message) => void;
  /**
   * A line that is not a message, or longer or deeper than a message may be; `id`: of the message that it would have been. One that is too
   * long is told at once, because it may never end, and again if its id follows later.
   */
  readonly unreadable: (line: string, why: Unreadable, id: unknown) => void;
}

/** Why a line is not read. */
export type Unreadable = 'not-a-message' | 'too-long' | 'too-deep';

/**
 * Splits what arrives on a pipe into messages. A line that does not begin with a brace is not parsed, and of a line that is too
 * long only its id is kept, so that a child which writes its log to stdout costs almost nothing.
 *
 * @example
 * const lines = new Lines(MAX_MESSAGE, { message: console.log, unreadable: console.error });
 * child.stdout.on('data', (chunk) => lines.push(chunk));
 */
export class Lines {
  private parts: Uint8Array[] = [];
  private length = 0;
  /** Finds the id of a line that is too long. */
  private dropped: IdScan | undefined;
  /** Whether the id of the line that is too long was told. */
  private isIdTold = false;
  private reported = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly ports: LinePorts,
  ) {}

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline === -1 ? chunk.length : newline;
      this.append(chunk.subarray(from, to));
      if (newline !== -1) this.endLine();
      from = to + 1;
    }
  }

  /** The last line needs no end. */
  end(): void {
    if (this.length > 0) this.endLine();
  }

  private append(part: Uint8Array): void {
    if (part.length === 0) return;
    if (this.dropped !== undefined) return this.dropped.push(part);
    this.parts.push(part);
    this.length += part.length;
    if (this.length <= this.maxBytes) return;
    this.dropped = new IdScan();
    for (const each of this.parts) this.dropped.push(each);
    // A copy: a part of the line would keep all of it in memory.
    this.parts = [Buffer.from(Buffer.concat(this.parts).subarray(0, 4 * LINE_CHARACTERS))];
    const { id } = this.dropped;
    this.isIdTold = id !== undefined;
    this.report(this.parts[0] ?? part, 'too-long', id);
  }

  private endLine(): void {
    const [first] = this.parts;
    const line = this.parts.length === 1 && first !== undefined ? first : Buffer.concat(this.parts);
    const { dropped, isIdTold } = this;
    this.parts = [];
    this.length = 0;
    this.dropped = undefined;
    if (dropped !== undefined) {
      if (!isIdTold && dropped.id !== undefined) this.report(line, 'too-long', dropped.id);
      return;
    }
    const begin = line.findIndex((byte) => byte > 0x20);
    if (line[begin] !== OPENING_BRACE) return this.report(line, 'not-a-message', undefined);
    let value: unknown;
    try {
      value = parseExact(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString());
    } catch (cause) {
      if (cause instanceof TooDeepError) return this.report(line, 'too-deep', membersOf(cause.value).id);
      return this.report(line, 'not-a-message', undefined);
    }
    const read = readMessage(value);
    if ('message' in read) this.ports.message(read.message);
    else this.report(line, 'not-a-message', read.id);
  }

  private report(line: Uint8Array, why: Unreadable, id: unknown): void {
    const text = Buffer.from(line)
      .subarray(0, 4 * LINE_CHARACTERS)
      .toString()
      .slice(0, LINE_CHARACTERS)
      .trim();
    if (text === '' || (id === undefined && this.reported++ >= MAX_REPORTED)) return;
    this.ports.unreadable(text, why, id);
  }
}

/** Finds the id of a message whose text is not kept: the member `id` of the outermost object. */
class IdScan {
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** The text of the current string or value of the outermost object, if it is short. */
  private text = '';
  private key = '';
  private found = '';

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.inString) {
        if (this.depth === 1 && this.text.length < 200) this.text += String.fromCharCode(byte);
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === 0x5c) this.isEscaped = true;
        else if (byte === 0x22) this.inString = false;
      } else if (byte === 0x22) {
        this.inString = true;
        if (this.depth === 1) this.text = '"';
      } else if (byte === 0x7b || byte === 0x5b) this.depth++;
      else if (byte === 0x7d || byte === 0x5d) {
        if (this.depth === 1) this.endMember();
        this.depth--;
      } else if (this.depth === 1) {
        if (byte === 0x3a) {
          this.key = this.text;
          this.text = '';
        } else if (byte === 0x2c) this.endMember();
        else if (byte > 0x20 && this.text.length < 200) this.text += String.fromCharCode(byte);
      }
    }
  }

  /** The id, with the bytes of its text as they came; `undefined` if there is none. */
  get id(): unknown {
    try {
      return JSON.parse(Buffer.from(this.found, 'latin1').toString());
    } catch {
      return undefined;
    }
  }

  private endMember(): void {
    if (this.key === '"id"') this.found = this.text;
    this.key = '';
    this.text = '';
  }
}

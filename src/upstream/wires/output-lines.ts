import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { parseJson } from '../../http/request-body.js';
import { type Message, read, shapeOf, toSdk } from '../../wire/messages.js';

/** The longest message, in bytes, as in the SDK. */
const MAX_MESSAGE = 10 * 1024 * 1024;
const LINE_CHARACTERS = 300;
/** Lines that are not messages and are reported. A child can write millions. */
const MAX_REPORTED = 200;
const NEWLINE = 0x0a;
const OPENING_BRACE = 0x7b;

/** Receives what a child process writes to stdout. */
interface OutputPorts {
  readonly message: (message: JSONRPCMessage) => void;
  /** `endless`: the line is longer than the longest message. */
  readonly unreadable: (line: string, endless: boolean) => void;
}

/**
 * Splits the output of a child process into messages. A line that does not begin with a brace is not parsed, and a line
 * that is too long is not kept, so that a child which writes its log to stdout costs almost nothing.
 *
 * @example
 * const lines = new OutputLines({ message: console.log, unreadable: console.error });
 * child.stdout.on('data', (chunk) => lines.push(chunk));
 */
export class OutputLines {
  private parts: Uint8Array[] = [];
  private length = 0;
  /** Whether the rest of the current line is dropped. */
  private isDropping = false;
  private reported = 0;

  constructor(private readonly ports: OutputPorts) {}

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline === -1 ? chunk.length : newline;
      this.append(chunk.subarray(from, to));
      if (newline !== -1) this.endLine();
      from = to + 1;
    }
  }

  private append(part: Uint8Array): void {
    if (this.isDropping || part.length === 0) return;
    this.parts.push(part);
    this.length += part.length;
    if (this.length <= MAX_MESSAGE) return;
    this.report(Buffer.concat(this.parts).subarray(0, 4 * LINE_CHARACTERS), true);
    this.isDropping = true;
    this.parts = [];
    this.length = 0;
  }

  private endLine(): void {
    const [first] = this.parts;
    const line = this.parts.length === 1 && first !== undefined ? first : Buffer.concat(this.parts);
    const isWhole = !this.isDropping;
    this.parts = [];
    this.length = 0;
    this.isDropping = false;
    if (!isWhole) return;
    const message = messageIn(line);
    if (message !== undefined) this.ports.message(message);
    else this.report(line.subarray(0, 4 * LINE_CHARACTERS), false);
  }

  private report(line: Uint8Array, endless: boolean): void {
    if (this.reported >= MAX_REPORTED) return;
    const text = Buffer.from(line).toString().slice(0, LINE_CHARACTERS).trim();
    if (text === '') return;
    this.reported++;
    this.ports.unreadable(text, endless);
  }
}

function messageIn(line: Uint8Array): JSONRPCMessage | undefined {
  const first = line.findIndex((byte) => byte !== 0x20 && byte !== 0x09);
  if (line[first] !== OPENING_BRACE) return undefined;
  const data = parseJson(Buffer.from(line).toString());
  // Its shape is enough, as for messages over HTTP. To load the schemas of the SDK takes longer than to load the gate.
  return read(data, 'jsonrpc') === '2.0' && shapeOf(data) !== undefined ? toSdk(data as Message) : undefined;
}

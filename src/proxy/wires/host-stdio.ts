import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { MAX_DEPTH } from '../../core/exact-json.js';
import { once } from '../../core/once.js';
import { Lines, type Unreadable } from '../../core/wire/lines.js';
import { ERRORS, failure, toSdk } from '../../core/wire/messages.js';
import { MAX_MESSAGE } from './watch-body.js';

const REFUSED: Record<Unreadable, string> = {
  'too-long': 'The message is longer than 64 MiB. Send less at once.',
  'too-deep': `The message is deeper than ${MAX_DEPTH} levels. Send flatter values.`,
  'not-a-message':
    'The message is not a request of JSON-RPC 2.0. Check "jsonrpc", "id", "method" and "params".',
};

/** The transport to a host over stdio. What cannot be read is answered, if it has an id. */
export class HostTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly lines = new Lines(MAX_MESSAGE, {
    message: (message) => this.onmessage?.(toSdk(message)),
    unreadable: (_line, why, id) => {
      const text = REFUSED[why];
      const isAnswerable = typeof id === 'string' || typeof id === 'number';
      if (isAnswerable) void this.send(toSdk(failure(id, ERRORS.invalidRequest, text)));
    },
  });
  private readonly receive = (chunk: Buffer): void => this.lines.push(chunk);
  private readonly end = (): void => this.lines.end();

  constructor(
    private readonly input: Readable = process.stdin,
    private readonly output: Writable = process.stdout,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', this.receive).on('end', this.end);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const isFull = !this.output.write(`${JSON.stringify(message)}\n`);
    return isFull ? new Promise((resolve) => this.output.once('drain', resolve)) : Promise.resolve();
  }

  close: () => Promise<void> = once(async () => {
    this.input.off('data', this.receive).off('end', this.end).pause();
    this.onclose?.();
  });
}

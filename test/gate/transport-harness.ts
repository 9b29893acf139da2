import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { GateOptions } from '../../src/core/gate/edge/concerns-options.js';
import { type GatedTransport, gatedTransport } from '../../src/core/gate/edge/gated-transport.js';

/** A transport that keeps what is sent, and receives what the test says. */
export class FakeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly sent: JSONRPCMessage[] = [];
  readonly sentWith: (TransportSendOptions | undefined)[] = [];
  readonly called: string[] = [];
  sessionId?: string;

  async start(): Promise<void> {
    this.called.push('start');
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.sent.push(message);
    this.sentWith.push(options);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.called.push('close');
  }
}

/** What a server got: a message, and what the transport told about it. */
export interface Got {
  readonly message: JSONRPCMessage;
  readonly extra: MessageExtraInfo | undefined;
}

/** A transport with the gate in it, between a client and a server that the test plays. */
export class GatedPair<T extends FakeTransport = FakeTransport> {
  readonly got: Got[] = [];
  readonly gated: GatedTransport;

  constructor(
    options: GateOptions,
    readonly inner: T,
  ) {
    this.gated = gatedTransport(inner, options);
    this.gated.onmessage = (message, extra) => void this.got.push({ message, extra });
    void this.gated.start();
  }

  /** Sends a message of the client. Its shape is up to the test. */
  client(body: object, extra?: object): void {
    this.inner.onmessage?.(messageOf(body), extra as MessageExtraInfo | undefined);
  }

  /** Sends a message of the server. */
  server(body: object, options?: TransportSendOptions): Promise<void> {
    return this.gated.send(messageOf(body), options);
  }

  get messages(): JSONRPCMessage[] {
    return this.got.map(({ message }) => message);
  }
}

export const messageOf = (body: object) => ({ jsonrpc: '2.0', ...body }) as JSONRPCMessage;

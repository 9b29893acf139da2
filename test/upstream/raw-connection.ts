import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { bridge } from '../../src/proxy/isolation.js';
import type { UpstreamOptions } from '../../src/proxy/options.js';

/** A client with a connection of its own to a server behind the endpoint, as raw messages. */
export class RawConnection {
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly server: ReturnType<ReturnType<typeof bridge>['connection']>;
  private readonly transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: JSONRPCMessage) => {
      this.answered.get('id' in message ? message.id : undefined)?.();
      this.onmessage?.(message);
    },
  };
  private readonly answered = new Map<unknown, () => void>();

  constructor(open: () => Transport, options: UpstreamOptions = {}) {
    this.server = bridge(open, 'per-session', options).connection();
  }

  /** Sends a message. Resolves with the answer to `initialize`; at once for others. */
  async send(message: JSONRPCMessage): Promise<void> {
    const { server } = this;
    if (this.transport.onmessage === undefined) await server.connect(this.transport);
    const isFirst = 'method' in message && message.method === 'initialize' && 'id' in message;
    const initialized = isFirst
      ? new Promise<void>((done) => this.answered.set(message.id, done))
      : undefined;
    this.transport.onmessage?.(message);
    await initialized;
    // Whoever sends next expects that this message has left.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async pause(): Promise<void> {
    this.server.behind.readers.source.pause(true);
  }

  async resume(): Promise<void> {
    this.server.behind.readers.source.pause(false);
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

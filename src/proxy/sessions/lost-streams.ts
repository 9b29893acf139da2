import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { RequestId } from '../../core/wire/messages.js';
import type { WatchedRequests } from '../open-requests.js';

/** What is kept of each session for a host that lost its connection. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface Event {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly length: number;
}

/**
 * The latest messages to one host, for a host that lost its connection and continues the stream with `Last-Event-ID`
 * (2025-11-25, basic/transports, "Resumability and Redelivery"). The oldest are forgotten first.
 */
export class LatestEvents implements EventStore {
  private readonly events = new Map<string, Event>();
  /** Another process may continue the session: its events are others. */
  private readonly own = crypto.randomUUID().slice(0, 8);
  private last = 0;
  private characters = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${this.own}-${++this.last}`;
    const length = JSON.stringify(message).length;
    this.events.set(id, { stream, message, length });
    this.characters += length;
    for (const [oldest, event] of this.events) {
      if (this.characters <= MAX_CHARACTERS || oldest === id) break;
      this.events.delete(oldest);
      this.characters -= event.length;
    }
    return id;
  }

  has(id: string): boolean {
    return this.events.has(id);
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.events.get(id)?.stream;
  }

  async replayEventsAfter(
    after: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.events.get(after)?.stream;
    if (stream === undefined) throw new Error('The event is not known any more.');
    let isLater = false;
    for (const [id, event] of this.events) {
      if (id === after) isLater = true;
      if (id === after || !isLater || event.stream !== stream) continue;
      // A priming event has no message.
      if ('jsonrpc' in event.message) await send(id, event.message);
    }
    return stream;
  }
}

/** How long a call runs on whose host has lost its stream and does not come back. */
const GONE_MS = 5 * 60_000;

/**
 * Calls whose stream ended before the answer. In 2025-11-25 this is not a cancellation ("Sending Messages to the Server"): the
 * host may continue the stream with `Last-Event-ID`. If it does not, it has gone, and must not keep a server busy that others use.
 *
 * @example
 * const lost = new LostCalls(watchRequests(transport));
 * lost.streamEnded([1]);
 */
export class LostCalls {
  private readonly ids = new Set<RequestId>();
  private continued = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly requests: Pick<WatchedRequests, 'isOpen' | 'cancel'>) {}

  /** The stream of these requests has ended; those without an answer are lost. */
  streamEnded(ids: Iterable<RequestId>): void {
    for (const id of ids) if (this.requests.isOpen(id)) this.ids.add(id);
    this.watch();
  }

  /** The host continues a stream. Returns what to call when that one has ended. */
  resumed(): () => void {
    this.continued++;
    this.watch();
    return () => {
      this.continued--;
      this.watch();
    };
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private watch(): void {
    clearTimeout(this.timer);
    if (this.ids.size === 0 || this.continued > 0) return;
    this.timer = setTimeout(() => {
      this.requests.cancel(this.ids, 'The client has left, and did not come back.');
      this.ids.clear();
    }, GONE_MS).unref();
  }
}

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { SlowReaders } from '../http/streams/slow-readers.js';
import {
  type Answer,
  ERRORS,
  type Failure,
  failure,
  fromSdk,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type Request,
  read,
  toSdk,
} from '../wire/messages.js';
import { RecoveringTransport, type RecoveryOptions } from './recovering.js';

interface Waiting {
  readonly answered: (answer: Answer | Failure) => void;
  readonly progress: ((message: Message) => void) | undefined;
}

const CLIENT = { name: 'mcp-concerns', version: '1' };

/** The connection of all requests. The first request that needs it opens it. */
export class SharedConnection {
  private transport: RecoveringTransport | undefined;
  private initializing: Promise<Answer | Failure> | undefined;
  private readonly waiting = new Map<unknown, Waiting>();
  private lastId = 0;
  private isPaused = false;
  readonly readers = new SlowReaders({ pause: () => this.pause(true), resume: () => this.pause(false) });

  constructor(
    private readonly open: () => Transport,
    private readonly options: RecoveryOptions,
  ) {}

  /** Returns an id for a request. It is also its progress token. */
  nextId(): number {
    return ++this.lastId;
  }

  /** Initializes the server once. Returns its answer; after a failure, the next call tries again. */
  async initialize(): Promise<Answer | Failure> {
    this.initializing ??= this.handshake();
    const { initializing } = this;
    const answer = await initializing;
    if ('error' in answer && this.initializing === initializing) this.initializing = undefined;
    // The server may have been replaced by a newer one since.
    const result = this.transport?.initialized;
    return 'error' in answer || result === undefined ? answer : { ...answer, result };
  }

  /** Sends a request under an id of `nextId`. Resolves with its answer, or never if the request is cancelled. */
  ask(request: Request, progress?: (message: Message) => void): Promise<Answer | Failure> {
    return new Promise((answered) => {
      this.waiting.set(request.id, { answered, progress });
      void this.connection().send(toSdk(request));
    });
  }

  /** Cancels a request at the server, and forgets it. */
  cancel(requestId: number): void {
    if (!this.waiting.delete(requestId)) return;
    void this.transport?.send({ jsonrpc: '2.0', method: METHODS.cancelled, params: { requestId } });
  }

  async close(): Promise<void> {
    const { transport } = this;
    this.transport = undefined;
    this.initializing = undefined;
    await transport?.close();
  }

  private async handshake(): Promise<Answer | Failure> {
    const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: CLIENT };
    const id = this.nextId();
    const answer = await this.ask({ jsonrpc: '2.0', id, method: METHODS.initialize, params });
    if ('result' in answer) await this.connection().send({ jsonrpc: '2.0', method: METHODS.initialized });
    return answer;
  }

  private connection(): RecoveringTransport {
    if (this.transport !== undefined) return this.transport;
    const transport = new RecoveringTransport(this.open, this.options);
    transport.onmessage = (message) => this.receive(transport, fromSdk(message));
    this.transport = transport;
    if (this.isPaused) transport.pause();
    return transport;
  }

  /** Stops reading from the server, or begins again. A connection that is opened meanwhile does the same. */
  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    if (isPaused) this.transport?.pause();
    else this.transport?.resume();
  }

  private receive(transport: Transport, message: Message): void {
    if (isResponse(message)) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      waiting?.answered(message);
    } else if (isRequest(message)) {
      const reason = 'Several clients share this connection, so the server cannot send requests to a client.';
      const answer: Message =
        message.method === 'ping'
          ? { jsonrpc: '2.0', id: message.id, result: {} }
          : failure(message.id, ERRORS.methodNotFound, reason);
      void transport.send(toSdk(answer));
    } else if (message.method === 'notifications/progress') {
      this.waiting.get(read(message.params, 'progressToken'))?.progress?.(message);
    }
  }
}

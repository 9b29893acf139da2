import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { beforeAbort } from '../session/before-abort.js';
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
  type RequestId,
  toSdk,
} from '../wire/messages.js';
import { ChildTransport } from './child-process.js';
import { RemoteTransport } from './remote.js';
import { readSendFailure, UpstreamError } from './upstream-error.js';

/** What the owner of a connection is told. */
export interface ConnectionPorts {
  /** Milliseconds that the server may be silent while a request waits. */
  readonly silenceMs: number;
  /** A message arrived. `answered`: it answers a request that waits on this connection. */
  readonly received: (message: Message, answered: boolean) => void;
  /** The connection ended by itself, or its server is silent. */
  readonly lost: (reason: string, unanswered: ReadonlySet<RequestId>) => void;
  /** The server will not answer one request: its response ended. */
  readonly dropped: (id: RequestId, reason: string) => void;
  /** The server wrote a line to stderr. */
  readonly stderr: (line: string) => void;
}

/** Ids of requests of this connection itself. No client uses them. */
const OWN = 'mcp-concerns:';
/** Requests of a server that a client may still answer. Many clients answer none. */
const MAX_ASKED = 1000;
/** Characters of a server's own reason. */
const MAX_REASON = 300;

/** One connection to a server, from its start to its end: what waits on it, and whether the server is alive. */
export class OpenConnection {
  private readonly unanswered = new Set<RequestId>();
  /** Requests of the server that the client has not answered. A new connection can use the same ids again. */
  private readonly asked = new Set<RequestId>();
  private readonly own = new Map<RequestId, (answer: Answer | Failure) => void>();
  private watching: NodeJS.Timeout | undefined;
  private isSilent = true;
  private pings = 0;
  private isRetired = false;
  private isPaused = false;
  /** Whether the server sent anything since the latest request. */
  private isHeard = false;
  private isOver = false;

  constructor(
    private readonly transport: Transport,
    private readonly ports: ConnectionPorts,
  ) {}

  /**
   * Starts the server and initializes it.
   *
   * @param initialize the request of the client, if it sent one
   * @param announce whether the client has sent `notifications/initialized`
   * @param startMs milliseconds until the server must have initialized
   * @returns the answer to `initialize`
   * @throws {UpstreamError} if the server cannot be started, ends, refuses or is late
   */
  async open(
    initialize: Request | undefined,
    announce: boolean,
    startMs: number,
  ): Promise<Answer | undefined> {
    const { transport } = this;
    transport.onmessage = (message) => this.receive(fromSdk(message));
    const lost = new AbortController();
    transport.onclose = () => lost.abort(new UpstreamError(this.ending()));
    if (transport instanceof ChildTransport) transport.onstderr = this.ports.stderr;
    if (transport instanceof RemoteTransport) transport.onended = (id, reason) => this.drop(id, reason);
    const timer = setTimeout(() => {
      lost.abort(new UpstreamError(`it did not initialize within ${startMs / 1000} s`));
    }, startMs);
    try {
      const answer = await beforeAbort(this.start(initialize, announce), lost.signal);
      transport.onclose = () => this.end(this.ending());
      return answer;
    } catch (cause) {
      if (cause instanceof UpstreamError) throw cause;
      const failed = readSendFailure(cause, false);
      throw new UpstreamError(failed.reason, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  private async start(initialize: Request | undefined, announce: boolean): Promise<Answer | undefined> {
    await this.transport.start();
    if (initialize === undefined) return undefined;
    const answer = await this.ask({ ...initialize, id: `${OWN}initialize` });
    if ('error' in answer)
      throw new UpstreamError(`it refused to initialize: ${answer.error.message.slice(0, MAX_REASON)}`);
    this.transport.setProtocolVersion?.(String(answer.result.protocolVersion));
    if (announce) await this.transport.send(toSdk({ jsonrpc: '2.0', method: METHODS.initialized }));
    return answer;
  }

  /** Sends a request. Rejects if the transport cannot deliver it. */
  async send(request: Request): Promise<void> {
    this.unanswered.add(request.id);
    this.isHeard = false;
    this.watch();
    await this.transport.send(toSdk(request));
  }

  /** Sends a notification, or an answer to a request that this server made. */
  async pass(message: Message): Promise<void> {
    if (isResponse(message) && !(message.id != null && this.asked.delete(message.id))) return;
    await this.transport.send(toSdk(message)).catch(() => undefined);
  }

  /**
   * Forgets a request, because nobody waits for its answer. The server is watched until it sends something: it may hang,
   * and clients that leave early would otherwise hide that.
   */
  take(id: RequestId): boolean {
    const taken = this.unanswered.delete(id);
    if (this.unanswered.size === 0 && this.isRetired) this.idle();
    return taken;
  }

  /** Closes the connection as soon as no request waits on it. */
  retire(): void {
    this.isRetired = true;
    if (this.unanswered.size === 0) this.idle();
  }

  pause(): void {
    this.isPaused = true;
    if (isPausable(this.transport)) this.transport.pause();
  }

  resume(): void {
    this.isPaused = false;
    if (isPausable(this.transport)) this.transport.resume();
  }

  async close(): Promise<void> {
    this.isOver = true;
    clearInterval(this.watching);
    await this.transport.close().catch(() => undefined);
  }

  private ask(request: Request): Promise<Answer | Failure> {
    return new Promise((resolve, reject) => {
      this.own.set(request.id, resolve);
      this.transport.send(toSdk(request)).catch(reject);
    });
  }

  private receive(message: Message): void {
    this.isSilent = false;
    this.isHeard = true;
    this.pings = 0;
    if (isRequest(message)) this.remember(message.id);
    if (!isResponse(message)) return this.ports.received(message, false);
    const { id } = message;
    if (id === undefined || id === null) return;
    if (this.answerOwn(id, message)) return;
    const isAnswer = this.unanswered.delete(id);
    this.ports.received(message, isAnswer);
    if (this.unanswered.size === 0) this.idle();
  }

  /** Takes an answer to a request of this connection itself. Returns false if it is the answer to another request. */
  private answerOwn(id: RequestId, answer: Answer | Failure): boolean {
    this.own.get(id)?.(answer);
    return this.own.delete(id);
  }

  private remember(asked: RequestId): void {
    this.asked.add(asked);
    const [oldest] = this.asked;
    if (this.asked.size > MAX_ASKED && oldest !== undefined) this.asked.delete(oldest);
  }

  private drop(id: RequestId, reason: string): void {
    if (this.answerOwn(id, failure(id, ERRORS.internal, reason)) || !this.unanswered.has(id)) return;
    this.take(id);
    this.ports.dropped(id, reason);
  }

  private idle(): void {
    clearInterval(this.watching);
    this.watching = undefined;
    if (this.isRetired) void this.close();
  }

  /**
   * Counts intervals, not time: a Lambda function that was frozen would otherwise take the time that it was frozen for
   * the silence of the server.
   */
  private watch(): void {
    if (this.watching !== undefined || this.isOver) return;
    this.isSilent = false;
    this.pings = 0;
    const { silenceMs } = this.ports;
    this.watching = setInterval(() => {
      // Nothing is read from a paused server, so nothing is known about it.
      if (this.isPaused) this.isSilent = false;
      else if (this.isHeard && this.unanswered.size === 0) return this.idle();
      if (this.isSilent && this.pings > 0) {
        this.end(`it sent nothing for ${silenceMs / 1000} s, and did not answer a ping`);
        return;
      }
      if (this.isSilent) {
        const id = `${OWN}ping-${++this.pings}`;
        this.ask({ jsonrpc: '2.0', id, method: 'ping' }).catch(() => undefined);
      }
      this.isSilent = true;
    }, silenceMs / 3);
    this.watching.unref();
  }

  private end(reason: string): void {
    if (this.isOver) return;
    const unanswered = new Set(this.unanswered);
    this.unanswered.clear();
    void this.close();
    this.ports.lost(reason, unanswered);
  }

  private ending(): string {
    const { transport } = this;
    if (!(transport instanceof ChildTransport) || transport.ended === undefined)
      return 'the connection was closed';
    const { code, signal } = transport.ended;
    // Without its stderr, which can contain arguments and secrets: clients get this reason. Operators get the lines.
    return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
  }
}

function isPausable(transport: object): transport is { pause(): void; resume(): void } {
  return 'pause' in transport && 'resume' in transport;
}

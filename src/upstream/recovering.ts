import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
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
  read,
  toSdk,
} from '../wire/messages.js';
import { OpenConnection } from './open-connection.js';
import { type Pending, PendingRequests } from './pending.js';
import { delayBefore, IDLE, transition, type UpstreamEvent, type UpstreamHappening } from './state.js';
import { readSendFailure, UpstreamError } from './upstream-error.js';

/** How long a server may take, and who is told what happens to it. */
export interface RecoveryOptions {
  /** The name of the server in events. Defaults to `upstream`. */
  readonly name?: string | undefined;
  /** Receives each change of the server's state with its reason, and the lines that a child process writes to stderr. */
  readonly report?: ((event: UpstreamEvent) => void) | undefined;
  /** Milliseconds until a server must have initialized. Defaults to 60,000: `npx` may download the server first. */
  readonly startMs?: number | undefined;
  /**
   * Milliseconds that a server may send nothing while a request waits. After half of it, the server is pinged; a server
   * that does not answer this either is replaced. Defaults to 120,000, because many servers cannot answer a ping while
   * a tool runs.
   */
  readonly silenceMs?: number | undefined;
}

const START_MS = 60_000;
const SILENCE_MS = 120_000;
/** How often a request is sent if the server refused it. A server that forgets its session can refuse it repeatedly. */
const MAX_TRIES = 5;
/** How often a request is sent that the server may have received. If it ends the server, others must not suffer for long. */
const MAX_DELIVERIES = 2;

/** Requests without effects, which may be sent again although the server may have received them. */
const isSafe = (method: string): boolean =>
  method === 'ping' ||
  method === METHODS.initialize ||
  method === 'resources/read' ||
  method === 'prompts/get' ||
  method.endsWith('/list');

/**
 * A transport to a server behind the endpoint that recovers from failures. It opens the server again if the server ends,
 * hangs or forgets its session, initializes it as the client did, and sends requests again that had no effect. Requests
 * that may have had one are answered with an error. So each request is answered exactly once.
 *
 * @example
 * const upstream = new RecoveringTransport(() => new ChildTransport('node', ['server.js']));
 * await server.connect(upstream);
 */
export class RecoveringTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The latest result of `initialize`. */
  initialized: Record<string, unknown> | undefined;

  private state = IDLE;
  private readonly pending = new PendingRequests();
  /** What the client initialized with. */
  private initialize: Request | undefined;
  private isAnnounced = false;
  private current: OpenConnection | undefined;
  private opening: Promise<OpenConnection> | undefined;
  private starting: OpenConnection | undefined;
  private isPaused = false;
  private isClosed = false;

  constructor(
    private readonly open: () => Transport,
    private readonly options: RecoveryOptions = {},
  ) {}

  /** Does nothing: the first message opens the server. */
  async start(): Promise<void> {}

  /** Never rejects: a request that cannot be sent is answered with an error. */
  async send(sent: JSONRPCMessage): Promise<void> {
    const message = fromSdk(sent);
    if (isRequest(message)) return this.sendRequest(message);
    if (!isResponse(message) && message.method === METHODS.cancelled) return this.cancel(message);
    if (!isResponse(message) && message.method === METHODS.initialized) this.isAnnounced = true;
    await this.current?.pass(message);
  }

  /** Stops reading from the server, while clients are slow. */
  pause(): void {
    this.isPaused = true;
    this.current?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.current?.resume();
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const { request } of [...this.pending.values()]) this.fail(request, 'the connection was closed');
    await Promise.all([this.current?.close(), this.starting?.close()]);
    this.onclose?.();
  }

  private async sendRequest(request: Request): Promise<void> {
    if (request.method === METHODS.initialize) {
      this.initialize = request;
      this.isAnnounced = false;
    }
    const pending = this.pending.add(request);
    if (typeof pending === 'string') return this.deliver(errorFor(request, pending));
    await this.attempt(pending);
  }

  private async attempt(pending: Pending): Promise<void> {
    const { request } = pending;
    const isWanted = (): boolean => this.pending.get(request.id) === pending;
    let connection: OpenConnection;
    try {
      connection = await this.connect(request);
    } catch (cause) {
      if (isWanted()) this.fail(request, reasonOf(cause));
      return;
    }
    // Opening the server with this very request has answered it.
    if (!isWanted() || (pending.tries > 0 && pending.connection === connection)) return;
    pending.tries++;
    pending.connection = connection;
    try {
      await connection.send(request);
    } catch (cause) {
      if (isWanted() && pending.connection === connection) this.sendFailed(pending, connection, cause);
    }
  }

  private sendFailed(pending: Pending, connection: OpenConnection, cause: unknown): void {
    const { request } = pending;
    const failed = readSendFailure(cause, this.initialized !== undefined);
    connection.take(request.id);
    if (failed.isRefused) return this.refuse(request, failed.reason);
    if (!failed.isSessionLost) this.happened('fails', `${failed.reason} (${request.method})`);
    else if (this.current === connection) {
      this.happened('fails', failed.reason);
      this.current = undefined;
      // Requests that the server still answers keep this connection until then.
      connection.retire();
    }
    this.again(pending, failed.isUndelivered, failed.reason);
  }

  private again(pending: Pending, isUndelivered: boolean, reason: string): void {
    const { request, tries } = pending;
    if (tries >= (isUndelivered ? MAX_TRIES : MAX_DELIVERIES) || !(isUndelivered || isSafe(request.method))) {
      return this.fail(request, reason, !isUndelivered);
    }
    pending.connection = undefined;
    const delay = this.current === undefined ? 0 : delayBefore(this.state);
    setTimeout(() => void this.attempt(pending), delay);
  }

  private connect(request: Request): Promise<OpenConnection> {
    if (this.isClosed) return Promise.reject(new UpstreamError('the connection was closed'));
    if (this.current !== undefined) return Promise.resolve(this.current);
    this.opening ??= this.openAgain(request).finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  private async openAgain(first: Request): Promise<OpenConnection> {
    const delay = delayBefore(this.state);
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    if (this.isClosed) throw new UpstreamError('the connection was closed');
    this.happened('opens');
    const { startMs = START_MS, silenceMs = SILENCE_MS, name, report } = this.options;
    const connection = new OpenConnection(this.open(), {
      silenceMs,
      received: (message, answered) => this.receive(message, answered),
      lost: (reason, unanswered) => this.lost(connection, reason, unanswered),
      dropped: (id, reason) => this.dropped(connection, id, reason),
      stderr: (stderr) => report?.({ upstream: name ?? 'upstream', stderr }),
    });
    this.starting = connection;
    try {
      // A client that sent no `initialize` speaks a version of the protocol without it.
      const answer = await connection.open(this.initialize, this.isAnnounced, startMs);
      this.initialized = answer?.result ?? this.initialized;
      this.happened('opened');
      if (first.method === METHODS.initialize && answer !== undefined)
        this.settle({ ...answer, id: first.id });
    } catch (cause) {
      if (!this.isClosed) this.happened('fails', reasonOf(cause));
      await connection.close();
      throw cause;
    } finally {
      this.starting = undefined;
    }
    if (this.isClosed) {
      await connection.close();
      throw new UpstreamError('the connection was closed');
    }
    this.current = connection;
    if (this.isPaused) connection.pause();
    return connection;
  }

  private receive(message: Message, answered: boolean): void {
    if (!isResponse(message)) return this.deliver(message);
    if (!answered) return;
    this.happened('answers');
    this.settle(message);
  }

  /** Passes an answer to the client, unless its request was answered or cancelled before. */
  private settle(message: Answer | Failure): void {
    const { id } = message;
    if (id === undefined || id === null || !this.pending.delete(id)) return;
    this.deliver(message);
  }

  private lost(connection: OpenConnection, reason: string, unanswered: ReadonlySet<RequestId>): void {
    if (this.current === connection) this.current = undefined;
    if (this.isClosed) return;
    this.happened('fails', reason);
    for (const id of unanswered) {
      const pending = this.pending.get(id);
      if (pending?.connection === connection) this.again(pending, false, reason);
    }
  }

  private dropped(connection: OpenConnection, id: RequestId, reason: string): void {
    const pending = this.pending.get(id);
    if (pending?.connection !== connection) return;
    this.happened('fails', `${reason} (${pending.request.method})`);
    this.again(pending, false, reason);
  }

  private async cancel(message: Message): Promise<void> {
    const id = read(message, 'params', 'requestId');
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const pending = this.pending.get(id);
    this.pending.delete(id);
    pending?.connection?.take(id);
    await pending?.connection?.pass(message);
  }

  private fail(request: Request, reason: string, mayHaveRun = false): void {
    this.settle(errorFor(request, reason, mayHaveRun));
  }

  /** Answers a request that a healthy server does not accept. It is not sent again, and the server has not failed. */
  private refuse(request: Request, reason: string): void {
    const text = `The server behind this endpoint refused the request: ${reason}. Change the request, or ask the operator of the endpoint.`;
    this.settle(failure(request.id, ERRORS.internal, text));
  }

  private deliver(message: Message): void {
    this.onmessage?.(toSdk(message));
  }

  private happened(happening: UpstreamHappening, reason?: string): void {
    const before = this.state;
    this.state = transition(before, happening);
    const { state, restarts } = this.state;
    if (state === 'idle' || (state === before.state && happening !== 'fails')) return;
    const upstream = this.options.name ?? 'upstream';
    this.options.report?.({ upstream, state, restarts, ...(reason === undefined ? {} : { reason }) });
  }
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

function errorFor({ id, method }: Request, reason: string, mayHaveRun = false): Failure {
  const advice = mayHaveRun
    ? `${method} may have run. Check its effect before you send it again.`
    : 'Send the request again.';
  const text = `The server behind this endpoint cannot be reached: ${reason}. ${advice}`;
  return failure(id, ERRORS.internal, text);
}

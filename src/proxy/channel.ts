import { beforeAbort } from '../core/session/before-abort.js';
import type { CallAnswer } from '../core/wire/calls.js';
import {
  ACCESS_METHODS,
  fromSdk,
  isRequest,
  isResponse,
  type Request as McpRequest,
  METHODS,
  type Members,
  type Message,
  membersOf,
  type RequestId,
  read,
  SUBSCRIPTION_META,
  toSdk,
} from '../core/wire/messages.js';
import {
  CANCELLED,
  type ChannelOwner,
  type Params,
  paramsOf,
  type ServerCall,
  THIS_PACKAGE,
  unaskable,
} from './call.js';
import { isAtLeast } from './eras/envelope.js';
import { SilenceWatch } from './silence-watch.js';
import { CLOSED, readSendFailure, UpstreamError } from './upstream-error.js';
import { endingOf, type Wire } from './wires/wire.js';

/** An answer, or why there is none. */
export type CallOutcome = CallAnswer | { readonly failed: UpstreamError };

interface Entry {
  readonly call: ServerCall;
  readonly token: unknown;
  readonly settle: (outcome: CallOutcome) => void;
}

/** Requests of a server that a client may still answer. Many clients answer none. */
const MAX_ASKED = 1000;
/** How long the last notification may take when a connection is closed. */
const PASSING_MS = 1000;
/** Requests of this process itself, during which the server can do nothing for a client. */
const OWN: ReadonlySet<string> = new Set([METHODS.listen, METHODS.discover, METHODS.initialize, 'ping']);

/**
 * One connection to a server, from its start to its end. It alone knows the ids on the server's side: those of requests,
 * progress tokens and cancellations are all numbers of its ledger.
 */
export class Channel {
  private readonly ledger = new Map<unknown, Entry>();
  /** The questions of the server that its client has not answered. */
  private readonly asked = new Map<RequestId, AbortController>();
  private lastId = 0;
  /** Streams of the ledger that stay open. A server may be silent on them. */
  private streams = 0;
  private readonly watch: SilenceWatch;
  private isRetired = false;
  private isOver = false;
  /** The latest notification on its way. */
  private passing: Promise<void> = Promise.resolve();
  /** Whether the connection has a session that a server over HTTP can forget. */
  hasSession = false;
  /** What the server must answer: many servers cannot answer while a tool runs. */
  ping: Pick<ServerCall, 'method' | 'params'> = { method: 'ping', params: undefined };

  /** What the server said of itself when it was opened. */
  about: Members = {};
  /** Whether the server has started, so that it can have received something. */
  isStarted = false;

  /**
   * @param wire the bytes, not started
   * @param owner who is told what belongs to no request
   * @param silenceMs milliseconds that the server may be silent
   */
  constructor(
    readonly wire: Wire,
    public owner: ChannelOwner,
    silenceMs: number,
  ) {
    this.watch = new SilenceWatch(silenceMs, {
      isAwaited: () => this.isAwaited,
      isCalled: () => [...this.ledger.values()].some(({ call }) => call.method === ACCESS_METHODS.call),
      processorMs: () => wire.processorMs?.(),
      ping: () => this.sendPing(),
      end: (reason) => this.end(reason),
    });
    wire.onmessage = (message) => this.receive(fromSdk(message));
    wire.onstderr = (line) => this.owner.stderr(line);
    wire.onended = (id, reason) => this.settle(id, failed(reason));
    wire.onlost = (id, reason) => {
      // Servers of an SDK write the id last. It may follow, and must not end a request that was sent meanwhile.
      const only = this.ledger.size === 1 ? [...this.ledger.keys()][0] : undefined;
      this.settle(id === undefined ? only : this.idOf(id), failed(reason));
    };
  }

  /**
   * Starts the server if it has not started, and does with it what must happen before its first request. Closes the connection
   * if that fails.
   *
   * @param startMs milliseconds until this must be done
   * @param handshake what must happen before the first request
   * @throws {UpstreamError} if the server cannot be started, ends, refuses or is late
   */
  async begin(startMs: number, handshake: () => Promise<unknown>): Promise<void> {
    const { wire } = this;
    const lost = new AbortController();
    wire.onclose = () => lost.abort(new UpstreamError(endingOf(wire), { isEnded: true }));
    const late = `it did not initialize within ${startMs / 1000} s`;
    const timer = setTimeout(() => lost.abort(new UpstreamError(late)), startMs);
    const begun = async (): Promise<void> => {
      if (!this.isStarted) await wire.start();
      this.isStarted = true;
      await handshake();
    };
    try {
      await beforeAbort(begun(), AbortSignal.any([lost.signal, this.owner.signal]));
      wire.onclose = () => this.end(endingOf(wire));
      this.watch.start();
    } catch (cause) {
      await this.close();
      throw readSendFailure(cause);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether a client waits for an answer. */
  private get isAwaited(): boolean {
    return this.ledger.size > this.streams;
  }

  /** Sends a request, under an id of its own. */
  request(call: ServerCall): Promise<CallOutcome> {
    if (this.isOver) return Promise.resolve({ failed: new UpstreamError(CLOSED) });
    const id = ++this.lastId;
    const token = read(call.params, '_meta', 'progressToken');
    const meta = token === undefined ? undefined : { ...membersOf(call.params?._meta), progressToken: id };
    const params = meta === undefined ? call.params : { ...call.params, _meta: meta };
    const { signal, method, headers } = call;
    return new Promise((resolve) => {
      const leave = (): void => {
        if (!this.forget(id)) return;
        resolve(CANCELLED);
        if (this.wire.cancelsBySignal) return;
        const reason = typeof signal.reason === 'string' ? { reason: signal.reason } : {};
        this.pass(METHODS.cancelled, { requestId: id, ...reason });
      };
      const settle = (outcome: CallOutcome): void => {
        signal.removeEventListener('abort', leave);
        resolve(outcome);
      };
      const entry = { call, token, settle };
      this.ledger.set(id, entry);
      if (method === METHODS.listen) this.streams++;
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.watch.asked();
      const message = { jsonrpc: '2.0', id, method, ...paramsOf(params) } as const;
      const received = (part: Message): void => this.receive(part, entry);
      this.wire
        .send(toSdk(message), { signal, headers, received })
        .catch((cause) => this.settle(id, { failed: readSendFailure(cause) }));
    });
  }

  /** Sends a notification. */
  pass(method: string, params?: Params): void {
    const message = { jsonrpc: '2.0', method, ...paramsOf(params) } as const;
    this.passing = this.wire.send(toSdk(message)).catch(() => undefined);
  }

  /** Closes the connection as soon as no request waits on it. */
  retire(): void {
    this.isRetired = true;
    if (!this.isAwaited) void this.close();
  }

  pause(isPaused: boolean): void {
    this.watch.pause(isPaused);
    this.wire.pause(isPaused);
  }

  async close(): Promise<void> {
    this.isOver = true;
    this.watch.stop();
    this.fail(failed(CLOSED));
    // A cancellation ends the request that the connection may be for: it must still reach the server.
    await Promise.race([this.passing, new Promise((late) => setTimeout(late, PASSING_MS).unref())]);
    await this.wire.close().catch(() => undefined);
  }

  /** Some servers answer with the text of an id. All ids here are numbers of the ledger, so this is never another one. */
  private idOf(id: unknown): unknown {
    return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id;
  }

  private settle(id: unknown, outcome: CallOutcome): void {
    const entry = this.ledger.get(id);
    if (this.forget(id)) entry?.settle(outcome);
  }

  private forget(id: unknown): boolean {
    if (this.ledger.get(id)?.call.method === METHODS.listen) this.streams--;
    const isKnown = this.ledger.delete(id);
    if (!this.isAwaited && this.isRetired) void this.close();
    return isKnown;
  }

  private receive(message: Message, sure?: Entry): void {
    this.watch.heard();
    if (isResponse(message)) {
      const id = this.idOf(message.id);
      return this.settle(id, 'error' in message ? { error: message.error } : { result: message.result });
    }
    const { method, params } = message;
    const isLog = method === 'notifications/message';
    const level = isLog ? read(params, 'level') : undefined;
    const entry = this.ledger.get(read(params, '_meta', SUBSCRIPTION_META)) ?? sure ?? this.only(level);
    if (isRequest(message)) return void this.question(message, entry);
    if (method === 'notifications/progress') {
      const progressed = this.ledger.get(read(params, 'progressToken'));
      return progressed?.call.notify(method, { ...params, progressToken: progressed.token });
    }
    if (method === METHODS.cancelled) return this.asked.get(read(params, 'requestId') as RequestId)?.abort();
    if (method === METHODS.acknowledged) return entry?.call.notify(method, params);
    if (!isLog) return this.owner.notified(method, params);
    const wanted = entry?.call.level;
    // The client of a connection of its own has set the level there. Clients that share one have asked for no logs.
    const isKept = wanted === undefined ? this.owner.ask !== unaskable : isAtLeast(level, wanted);
    if (!isKept) return;
    if (entry === undefined) this.owner.notified(method, params);
    else entry.call.notify(method, params);
  }

  /**
   * On a shared stream nothing tells which request a message belongs to. It is certain only if all requests that it can belong
   * to are of one client. A log message belongs to a request that asked for its level.
   */
  private only(level?: unknown): Entry | undefined {
    const [first, ...others] = [...this.ledger.values()].filter(({ call }) => {
      if (call.sender === THIS_PACKAGE || OWN.has(call.method)) return false;
      return level === undefined || call.level === undefined || isAtLeast(level, call.level);
    });
    return others.every(({ call }) => call.sender === first?.call.sender) ? first : undefined;
  }

  private async question({ id, method, params }: McpRequest, entry: Entry | undefined): Promise<void> {
    const { ask } = this.asked.size < MAX_ASKED ? (entry?.call ?? this.owner) : UNASKED;
    const taken = new AbortController();
    if (method !== 'ping') this.asked.set(id, taken);
    const answer = method === 'ping' ? { result: {} } : await ask(method, params, taken.signal);
    this.asked.delete(id);
    await this.wire.send(toSdk({ jsonrpc: '2.0', id, ...answer })).catch(() => undefined);
  }

  private fail(outcome: CallOutcome): void {
    const entries = [...this.ledger.values()];
    this.ledger.clear();
    for (const { settle } of entries) settle(outcome);
    for (const question of this.asked.values()) question.abort();
  }

  /** Its answer belongs to no request, and shows that the server is alive. */
  private sendPing(): void {
    const { method, params } = this.ping;
    const message = { jsonrpc: '2.0', id: `ping-${++this.lastId}`, method, ...paramsOf(params) } as const;
    this.wire.send(toSdk(message), { received: (part) => this.receive(part) }).catch(() => undefined);
  }

  private end(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.owner.lost(reason);
    this.fail(failed(reason, true));
    void this.close();
  }
}

const UNASKED = { ask: unaskable };

/** What a request got in place of an answer that the server may have had. */
const failed = (reason: string, isEnded = false): CallOutcome => ({
  failed: new UpstreamError(reason, { isDelivered: true, isEnded }),
});

import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamEvent } from '../core/telemetry/upstream-event.js';
import {
  type AnswerOverHttp,
  CANCELLED,
  type ChannelOwner,
  ignore,
  isAboutCaller,
  ownCall,
  type Params,
  refused,
  type ServerCall,
  unreachable,
} from './call.js';
import type { CallOutcome, Channel } from './channel.js';
import { PendingLimit } from './open-requests.js';
import type { RecoveryOptions } from './options.js';
import {
  CLOSED,
  EraUnavailable,
  InitializeRefused,
  reasonOf,
  ServerReplaced,
  UNSUPPORTED_VERSION,
  UpstreamError,
} from './upstream-error.js';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2000;

/**
 * Returns how long to wait before the server is opened again: 0, then 100 ms, doubled up to 2 s. So service is back
 * within seconds after the server is.
 *
 * @param failures how often it failed since its last answer
 * @returns milliseconds
 * @example
 * delayBefore(3); // 200
 */
export function delayBefore(failures: number): number {
  if (failures <= 1) return 0;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 2, 10));
}

/** Who uses a connection: it gets what belongs to no request. */
export type RecoveryOwner = Pick<ChannelOwner, 'notified' | 'ask'> & {
  /** The server was opened, also again: it has forgotten what it was told. */
  opened(channel: Channel): void;
};

/** How often a request is sent if the server refused it. A server that forgets its session can refuse it repeatedly. */
const MAX_TRIES = 5;
/** How often a request is sent that the server may have received. If it ends the server, others must not suffer for long. */
const MAX_DELIVERIES = 2;

/** Requests without effects, which may be sent again although the server may have received them. */
const isSafe = (method: string): boolean =>
  method === 'ping' ||
  method === 'server/discover' ||
  method === 'resources/read' ||
  method === 'prompts/get' ||
  method.endsWith('/list');

/** Whether the server cannot be opened because it speaks the other era. It has not failed then. */
const isOtherEra = (cause: unknown): cause is UpstreamError =>
  cause instanceof InitializeRefused || cause instanceof EraUnavailable;

/** How a server refused something: the status of HTTP, or the code of an error. */
const signOf = (outcome: CallOutcome): number | undefined =>
  'failed' in outcome
    ? outcome.failed.failure.http?.status
    : 'error' in outcome
      ? outcome.error.code
      : undefined;

/** Codes that a server chooses itself, but for those that MCP has given a meaning. */
const isOwnCode = (code: number): boolean =>
  code <= -32000 && code >= -32099 && ![-32002, -32020, -32021, -32022, -32042].includes(code);

/** Whether an answer may mean that the session is gone. */
const isDoubtful = (outcome: CallOutcome): boolean =>
  'failed' in outcome
    ? outcome.failed.failure.http !== undefined && outcome.failed.failure.http.status >= 400
    : 'error' in outcome && isOwnCode(outcome.error.code);

/** Whether a server has not run what it answered so. */
const isRefusal = (outcome: CallOutcome): boolean =>
  'failed' in outcome ? (outcome.failed.failure.http?.status ?? 500) < 500 : 'error' in outcome;

/**
 * The connection to a server behind the endpoint, which recovers from failures. It opens the server again if the server
 * ends, hangs or forgets its session, and sends requests again that had no effect. Requests that may have had one are
 * answered with an error. So each request is answered exactly once.
 *
 * @example
 * const recovery = new Recovery((owner) => openChannel(owner), {}, { ...client, opened: () => undefined });
 * const answer = await recovery.request(call);
 */
export class Recovery {
  private state: UpstreamEvent['state'];
  /** Failures since the last answer: a server that initializes and ends at each request must wait longer and longer, too. */
  private failures = 0;
  /** How often the server was opened again. */
  private restarts = 0;
  private readonly limit = new PendingLimit();
  private current: Channel | undefined;
  private opening: Promise<Channel> | undefined;
  private checking: Promise<void> | undefined;
  private doubting: Promise<boolean> | undefined;
  private readonly life = new AbortController();
  private isPaused = false;

  /**
   * @param open opens the server, and does what must happen before the first request
   * @param options who is told what happens to the server
   * @param owner who gets what belongs to no request
   */
  constructor(
    private readonly open: (owner: ChannelOwner) => Promise<Channel>,
    private readonly options: RecoveryOptions,
    private readonly owner: RecoveryOwner,
  ) {}

  /**
   * Sends a request. A request that cannot be sent is answered with an error.
   *
   * @throws `ServerReplaced` if the server speaks the other era now. It did not run the request.
   */
  async request(call: ServerCall): Promise<AnswerOverHttp> {
    const remove = this.limit.add(call.params);
    if (typeof remove === 'string') return unreachable(call.method, remove);
    try {
      return await this.attempt(call);
    } finally {
      remove();
    }
  }

  /** Opens the server if it is not open. Rejects if this fails; the next request tries again. */
  opened(): Promise<Channel> {
    if (this.isClosed) return Promise.reject(new UpstreamError(CLOSED));
    if (this.current !== undefined) return Promise.resolve(this.current);
    this.opening ??= this.openAgain().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** Sends a notification, if the server is open. */
  pass(method: string, params?: Params): void {
    this.current?.pass(method, params);
  }

  /** Stops reading from the server, while clients are slow. A connection that is opened meanwhile does the same. */
  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.current?.pause(isPaused);
  }

  async close(): Promise<void> {
    this.life.abort(new UpstreamError(CLOSED));
    await this.current?.close();
  }

  private async attempt(call: ServerCall): Promise<AnswerOverHttp> {
    const { method, signal } = call;
    for (let tries = 1; ; tries++) {
      let channel: Channel;
      try {
        channel = this.current ?? (await this.opened());
      } catch (cause) {
        if (isOtherEra(cause)) throw new ServerReplaced(cause.message);
        return unreachable(method, cause);
      }
      if (signal.aborted) return CANCELLED;
      const outcome = await channel.request(call);
      // Once for a request: a server that refuses it in a new session too has answered it.
      if (tries === 1 && isDoubtful(outcome) && (await this.forgets(channel, outcome))) {
        if (this.current === channel) this.fails('it does not know the session any more');
        this.retire(channel);
        if (isSafe(method) || isRefusal(outcome)) continue;
      } else if (!('failed' in outcome)) {
        this.failures = 0;
        if (this.state !== 'ready') this.happened('ready');
        if ('error' in outcome && outcome.error.code === UNSUPPORTED_VERSION) await this.check(channel);
        return outcome;
      }
      if (!('failed' in outcome)) return outcome;
      const { failed } = outcome;
      const { isRefused, isDelivered, http } = failed.failure;
      if (isRefused) {
        if (!isAboutCaller(http)) await this.check(channel);
        return refused(failed);
      }
      this.failed(channel, failed, method);
      const mostTries = isDelivered ? MAX_DELIVERIES : MAX_TRIES;
      const isLast = tries >= mostTries || isAboutCaller(http);
      if (this.isClosed || isLast || (isDelivered && !isSafe(method))) {
        if (http?.status === 404) await this.check(channel);
        return unreachable(method, failed, isDelivered);
      }
      if (this.current !== undefined) await sleep(delayBefore(this.failures));
    }
  }

  /**
   * Whether a server over HTTP refuses everything that its session sends, and not only one request: servers say in many ways
   * that they have forgotten it. Those that wait share the answer.
   */
  private forgets(channel: Channel, { ...outcome }: CallOutcome): Promise<boolean> {
    if (!channel.hasSession || channel.wire.sessionId === undefined) return Promise.resolve(false);
    this.doubting ??= channel
      .request(ownCall('ping', undefined))
      .then(
        (answer) =>
          !('result' in answer) && signOf(answer) !== undefined && signOf(answer) === signOf(outcome),
      )
      .finally(() => {
        this.doubting = undefined;
      });
    return this.doubting;
  }

  /**
   * Opens a server again that refused what it should accept, only to see whether it still speaks this era: one at a URL may have
   * been replaced. All that doubt it at once share the answer.
   *
   * @throws `ServerReplaced` if it does not
   */
  private check(channel: Channel): Promise<void> {
    this.checking ??= this.open({ ...this.owner, signal: this.life.signal, lost: ignore, stderr: ignore })
      .then((found) => found.close())
      .catch((cause) => {
        if (!isOtherEra(cause)) return;
        this.retire(channel);
        throw new ServerReplaced(cause.message);
      })
      .finally(() => {
        this.checking = undefined;
      });
    return this.checking;
  }

  /** Uses a connection for nothing new. Requests that the server still answers keep it until then. */
  private retire(channel: Channel): void {
    if (this.current === channel) this.current = undefined;
    channel.retire();
  }

  private failed(channel: Channel, { message, failure }: UpstreamError, method: string): void {
    // Its owner has told it already.
    if (failure.isEnded || this.isClosed) return;
    if (!failure.isSessionLost) return this.fails(`${message} (${method})`);
    if (this.current !== channel) return;
    this.fails(message);
    this.retire(channel);
  }

  private async openAgain(): Promise<Channel> {
    const delay = delayBefore(this.failures);
    if (delay > 0) await sleep(delay);
    if (this.isClosed) throw new UpstreamError(CLOSED);
    if (this.state !== undefined) this.restarts++;
    this.happened(this.state === undefined ? 'connecting' : 'restarting');
    let channel: Channel | undefined;
    const owner: ChannelOwner = {
      ...this.owner,
      signal: this.life.signal,
      lost: (reason) => {
        // One that speaks another era is not the connection of this object.
        if (channel === undefined) return;
        if (this.current === channel) this.current = undefined;
        if (!this.isClosed) this.fails(reason, true);
      },
      stderr: (stderr) => this.options.report?.({ upstream: this.name, stderr }),
    };
    try {
      channel = await this.open(owner);
    } catch (cause) {
      if (!this.isClosed && !isOtherEra(cause)) this.fails(reasonOf(cause));
      throw cause;
    }
    if (this.isClosed) {
      await channel.close();
      throw new UpstreamError(CLOSED);
    }
    this.happened('ready');
    this.current = channel;
    this.owner.opened(channel);
    if (this.isPaused) channel.pause(true);
    return channel;
  }

  private get isClosed(): boolean {
    return this.life.signal.aborted;
  }

  private get name(): string {
    return this.options.name ?? 'upstream';
  }

  private fails(reason: string, isLost = false): void {
    this.failures++;
    this.happened('failed', { reason, ...(isLost ? { isLost } : {}) });
  }

  private happened(
    state: NonNullable<UpstreamEvent['state']>,
    why: Pick<UpstreamEvent, 'reason' | 'isLost'> = {},
  ): void {
    this.state = state;
    this.options.report?.({ upstream: this.name, state, restarts: this.restarts, ...why });
  }
}

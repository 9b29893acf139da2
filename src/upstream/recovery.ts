import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRefusal } from '../http/upstream-server.js';
import {
  CANCELLED,
  type ChannelOwner,
  isAboutCaller,
  type Params,
  type RefusalOverHttp,
  refused,
  type ServerCall,
  unreachable,
} from './call.js';
import type { Channel } from './channel.js';
import type { Members } from './eras/envelope.js';
import { PendingLimit } from './open-requests.js';
import type { RecoveryOptions } from './options.js';
import {
  EraUnavailable,
  InitializeRefused,
  type SendFailure,
  UNSUPPORTED_VERSION,
  UpstreamError,
} from './upstream-error.js';

/** The state of a server behind the endpoint. */
interface UpstreamState {
  /**
   * - `connecting`: opened for the first time, and not initialized yet
   * - `ready`: answers requests
   * - `failed`: the connection was lost, or an attempt to open it failed. The next request opens it again.
   * - `restarting`: as `connecting`, after a failure
   */
  readonly state: 'idle' | 'connecting' | 'ready' | 'failed' | 'restarting';
  /** Failures since the last answer. The next attempt waits longer after each. */
  readonly failures: number;
  /** How often it was opened again. */
  readonly restarts: number;
}

/** What can happen to a server behind the endpoint. */
export type UpstreamHappening = 'opens' | 'opened' | 'answers' | 'fails';

export const IDLE: UpstreamState = { state: 'idle', failures: 0, restarts: 0 };

/**
 * Returns the state after something happened.
 *
 * @param before the state
 * @param happening what happened
 * @returns the state; the same object if nothing changed
 * @example
 * transition({ state: 'ready', failures: 0, restarts: 0 }, 'fails'); // { state: 'failed', failures: 1, restarts: 0 }
 */
export function transition(before: UpstreamState, happening: UpstreamHappening): UpstreamState {
  const { state, failures, restarts } = before;
  switch (happening) {
    case 'opens':
      if (state === 'idle') return { ...before, state: 'connecting' };
      return { state: 'restarting', failures, restarts: restarts + 1 };
    case 'opened':
      return { ...before, state: 'ready' };
    case 'answers':
      // A server that initializes and then ends at each request still has to wait longer and longer.
      return state === 'ready' && failures === 0 ? before : { ...before, state: 'ready', failures: 0 };
    case 'fails':
      return { state: 'failed', failures: failures + 1, restarts };
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2000;

/**
 * Returns how long to wait before the server is opened again: 0, then 100 ms, doubled up to 2 s. So service is back
 * within seconds after the server is.
 *
 * @param state the state
 * @returns milliseconds
 * @example
 * delayBefore({ state: 'failed', failures: 3, restarts: 2 }); // 200
 */
export function delayBefore({ failures }: UpstreamState): number {
  if (failures <= 1) return 0;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 2, 10));
}

/** An open connection, and what the server said of itself when it was opened. */
export interface Opened {
  readonly channel: Channel;
  readonly about: Members;
}

/** Who uses a connection: it gets what belongs to no request. */
export type RecoveryOwner = Pick<ChannelOwner, 'notified' | 'ask'> & {
  /** The server was opened, also again: it has forgotten what it was told. */
  opened(opened: Opened): void;
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
  private state = IDLE;
  private readonly limit = new PendingLimit();
  private current: Opened | undefined;
  private opening: Promise<Opened> | undefined;
  private checking: Promise<void> | undefined;
  private readonly life = new AbortController();
  private isPaused = false;

  /**
   * @param open opens the server, and does what must happen before the first request
   * @param options who is told what happens to the server
   * @param owner who gets what belongs to no request
   * @param first a connection that is open already
   */
  constructor(
    private readonly open: (owner: ChannelOwner) => Promise<Opened>,
    private readonly options: RecoveryOptions,
    private readonly owner: RecoveryOwner,
    private first?: Opened,
  ) {}

  /** Sends a request. Never rejects: a request that cannot be sent is answered with an error. */
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
  opened(): Promise<Opened> {
    if (this.isClosed) return Promise.reject(new UpstreamError('the connection was closed'));
    if (this.current !== undefined) return Promise.resolve(this.current);
    this.opening ??= this.openAgain().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** Sends a notification, if the server is open. */
  pass(method: string, params: Params): void {
    this.current?.channel.pass(method, params);
  }

  /** Stops reading from the server, while clients are slow. A connection that is opened meanwhile does the same. */
  pause(): void {
    this.isPaused = true;
    this.current?.channel.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.current?.channel.resume();
  }

  async close(): Promise<void> {
    this.life.abort(new UpstreamError('the connection was closed'));
    await (this.current ?? this.first)?.channel.close();
  }

  /** Opens the server once more, only to see whether it still can be opened. All that doubt it at once share the answer. */
  check(): Promise<void> {
    this.checking ??= this.open({ ...this.owner, signal: this.life.signal, lost: ignore, stderr: ignore })
      .then(({ channel }) => channel.close(), ignore)
      .finally(() => {
        this.checking = undefined;
      });
    return this.checking;
  }

  private async attempt(call: ServerCall): Promise<AnswerOverHttp> {
    const { method, signal } = call;
    for (let tries = 1; ; tries++) {
      let opened: Opened;
      try {
        opened = this.current ?? (await this.opened());
      } catch (cause) {
        const isOtherEra = cause instanceof InitializeRefused || cause instanceof EraUnavailable;
        const doubted = isOtherEra ? this : undefined;
        return { ...unreachable(method, reasonOf(cause), { http: httpOf(cause) }), doubted };
      }
      if (signal.aborted) return CANCELLED;
      const outcome = await opened.channel.request(call);
      if (!('failed' in outcome)) {
        this.happened('answers');
        const isOtherEra = 'error' in outcome && outcome.error.code === UNSUPPORTED_VERSION;
        return isOtherEra ? { ...outcome, doubted: this } : outcome;
      }
      const { failed } = outcome;
      if (failed.isRefused)
        return { ...refused(failed), doubted: isAboutCaller(failed.http) ? undefined : this };
      this.failed(opened, failed, method);
      const mostTries = failed.isUndelivered ? MAX_TRIES : MAX_DELIVERIES;
      const isLast = tries >= mostTries || isAboutCaller(failed.http);
      if (this.isClosed || isLast || !(failed.isUndelivered || isSafe(method)))
        return {
          ...unreachable(method, failed.reason, { ...failed, mayHaveRun: !failed.isUndelivered }),
          doubted: failed.http?.status === 404 ? this : undefined,
        };
      if (this.current !== undefined) await sleep(delayBefore(this.state));
    }
  }

  private failed(opened: Opened, { isSessionLost, isLost, reason }: SendFailure, method: string): void {
    // Its owner has told it already.
    if (isLost === true || this.isClosed) return;
    if (!isSessionLost) return this.happened('fails', `${reason} (${method})`);
    if (this.current !== opened) return;
    this.happened('fails', reason);
    this.current = undefined;
    // Requests that the server still answers keep this connection until then.
    opened.channel.retire();
  }

  private async openAgain(): Promise<Opened> {
    const delay = delayBefore(this.state);
    if (delay > 0) await sleep(delay);
    if (this.isClosed) throw new UpstreamError('the connection was closed');
    this.happened('opens');
    let opened: Opened | undefined;
    const owner: ChannelOwner = {
      ...this.owner,
      signal: this.life.signal,
      lost: (reason) => {
        if (this.current === opened) this.current = undefined;
        if (!this.isClosed) this.happened('fails', reason, true);
      },
      stderr: (stderr) => this.options.report?.({ upstream: this.name, stderr }),
    };
    const { first } = this;
    this.first = undefined;
    try {
      opened = first ?? (await this.open(owner));
    } catch (cause) {
      // A server that speaks another era has not failed.
      if (!this.isClosed && !(cause instanceof InitializeRefused)) this.happened('fails', reasonOf(cause));
      throw cause;
    }
    if (this.isClosed) {
      await opened.channel.close();
      throw new UpstreamError('the connection was closed');
    }
    opened.channel.owner = owner;
    this.happened('opened');
    this.current = opened;
    this.owner.opened(opened);
    if (this.isPaused) opened.channel.pause();
    return opened;
  }

  private get isClosed(): boolean {
    return this.life.signal.aborted;
  }

  private get name(): string {
    return this.options.name ?? 'upstream';
  }

  private happened(happening: UpstreamHappening, reason?: string, isLost = false): void {
    const before = this.state;
    this.state = transition(before, happening);
    const { state, restarts } = this.state;
    if (state === 'idle' || (state === before.state && happening !== 'fails')) return;
    this.options.report?.({
      upstream: this.name,
      state,
      restarts,
      ...(reason === undefined ? {} : { reason }),
      ...(isLost ? { isLost } : {}),
    });
  }
}

const ignore = (): void => undefined;

export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

export const httpOf = (cause: unknown): HttpRefusal | undefined =>
  cause instanceof UpstreamError ? cause.http : undefined;

/** An answer, with what this process must do about it. */
export type AnswerOverHttp = RefusalOverHttp & {
  /** The connection on which the server did not run the request, as a server of another era does not. */
  readonly doubted?: Recovery | undefined;
};

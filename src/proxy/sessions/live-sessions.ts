/** What must be known of a session to decide which one ends. */
export interface LiveSession {
  /** When it was last used, by the clock. */
  readonly usedAt: number;
  /** Whether a response is not complete yet, or a stream is open. */
  readonly isBusy: boolean;
  /** Whether a client waits for an answer. Many have a stream open all the time. */
  readonly isAnswering: boolean;
  /** Waits so many milliseconds for the answers of running requests, and answers those that are left with an error. */
  answerAll(waitMs: number): Promise<void>;
  close(): Promise<void>;
}

/** When sessions end. */
export interface SessionLimits {
  /** The maximum number of sessions that have a server. The least recently used one ends first. Defaults to 32. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds without a request or an open stream after which a session ends. Defaults to 30 minutes. */
  readonly idleMs?: number | undefined;
  /** The clock, in milliseconds. Defaults to `performance.now()`. */
  readonly now?: (() => number) | undefined;
}

const MAX_SESSIONS = 32;
const IDLE_MS = 30 * 60 * 1000;
/**
 * Sessions that were used in the last ten seconds end to make room for others only so many at once, and then one every
 * ten seconds. With more busy hosts than sessions, all of them would begin again all the time, and each start of a server
 * delays the calls of all others: with one per second, p99 of 64 hosts was ten times that of 32.
 */
const IN_USE = { withinMs: 10_000, atOnce: 8, everyMs: 10_000 };

/** The sessions that have a server in this process, by the key of their address: at most so many, for a time without use. */
export class LiveSessions<S extends LiveSession> {
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly now: () => number;
  // The order of insertion is the order of use: the least recently used session is the first.
  private readonly sessions = new Map<string, S>();
  private readonly opening = new Set<Promise<unknown>>();
  private evictions: { readonly left: number; readonly at: number };

  constructor({ maxSessions, idleMs, now }: SessionLimits) {
    this.maxSessions = maxSessions ?? MAX_SESSIONS;
    this.idleMs = idleMs ?? IDLE_MS;
    this.now = now ?? (() => performance.now());
    this.evictions = { left: IN_USE.atOnce, at: this.now() };
  }

  /** How many are open. */
  get size(): number {
    return this.sessions.size;
  }

  get(key: string): S | undefined {
    return this.sessions.get(key);
  }

  /**
   * Makes a session the most recently used one, unless it has ended meanwhile.
   *
   * @returns whether it is still open
   */
  use(key: string, session: S): boolean {
    if (this.sessions.get(key) !== session) return false;
    this.sessions.delete(key);
    this.sessions.set(key, session);
    return true;
  }

  /** Forgets a session that has ended by itself. */
  delete(key: string): void {
    this.sessions.delete(key);
  }

  /** Ends a session. */
  async end(key: string): Promise<void> {
    const session = this.sessions.get(key);
    this.sessions.delete(key);
    await session?.close();
  }

  /** Ends the sessions that were not used for the idle time. */
  endIdle(): void {
    const before = this.now() - this.idleMs;
    for (const [key, session] of this.sessions)
      if (!session.isBusy && session.usedAt < before) void this.end(key);
  }

  /**
   * Opens a session, in the place of others if there are too many.
   *
   * @param key the key of its address
   * @param make opens it
   * @param evict what else is due for a session that ends to make room
   * @returns the session; `undefined` if there is no room while all others are in use. Rejects if `make` does.
   */
  async open(key: string, make: () => Promise<S>, evict: (session: S) => unknown): Promise<S | undefined> {
    const ending: unknown[] = [];
    while (this.sessions.size + this.opening.size >= this.maxSessions) {
      const oldest = this.dispensable();
      if (oldest === undefined || !this.takeEviction(oldest[1])) return undefined;
      const [oldestKey, leaving] = oldest;
      ending.push(this.end(oldestKey), evict(leaving));
    }
    // The process of the new session starts after those of the ended ones have ended.
    const slot = Promise.all(ending).then(make);
    this.opening.add(slot);
    try {
      const opened = await slot;
      this.sessions.set(key, opened);
      return opened;
    } finally {
      this.opening.delete(slot);
    }
  }

  /** Ends all sessions. Requests that run have so many milliseconds to be answered; the others get an error. */
  async close(drainMs: number): Promise<void> {
    await Promise.all([...this.sessions.values()].map((each) => each.answerAll(drainMs)));
    await Promise.allSettled(this.opening);
    await Promise.all([...this.sessions.keys()].map((key) => this.end(key)));
  }

  /** The session to end if there are too many: the least recently used one without an open stream, else without an open request. */
  private dispensable(): readonly [key: string, session: S] | undefined {
    const all = [...this.sessions];
    return all.find(([, { isBusy }]) => !isBusy) ?? all.find(([, { isAnswering }]) => !isAnswering);
  }

  /** Whether a session may end for another one now. One that is in use takes one of the few that may. */
  private takeEviction({ usedAt }: S): boolean {
    const at = this.now();
    if (usedAt < at - IN_USE.withinMs) return true;
    const left = Math.min(IN_USE.atOnce, this.evictions.left + (at - this.evictions.at) / IN_USE.everyMs);
    this.evictions = { left: left < 1 ? left : left - 1, at };
    return left >= 1;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { CallAnswer } from '../../wire/calls.js';
import { isShortened, joinName, split } from '../../wire/server-names.js';
import type { Introduction } from './merge.js';

/** Milliseconds that a host waits for a server that has not answered yet: hosts give their start 30 s in all. */
const PATIENCE_MS = 10_000;
/** Milliseconds until a server that is down is tried again, doubled each time up to the last. */
const AGAIN_MS = { first: 2000, last: 60_000 };
/** Why a server is missing that has not answered yet. */
const STARTING = 'it is still starting';

/** One of several servers: what all clients share of it. */
export class Member {
  /** Why it is missing from the lists; `undefined` while it answers. */
  private unavailable: string | undefined;
  /** Its own names by names that were shortened. */
  private readonly shortened = new Map<string, string>();
  private readonly began = performance.now();
  private isRetrying = false;

  /**
   * @param slug its name within names
   * @param describe asks it what it says of itself; opens it
   * @param arrived is told that it answers after it was missing
   * @param signal aborted when the endpoint ends
   */
  constructor(
    readonly slug: string,
    private readonly describe: (member: Member) => Promise<CallAnswer>,
    private readonly arrived: () => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Why it is not asked now: it did not answer, and is tried again beside the requests of clients. */
  get down(): string | undefined {
    return this.isRetrying ? this.unavailable : undefined;
  }

  /** Takes what it lists, for names that only the list tells. */
  learn(names: readonly string[]): void {
    for (const own of names) {
      const full = joinName(this.slug, own);
      if (isShortened(full)) this.shortened.set(full, own);
    }
  }

  /**
   * Returns what it calls one of its tools or prompts; `undefined` if only its list can tell, or if it is no name of the
   * list: a policy hides the shortened name of a tool, so that tool must not answer to its full name.
   */
  ownName(full: string): string | undefined {
    const known = this.shortened.get(full);
    if (known !== undefined || isShortened(full)) return known;
    const own = split(full, '__')?.own;
    return own !== undefined && joinName(this.slug, own) === full ? own : undefined;
  }

  /**
   * Waits for one of its answers as long as the other servers may be delayed: a server that is slow to start delays its
   * endpoint once. A later answer is announced.
   *
   * @returns the answer, or why there is none yet
   */
  async inTime(answer: Promise<CallAnswer>): Promise<CallAnswer | string> {
    const waited = this.unavailable === undefined ? 0 : performance.now() - this.began;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, PATIENCE_MS - waited), undefined);
    });
    const first = await Promise.race([answer, late]).finally(() => clearTimeout(timer));
    return first ?? this.waitFor(answer);
  }

  private waitFor(answer: Promise<CallAnswer>): string {
    const reason = this.unavailable ?? STARTING;
    this.unavailable = reason;
    void answer.then((late) => {
      if (this.unavailable !== reason) return;
      if ('result' in late) this.answers();
      else this.misses(late.error.message);
    });
    return reason;
  }

  /** Must be told each time that it answered. */
  answers(): void {
    const wasMissing = this.unavailable !== undefined;
    this.unavailable = undefined;
    if (wasMissing) this.arrived();
  }

  /** Must be told that it did not answer. It is tried again until it does. */
  misses(reason: string): void {
    this.unavailable = reason;
    if (this.isRetrying) return;
    this.isRetrying = true;
    void this.retry().finally(() => {
      this.isRetrying = false;
    });
  }

  private async retry(): Promise<void> {
    const { signal } = this;
    for (let pause = AGAIN_MS.first; ; pause = Math.min(AGAIN_MS.last, pause * 2)) {
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted || this.unavailable === undefined) return;
      const found = await this.describe(this);
      if ('result' in found) return this.answers();
      this.unavailable = found.error.message;
    }
  }

  /** Asks what it says of itself, unless it is down. */
  async introduce(ask: () => Promise<CallAnswer>): Promise<Introduction> {
    const { slug } = this;
    const answer = this.down ?? (await this.inTime(ask()));
    if (typeof answer === 'string') return { slug, about: undefined, reason: answer };
    if ('result' in answer) return { slug, about: answer.result, reason: '' };
    this.misses(answer.error.message);
    return { slug, about: undefined, reason: answer.error.message };
  }
}

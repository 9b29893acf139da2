import { setTimeout as sleep } from 'node:timers/promises';
import {
  insideName,
  insideOf,
  isMinted,
  type NamedKind,
  outsideName,
} from '../../core/engine/servers/outside-names.js';
import type { UpstreamEvent } from '../../core/telemetry/upstream-event.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import type { Members } from '../../core/wire/messages.js';
import { type Introduction, STARTING } from './merge.js';

/** Milliseconds that a host waits for a server that has not answered yet: hosts give their start 30 s in all. */
export const PATIENCE_MS = 10_000;
/** Milliseconds until a server that is down is tried again, doubled each time up to the last. */
const AGAIN_MS = { first: 2000, last: 60_000 };

/** What was waited for, or why it is not there yet. */
export type InTime<T> =
  | { readonly isLate: false; readonly answer: T }
  | { readonly isLate: true; readonly reason: string };

/** One of several servers: what all clients share of it. */
export class Member {
  /** Why it is missing from the lists; `undefined` while it answers. */
  private unavailable: string | undefined;
  /** Why it could not be asked last; `undefined` if it answered, be it with an error. */
  private failing: string | undefined;
  /** Its own names by names that only the list tells. */
  private readonly minted = new Map<NamedKind, ReadonlyMap<string, string>>();
  /** Since when a list is late: the server answers other requests, and its siblings would wait each time. */
  private readonly lateSince = new Map<NamedKind, number>();
  private readonly began = performance.now();
  private isRetrying = false;
  /** Milliseconds until the next attempt. A server that ends each time that it starts must wait longer and longer. */
  private pause = 0;
  private arrivedAt = 0;

  /**
   * @param slug its name within names
   * @param again asks it something, which opens it
   * @param changed is told that it left the lists, or is back; and whether it may list something else since
   * @param signal aborted when the endpoint ends
   * @param patienceMs milliseconds that its siblings wait for it
   */
  constructor(
    readonly slug: string,
    private readonly again: () => Promise<CallAnswer>,
    private readonly changed: (isAnother: boolean) => void,
    private readonly signal: AbortSignal,
    readonly patienceMs: number = PATIENCE_MS,
  ) {}

  /** Why it is not asked now: it did not answer, and is tried again beside the requests of clients. */
  get down(): string | undefined {
    return this.isRetrying ? this.unavailable : undefined;
  }

  /** Why a list is not waited for: it is late, and was asked for less than a minute ago. */
  lateList(kind: NamedKind): string | undefined {
    const since = this.lateSince.get(kind);
    return since !== undefined && performance.now() - since < AGAIN_MS.last
      ? 'its list is not there yet'
      : undefined;
  }

  /** Must be told that a list is late, or that it is there. */
  listIsLate(kind: NamedKind, isLate: boolean): void {
    if (isLate) this.lateSince.set(kind, performance.now());
    else this.lateSince.delete(kind);
  }

  /** Takes what it lists, with the names outside, for names that only the list tells. */
  learn(kind: NamedKind, entries: readonly Members[]): void {
    const found = entries.flatMap((entry) => {
      const name = String(entry.name);
      const own = isMinted(name) ? insideOf(entry)?.own : undefined;
      return own === undefined ? [] : [[name, own] as const];
    });
    this.minted.set(kind, new Map(found));
  }

  /**
   * Returns what it calls what a name outside stands for; `undefined` if only its list can tell, or if no list has that name:
   * a policy hides the minted name of a tool, so that tool must not answer to its full name.
   */
  ownName(kind: NamedKind, outside: string): string | undefined {
    if ((kind === 'tools' || kind === 'prompts') && isMinted(outside))
      return this.minted.get(kind)?.get(outside);
    const own = insideName(kind, outside)?.own;
    return own !== undefined && outsideName(this.slug, kind, own) === outside ? own : undefined;
  }

  /**
   * Must be told what happens to it. One that ended leaves the lists at once, and is started again at once. One that only
   * lost its session may list something else when it is opened again.
   */
  happened({ state, reason, isLost }: UpstreamEvent): void {
    if (state === 'ready') return this.answers();
    if (state === 'restarting' && this.unavailable === undefined) return this.changed(true);
    if (state !== 'failed') return;
    this.failing = reason ?? 'no reason is known';
    if (isLost !== true || this.unavailable !== undefined) return;
    if (performance.now() - this.arrivedAt > AGAIN_MS.last) this.pause = 0;
    this.misses(this.failing);
    this.changed(true);
  }

  /**
   * Waits for one of its answers as long as the other servers may be delayed: a server that is slow to start delays its
   * endpoint once. Whoever waits must pass on a later answer to `answered`, which announces it.
   *
   * @returns the answer, or why there is none yet
   */
  async inTime<T>(answer: Promise<T>): Promise<InTime<T>> {
    const waited = this.unavailable === undefined ? 0 : performance.now() - this.began;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, this.patienceMs - waited), undefined);
    });
    const there = answer.then((first) => ({ isLate: false, answer: first }) as const);
    const first = await Promise.race([there, late]).finally(() => clearTimeout(timer));
    if (first !== undefined) return first;
    this.unavailable ??= STARTING;
    return { isLate: true, reason: this.unavailable };
  }

  /** Waits for an answer that is not a list. A later one is announced. */
  async answerInTime(asked: Promise<CallAnswer>): Promise<InTime<CallAnswer>> {
    const found = await this.inTime(asked);
    if (found.isLate) void asked.then((late) => this.answered(late));
    return found;
  }

  /**
   * Must be told each answer to a list: an error of a server that can be asked is about this list alone.
   *
   * @returns why it is missing from all lists
   */
  answered(answer: CallAnswer): void {
    if ('result' in answer || this.failing === undefined) this.answers();
    else this.misses(this.failing);
  }

  private answers(): void {
    const before = this.unavailable;
    this.unavailable = undefined;
    this.failing = undefined;
    if (before === undefined) return;
    this.arrivedAt = performance.now();
    // One that was late is still the same.
    this.changed(before !== STARTING);
  }

  /** It cannot be asked. It is tried again until it answers. */
  private misses(reason: string): void {
    this.unavailable = reason;
    if (this.isRetrying) return;
    this.isRetrying = true;
    void this.retry().finally(() => {
      this.isRetrying = false;
    });
  }

  private async retry(): Promise<void> {
    const { signal } = this;
    while (this.unavailable !== undefined) {
      await sleep(this.pause, undefined, { signal, ref: false }).catch(() => undefined);
      this.pause = Math.min(AGAIN_MS.last, Math.max(AGAIN_MS.first, this.pause * 2));
      if (signal.aborted || this.unavailable === undefined) return;
      if ('result' in (await this.again())) return this.answers();
      this.unavailable = this.failing ?? this.unavailable;
    }
  }

  /**
   * Takes its answer to what it says of itself, unless it is down.
   *
   * @param asked the answer
   */
  async introduce(asked: Promise<CallAnswer>): Promise<Introduction> {
    if (this.down !== undefined) return this.down;
    const found = await this.answerInTime(asked);
    if (found.isLate) return found.reason;
    const { answer } = found;
    if ('result' in answer) return answer.result;
    const reason = this.failing ?? answer.error.message;
    this.misses(reason);
    return reason;
  }
}

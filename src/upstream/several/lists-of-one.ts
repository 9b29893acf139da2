import { setTimeout as sleep } from 'node:timers/promises';
import { KINDS, type Kind } from '../../engine/policy.js';
import { MAX_AGE_MS } from '../../gate/request/catalog-cache.js';
import {
  CAPABILITIES,
  type Capability,
  LISTS,
  listChangedMethod,
  type Members,
} from '../../wire/messages.js';
import type { Notify } from '../call.js';

/** What one server lists: its results joined into one, or why it is missing. */
export type Listed =
  | {
      readonly entries: readonly Members[];
      readonly about: Members;
      readonly wrong: readonly string[];
      readonly isPartial: boolean;
    }
  | string;

/** Milliseconds between two announcements of one server, however often it announces. */
const PAUSE_MS = 1000;

/** One whose pages do not end is not walked through again soon: its siblings would wait each time. */
const isPartial = (listed: Listed): boolean => typeof listed !== 'string' && listed.isPartial;

/** Counts what all servers of a client announced together. */
export interface Announced {
  count: number;
}

/**
 * The lists of one of several servers, as one client sees it. What another server announces costs this one no request. What
 * this one announces costs one list at a time, and one afterwards: the client is told when the new list is there.
 */
export class ListsOfOne {
  private readonly kept = new Map<Kind, { readonly listed: Listed; readonly at: number; seen: number }>();
  /** Whether a capability was announced again while its lists are read. */
  private readonly running = new Map<Capability, boolean>();

  /**
   * @param list lists one kind of primitive
   * @param announced what all servers announced
   * @param signal aborted when the client has left
   */
  constructor(
    private readonly list: (kind: Kind) => Promise<Listed>,
    private readonly announced: Announced,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns the list that is at hand after an announcement; `undefined` if the server must be asked. */
  get(kind: Kind): Listed | undefined {
    const kept = this.kept.get(kind);
    if (
      kept === undefined ||
      (kept.seen === this.announced.count && !isPartial(kept.listed)) ||
      Date.now() - kept.at > MAX_AGE_MS
    )
      return undefined;
    kept.seen = this.announced.count;
    return kept.listed;
  }

  keep(kind: Kind, listed: Listed): void {
    if (typeof listed === 'string') this.kept.delete(kind);
    else this.kept.set(kind, { listed, at: Date.now(), seen: this.announced.count });
  }

  /** The server may list something else, without an announcement of its own. */
  forget(): void {
    this.kept.clear();
  }

  /** Passes on what the server tells: that a list changed as soon as the new one is there. */
  after(tell: Notify): Notify {
    return (method, params) => {
      const capability = CAPABILITIES.find((each) => method === listChangedMethod(each));
      if (capability === undefined) return tell(method, params);
      const kinds = KINDS.filter((kind) => LISTS[kind].capability === capability && this.kept.has(kind));
      if (this.running.has(capability)) return void this.running.set(capability, true);
      void this.renew(capability, kinds, () => tell(method, params));
    };
  }

  private async renew(capability: Capability, kinds: readonly Kind[], tell: () => void): Promise<void> {
    const { running, signal } = this;
    do {
      running.set(capability, false);
      await Promise.all(kinds.map(async (kind) => this.keep(kind, await this.list(kind))));
      this.announced.count++;
      tell();
      await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    } while (running.get(capability) === true && !signal.aborted);
    running.delete(capability);
  }
}

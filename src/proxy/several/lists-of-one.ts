import { KINDS, type Kind } from '../../core/engine/policy.js';
import type { LeftOut } from '../../core/engine/servers/left-out.js';
import { MAX_AGE_MS } from '../../core/gate/request/catalog-cache.js';
import { getOrMake } from '../../core/once.js';
import { type Capability, LISTS, type Members } from '../../core/wire/messages.js';
import { latest, type Pace } from './bounds.js';

/** The first ones of what is left out of a list, and how many there are. */
export interface AllLeftOut {
  readonly first: readonly LeftOut[];
  readonly count: number;
}

/** What one server lists: its results joined into one, or why it is missing. */
export type Listed =
  | {
      readonly entries: readonly Members[];
      readonly about: Members;
      readonly leftOut: AllLeftOut;
      /** Whether its pages did not end: its siblings would wait each time that it is listed. */
      readonly isPartial: boolean;
    }
  | string;

/** How often the client is told that lists of one server changed, however often that server says so. */
const ANNOUNCED = { times: 1, ms: 1000 };

/** Counts what all servers of a client announced together, by capability. */
export type Announcements = Map<Capability, number>;

/** Is told what a walk through the pages of a list brought, also if nobody waits for it any more. */
export type KeepListed = (listed: Listed) => void;

interface Kept {
  readonly listed: Listed;
  readonly at: number;
  /** Whether the server announced a change while it was read: the client was told after that, and gets another one. */
  readonly isOutdated: boolean;
  /** Whether its siblings would wait each time that it is read. */
  readonly isSlow: boolean;
  /** When its walk began, as the number of the walk. */
  readonly walk: number;
  /** How many announcements there were when it was read, and those since after which the client got it again. */
  seen: number;
}

/**
 * The lists of one of several servers, as one client sees it. What another server announces costs this one no request. What
 * this one announces costs one list at a time, and one afterwards: the client is told when the new list is there.
 */
export class ListsOfOne {
  private readonly kept = new Map<Kind, Kept>();
  private walks = 0;
  /** Walks up to this one began before an announcement: what they bring is outdated. */
  private readonly outdated = new Map<Kind, number>();
  /** Walks up to this one began before the server was another one. */
  private forgotten = 0;
  private readonly paces = new Map<Capability, Pace>();
  /** Whether a capability was announced again while its lists are read. */
  private readonly renewing = new Map<Capability, boolean>();
  /** Capabilities that were announced, and of which the client is not told yet. */
  private readonly due = new Set<Capability>();

  /**
   * @param list lists one kind of primitive. It resolves with a text if the list is late, and gives the list to `keep` later
   * @param announcements what all servers announced
   * @param tell tells the client that the lists of a capability changed
   * @param signal aborted when the client has left
   */
  constructor(
    private readonly list: (kind: Kind, keep: KeepListed) => Promise<Listed>,
    private readonly announcements: Announcements,
    private readonly tell: (capability: Capability) => void,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Lists one kind: once after each announcement from what is at hand, otherwise from the server. If the server does not answer in
   * time, what it listed last is answered: its siblings wait for a slow server once, and not each time.
   */
  async read(kind: Kind, list: (keep: KeepListed) => Promise<Listed>): Promise<Listed> {
    const kept = this.kept.get(kind);
    const { seen } = this.now(kind);
    // The client is told when there is a newer one. Whoever waited for it would wait for a server that never stops announcing.
    if (kept !== undefined && this.due.has(LISTS[kind].capability)) return kept.listed;
    const isFresh = kept !== undefined && !kept.isOutdated && Date.now() - kept.at <= MAX_AGE_MS;
    if (isFresh && (kept.seen !== seen || kept.isSlow)) {
      // One by one: announcements can wait until an earlier one was dealt with.
      kept.seen = Math.min(kept.seen + 1, seen);
      return kept.listed;
    }
    const walk = ++this.walks;
    const reading = { hasEnded: false, isLate: false };
    const listed = await list((found) => {
      const isOutdated = walk <= (this.outdated.get(kind) ?? 0);
      this.keep(kind, found, walk, { isOutdated, isSlow: reading.isLate || isPartial(found) });
      reading.hasEnded = true;
    });
    if (reading.hasEnded) return listed;
    reading.isLate = true;
    return this.kept.get(kind)?.listed ?? listed;
  }

  /** The server may list something else, without an announcement of its own. */
  forget(): void {
    this.forgotten = this.walks;
    this.kept.clear();
  }

  /** The server announces that the lists of a capability changed. */
  announced(capability: Capability): void {
    for (const kind of kindsOf(capability)) this.outdated.set(kind, this.walks);
    this.due.add(capability);
    if (this.renewing.has(capability)) return void this.renewing.set(capability, true);
    const pace = getOrMake(this.paces, capability, () => latest(ANNOUNCED));
    pace.pass(() => void this.renew(capability));
  }

  /** The client has left. */
  stop(): void {
    for (const pace of this.paces.values()) pace.stop();
  }

  private async renew(capability: Capability): Promise<void> {
    const { renewing, announcements } = this;
    renewing.set(capability, false);
    const kinds = kindsOf(capability).filter((kind) => this.kept.has(kind));
    await Promise.all(
      kinds.map(async (kind) => {
        const walk = ++this.walks;
        await this.list(kind, (found) => {
          this.keep(kind, found, walk, { isOutdated: false, isSlow: isPartial(found) });
        });
      }),
    );
    if (this.signal.aborted) return;
    if (renewing.get(capability) !== true) this.due.delete(capability);
    announcements.set(capability, (announcements.get(capability) ?? 0) + 1);
    this.tell(capability);
    const isAgain = renewing.get(capability) === true;
    renewing.delete(capability);
    if (isAgain) this.announced(capability);
  }

  /** A walk may end after one that began later. */
  private keep(kind: Kind, listed: Listed, walk: number, found: Pick<Kept, 'isOutdated' | 'isSlow'>): void {
    if (walk <= this.forgotten || walk < (this.kept.get(kind)?.walk ?? 0)) return;
    if (typeof listed === 'string') this.kept.delete(kind);
    else this.kept.set(kind, { listed, ...found, ...this.now(kind), walk });
  }

  private now(kind: Kind): Pick<Kept, 'at' | 'seen'> {
    return { at: Date.now(), seen: this.announcements.get(LISTS[kind].capability) ?? 0 };
  }
}

const isPartial = (listed: Listed): boolean => typeof listed !== 'string' && listed.isPartial;

const kindsOf = (capability: Capability): readonly Kind[] =>
  KINDS.filter((kind) => LISTS[kind].capability === capability);

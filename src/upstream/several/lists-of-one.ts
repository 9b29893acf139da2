import { KINDS, type Kind } from '../../engine/policy.js';
import type { LeftOut } from '../../engine/servers/left-out.js';
import { MAX_AGE_MS } from '../../gate/request/catalog-cache.js';
import { getOrMake } from '../../once.js';
import { type Capability, LISTS, type Members } from '../../wire/messages.js';
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

interface Kept {
  readonly listed: Listed;
  readonly at: number;
  /** When its walk began, as the number of the walk. */
  readonly walk: number;
  /** How many announcements there were when the client got it last. */
  seen: number;
}

/**
 * The lists of one of several servers, as one client sees it. What another server announces costs this one no request. What
 * this one announces costs one list at a time, and one afterwards: the client is told when the new list is there.
 */
export class ListsOfOne {
  private readonly kept = new Map<Kind, Kept>();
  private walks = 0;
  /** Walks up to this one began before an announcement: what they bring is passed on, and not kept. */
  private readonly outdated = new Map<Kind, number>();
  /** Walks up to this one began before the server was another one. */
  private forgotten = 0;
  private readonly paces = new Map<Capability, Pace>();
  /** Whether a capability was announced again while its lists are read. */
  private readonly renewing = new Map<Capability, boolean>();

  /**
   * @param list lists one kind of primitive
   * @param announcements what all servers announced
   * @param tell tells the client that the lists of a capability changed
   * @param signal aborted when the client has left
   */
  constructor(
    private readonly list: (kind: Kind) => Promise<Listed>,
    private readonly announcements: Announcements,
    private readonly tell: (capability: Capability) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Lists one kind: once after an announcement from what is at hand, otherwise from the server. */
  async read(kind: Kind, list: () => Promise<Listed>): Promise<Listed> {
    const kept = this.kept.get(kind);
    const { seen } = this.now(kind);
    const isFresh = kept !== undefined && Date.now() - kept.at <= MAX_AGE_MS;
    if (isFresh && (kept.seen !== seen || isPartial(kept.listed))) {
      kept.seen = seen;
      return kept.listed;
    }
    const walk = ++this.walks;
    const listed = await list();
    if (walk > (this.outdated.get(kind) ?? 0)) this.keep(kind, listed, walk);
    return listed;
  }

  /** The server may list something else, without an announcement of its own. */
  forget(): void {
    this.forgotten = this.walks;
    this.kept.clear();
  }

  /** The server announces that the lists of a capability changed. */
  announced(capability: Capability): void {
    for (const kind of kindsOf(capability)) this.outdated.set(kind, this.walks);
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
        this.keep(kind, await this.list(kind), walk);
      }),
    );
    if (this.signal.aborted) return;
    announcements.set(capability, (announcements.get(capability) ?? 0) + 1);
    this.tell(capability);
    const isAgain = renewing.get(capability) === true;
    renewing.delete(capability);
    if (isAgain) this.announced(capability);
  }

  /** A walk may end after one that began later. */
  private keep(kind: Kind, listed: Listed, walk: number): void {
    if (walk <= this.forgotten || walk < (this.kept.get(kind)?.walk ?? 0)) return;
    if (typeof listed === 'string') this.kept.delete(kind);
    else this.kept.set(kind, { listed, ...this.now(kind), walk });
  }

  private now(kind: Kind): Pick<Kept, 'at' | 'seen'> {
    return { at: Date.now(), seen: this.announcements.get(LISTS[kind].capability) ?? 0 };
  }
}

const isPartial = (listed: Listed): boolean => typeof listed !== 'string' && listed.isPartial;

const kindsOf = (capability: Capability): readonly Kind[] =>
  KINDS.filter((kind) => LISTS[kind].capability === capability);

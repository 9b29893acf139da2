import { once } from '../core/once.js';

/** Connections that a process keeps for their callers although no request uses them. The least recently used one ends first. */
const MAX_IDLE = 16;

interface IdleLink<Link> {
  readonly link: Link;
  /** The requests, streams and parked calls that need it, also while it is being opened. */
  users: number;
}

/** Connections that are kept between requests, by who may use them. None ends while somebody uses it. */
export class Pool<Link extends { release(): Promise<void> }> {
  /** The order of insertion is the order of use. */
  private readonly kept = new Map<string, IdleLink<Link>>();

  /** Returns the connection of a key for one user more, who must release it. */
  use(key: string, make: () => Link): Link {
    const kept = this.kept.get(key) ?? { link: make(), users: 0 };
    this.kept.delete(key);
    this.kept.set(key, kept);
    kept.users++;
    const release = once(async () => {
      kept.users--;
      if (this.kept.get(key) === kept) await this.trim();
      else if (kept.users === 0) await kept.link.release();
    });
    return { ...kept.link, release };
  }

  /** The connection of a key, if it is kept. */
  peek(key: string): Link | undefined {
    return this.kept.get(key)?.link;
  }

  get links(): readonly Link[] {
    return [...this.kept.values()].map(({ link }) => link);
  }

  /** Gives nobody one of these connections any more. Those that are used end after that. */
  async clear(): Promise<void> {
    const idle = this.idle();
    this.kept.clear();
    await Promise.all(idle.map(([, { link }]) => link.release()));
  }

  private idle(): readonly (readonly [string, IdleLink<Link>])[] {
    return [...this.kept].filter(([, { users }]) => users === 0);
  }

  private async trim(): Promise<void> {
    const idle = this.idle();
    for (const [key, { link }] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE))) {
      this.kept.delete(key);
      await link.release();
    }
  }
}

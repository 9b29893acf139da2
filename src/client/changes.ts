import { CAPABILITIES, ERRORS, LISTS, listChangedMethod, read } from '../protocol/messages/wire.js';
import { KINDS, type Kind } from './carry.js';

/** A list that was taken anew: its result, or why it could not be taken. */
export type Taken =
  | { readonly kind: Kind; readonly list: object }
  | { readonly kind: Kind; readonly error: unknown };

interface Watcher {
  readonly kinds: readonly Kind[];
  readonly tell: (taken: Taken) => void;
}

export interface RefresherPorts {
  /** Takes a list to its last page. */
  take(kind: Kind): Promise<object>;
  /** Whether the server has such a list. */
  has(kind: Kind): boolean;
  /** Something that a watcher threw. */
  report(error: Error): void;
}

/**
 * Takes lists anew when they may have changed, each once however often that is said meanwhile, one after the other: the
 * last that a watcher hears is the newest.
 */
export class Refresher {
  private readonly watchers = new Set<Watcher>();
  private readonly stale = new Set<Kind>();
  private running = false;
  private holds = 0;

  constructor(private readonly ports: RefresherPorts) {}

  /** @returns a function that ends it */
  watch(kinds: readonly Kind[], tell: (taken: Taken) => void): () => void {
    const watcher = { kinds, tell };
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** Takes a message of the server: `list_changed` makes its lists stale. */
  notice(message: object): void {
    const method = read(message, 'method');
    const capability = CAPABILITIES.find((each) => listChangedMethod(each) === method);
    if (capability !== undefined) this.mark(KINDS.filter((kind) => LISTS[kind].capability === capability));
  }

  /**
   * Waits with taking lists until something is done: what a server announces meanwhile belongs to it.
   *
   * @param change does it
   * @param changed whether all lists may be others after it
   */
  async during<T>(change: () => Promise<T>, changed: (result: T) => boolean): Promise<T> {
    this.holds += 1;
    try {
      const result = await change();
      if (changed(result)) this.mark(KINDS);
      return result;
    } finally {
      this.holds -= 1;
      void this.run();
    }
  }

  private mark(kinds: readonly Kind[]): void {
    for (const kind of kinds) this.stale.add(kind);
    void this.run();
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    // What the message or the answer changes is to be done before the first request.
    await Promise.resolve();
    for (const kind of KINDS) {
      if (this.holds > 0) break;
      if (!this.stale.delete(kind) || !this.isWatched(kind)) continue;
      const taken = await this.ports.take(kind).then(
        (list) => ({ kind, list }),
        (error: unknown) => ({ kind, error }),
      );
      // A server with resources need not have templates.
      if (!('error' in taken) || read(taken.error, 'code') !== ERRORS.methodNotFound) this.tell(taken);
    }
    this.running = false;
    if (this.stale.size > 0 && this.holds === 0) void this.run();
  }

  private isWatched(kind: Kind): boolean {
    return this.ports.has(kind) && [...this.watchers].some(({ kinds }) => kinds.includes(kind));
  }

  private tell(taken: Taken): void {
    for (const { kinds, tell } of [...this.watchers]) {
      if (!kinds.includes(taken.kind)) continue;
      try {
        tell(taken);
      } catch (cause) {
        this.ports.report(cause instanceof Error ? cause : new Error(String(cause)));
      }
    }
  }
}

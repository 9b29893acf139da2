import { CAPABILITIES, ERRORS, LISTS, listChangedMethod, read } from '../core/wire/messages.js';
import { KINDS, type Kind } from './request-meta.js';

/** A list that was fetched again: its result, or the error. */
export type FetchedList =
  | { readonly kind: Kind; readonly list: object }
  | { readonly kind: Kind; readonly error: unknown };

interface Listener {
  readonly kinds: readonly Kind[];
  readonly notify: (fetched: FetchedList) => void;
}

/**
 * Milliseconds in which announcements of one change are gathered. A server announces each list for itself, and over HTTP on
 * another connection than that of the answer to an update, so they may arrive after the answer.
 */
const GATHER_MS = 50;

/** The message types of the two SDKs differ, so this names none. */
type OnMessage = (message: object, ...rest: readonly unknown[]) => void;

/**
 * Fetches lists again after they changed. Several announcements of one change lead to one request, and requests never
 * overlap, so the last list that a listener receives is the newest.
 */
export class ListRefresher {
  private readonly listeners = new Set<Listener>();
  private readonly stale = new Set<Kind>();
  private readonly watched = new WeakSet<object>();
  private running = false;
  /** The number of updates under way. Lists are not fetched before they are done. */
  private updates = 0;

  /**
   * @param fetch fetches all pages of a list
   * @param has returns whether the server has this list
   * @param onError receives errors that listeners throw
   */
  constructor(
    private readonly fetch: (kind: Kind) => Promise<object>,
    private readonly has: (kind: Kind) => boolean,
    private readonly onError: (error: Error) => void,
  ) {}

  /** Returns a function that removes the listener. */
  listen(kinds: readonly Kind[], notify: (fetched: FetchedList) => void): () => void {
    const listener = { kinds, notify };
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * Handles every message that a transport receives, before the client does. The host's own handlers for `list_changed` and
   * the SDK's `listChanged` option still work.
   *
   * @param transport a transport that the client is connected to
   */
  watch(transport: { onmessage?: OnMessage | undefined }): void {
    if (this.watched.has(transport)) return;
    this.watched.add(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, ...rest) => {
      this.handleMessage(message);
      onmessage?.call(transport, message, ...rest);
    };
  }

  /** Marks lists as stale if the message is a `list_changed` notification. */
  handleMessage(message: object): void {
    const method = read(message, 'method');
    const capability = CAPABILITIES.find((each) => listChangedMethod(each) === method);
    if (capability !== undefined)
      this.markStale(KINDS.filter((kind) => LISTS[kind].capability === capability));
  }

  /**
   * Runs an update of the preferences. A server announces list changes before it answers the update, so lists are
   * fetched only after the answer.
   *
   * @param update sends the update
   * @param changesLists whether all lists may have changed, given the update's result
   * @returns the update's result
   */
  async duringUpdate<T>(update: () => Promise<T>, changesLists: (result: T) => boolean): Promise<T> {
    this.updates += 1;
    try {
      const result = await update();
      if (changesLists(result)) this.markStale(KINDS);
      return result;
    } finally {
      this.updates -= 1;
      void this.run();
    }
  }

  private markStale(kinds: readonly Kind[]): void {
    for (const kind of kinds) if (this.hasListeners(kind)) this.stale.add(kind);
    void this.run();
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    for (const kind of KINDS) {
      if (this.updates > 0) break;
      if (!this.stale.delete(kind) || !this.hasListeners(kind)) continue;
      const fetched = await this.fetch(kind).then(
        (list) => ({ kind, list }),
        (error: unknown) => ({ kind, error }),
      );
      // A server with resources may not implement resource templates.
      const missing = 'error' in fetched && read(fetched.error, 'code') === ERRORS.methodNotFound;
      if (!missing) this.notify(fetched);
    }
    this.running = false;
    if (this.stale.size > 0 && this.updates === 0) void this.run();
  }

  private hasListeners(kind: Kind): boolean {
    return this.has(kind) && [...this.listeners].some(({ kinds }) => kinds.includes(kind));
  }

  private notify(fetched: FetchedList): void {
    for (const { kinds, notify } of [...this.listeners]) {
      if (!kinds.includes(fetched.kind)) continue;
      try {
        notify(fetched);
      } catch (cause) {
        this.onError(cause instanceof Error ? cause : new Error(String(cause)));
      }
    }
  }
}

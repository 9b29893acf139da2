import type { RequestId } from './wire.js';

/** A request of the client that has no answer yet. */
export interface LedgerEntry {
  /** The id that the client gave it, of any JSON type. */
  readonly clientId: RequestId;
}

/** How many cancelled requests are kept for a late answer. A server that heeds a cancellation never answers. */
const MAX_CANCELLED = 1000;

/** A cancelled request, and the id under which the server knows it. */
export interface Cancelled<E> {
  readonly id: RequestId;
  readonly entry: E;
}

/**
 * The requests of one client that have no answer yet. Under `enforce`, each has an id of the ledger's own, and the server
 * never sees the client's. So an answer belongs to exactly one request, whatever ids the client repeats.
 *
 * @example
 * const id = ledger.enter({ clientId: request.id });
 * toServer({ ...request, id });
 * const entry = ledger.take(answer.id);
 */
export class Ledger<E extends LedgerEntry> {
  private readonly entries = new Map<unknown, E>();
  /** The id of the latest request with each client id, if it has an id of the ledger. Created by the first such request. */
  private latest: Map<unknown, RequestId> | undefined;
  /** The ids of cancelled requests, oldest first. Created by the first such request. */
  private cancelled: Set<unknown> | undefined;
  private prefix: string | undefined;
  private count = 0;

  /** How many requests have no answer yet, without cancelled ones. */
  get pending(): number {
    return this.entries.size - (this.cancelled?.size ?? 0);
  }

  /** Enters a request, and returns its new id. The id is random, so that no client can use it itself. */
  enter(entry: E): RequestId {
    this.prefix ??= crypto.randomUUID();
    const id = `${this.prefix}/${++this.count}`;
    this.entries.set(id, entry);
    this.latest ??= new Map();
    this.latest.set(entry.clientId, id);
    return id;
  }

  /** Enters a request under the client's own id. The request before it with this id must have been answered. */
  enterAsSent(entry: E): RequestId {
    this.entries.set(entry.clientId, entry);
    return entry.clientId;
  }

  /** Returns the request with this id, which may be cancelled. */
  find(id: unknown): E | undefined {
    return this.entries.get(id);
  }

  isCancelled(id: RequestId): boolean {
    return this.cancelled?.has(id) ?? false;
  }

  /** Removes the request that an answer belongs to, and returns it; `undefined` if the answer belongs to none. */
  take(id: unknown): E | undefined {
    const entry = this.entries.get(id);
    if (entry === undefined) return undefined;
    this.entries.delete(id);
    this.cancelled?.delete(id);
    if (id !== entry.clientId && this.latest?.get(entry.clientId) === id) {
      this.latest?.delete(entry.clientId);
    }
    return entry;
  }

  /** Removes the latest request with a client's id, because it was answered with an error. */
  takeLatest(clientId: RequestId): void {
    this.take(this.latest?.get(clientId) ?? clientId);
  }

  /**
   * Cancels the latest request with a client's id. A request with an id of the ledger stays, so that a late answer is
   * handled like any other; one with the client's own id is removed, because the client may use the id again.
   *
   * @returns the request; `undefined` if there is none
   */
  cancel(clientId: unknown): Cancelled<E> | undefined {
    const id = this.latest?.get(clientId);
    if (id === undefined) {
      const entry = this.entries.get(clientId);
      // The client must not cancel by an id of the ledger, which another client id belongs to.
      if (entry === undefined || entry.clientId !== clientId) return undefined;
      this.entries.delete(clientId);
      return { id: entry.clientId, entry };
    }
    const entry = this.entries.get(id);
    if (entry === undefined) return undefined;
    this.latest?.delete(clientId);
    this.cancelled ??= new Set();
    this.cancelled.add(id);
    const [oldest] = this.cancelled;
    if (this.cancelled.size > MAX_CANCELLED) this.take(oldest);
    return { id, entry };
  }
}

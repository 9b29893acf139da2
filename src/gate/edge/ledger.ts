import type { RequestId } from '../../wire/messages.js';

/** A request of the client that has no answer yet. */
export interface LedgerEntry {
  /** The id that the client gave it, of any JSON type. */
  readonly clientId: RequestId;
}

/** How many cancelled requests are kept for a late answer. A server that heeds a cancellation never answers. */
const MAX_CANCELLED = 1000;

/** A cancelled request, and its id in the ledger. */
export interface Cancelled<E> {
  readonly id: RequestId;
  readonly entry: E;
}

/**
 * The requests of one client that the gate handles and that have no answer yet. Each has an id of the ledger's own, and the
 * server never sees the client's. So an answer belongs to exactly one request, whatever ids the client repeats. Requests
 * that pass by the gate keep the client's id. No client can guess an id of the ledger, so both kinds can be sent together.
 *
 * @example
 * const id = ledger.enter({ clientId: request.id });
 * toServer({ ...request, id });
 * const entry = ledger.take(answer.id);
 */
export class Ledger<E extends LedgerEntry> {
  private readonly entries = new Map<unknown, E>();
  /** The ledger's id of the latest request with each client id. */
  private readonly latest = new Map<unknown, RequestId>();
  /** The ids of cancelled requests, oldest first. Created by the first such request. */
  private cancelled: Set<unknown> | undefined;
  private prefix: string | undefined;
  private count = 0;

  /** How many requests have no answer yet, without cancelled ones. */
  get pending(): number {
    return this.entries.size - (this.cancelled?.size ?? 0);
  }

  /** Whether no answer can arrive any more, not even to a cancelled request. */
  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** Enters a request, and returns its new id. The id is random, so that no client can use it itself. */
  enter(entry: E): RequestId {
    this.prefix ??= crypto.randomUUID();
    const id = `${this.prefix}/${++this.count}`;
    this.entries.set(id, entry);
    this.latest.set(entry.clientId, id);
    return id;
  }

  /** Whether an id has the form of this ledger's ids: an answer without a request in the ledger then belongs to nobody. */
  owns(id: unknown): boolean {
    return this.prefix !== undefined && typeof id === 'string' && id.startsWith(this.prefix);
  }

  /** Returns the request with this id, which may be cancelled. */
  find(id: unknown): E | undefined {
    return this.entries.get(id);
  }

  /** Returns the requests in the ledger, also cancelled ones. */
  all(): Iterable<E> {
    return this.entries.values();
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
    if (this.latest.get(entry.clientId) === id) this.latest.delete(entry.clientId);
    return entry;
  }

  /**
   * Cancels the latest request with a client's id. It stays in the ledger, so that a late answer is handled like any other.
   *
   * @returns the request; `undefined` if there is none
   */
  cancel(clientId: unknown): Cancelled<E> | undefined {
    const id = this.latest.get(clientId);
    const entry = this.entries.get(id);
    if (id === undefined || entry === undefined) return undefined;
    this.latest.delete(clientId);
    this.cancelled ??= new Set();
    this.cancelled.add(id);
    const [oldest] = this.cancelled;
    if (this.cancelled.size > MAX_CANCELLED) this.take(oldest);
    return { id, entry };
  }
}

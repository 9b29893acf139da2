import {
  type Answer,
  ERRORS,
  eraOf,
  type Failure,
  failure,
  type Message,
  type Request,
  type RequestId,
} from '../../wire/messages.js';
import type { AskServer } from '../../wire/page-walker.js';

/** How many cancelled requests are kept for a late answer. A server that heeds a cancellation never answers. */
const MAX_CANCELLED = 1000;
/** How many requests that passed by are kept: a server that heeds a cancellation never answers. */
const MAX_PASSED = 1000;

/** To whom the gate itself sends a request. */
export type Side = 'server' | 'client';

type OnResponse = (response: Answer | Failure) => void;

/**
 * The requests on one connection that have no answer yet.
 *
 * - Those of the client that the gate handles. Each has an id of the ledger's own, and the server never sees the client's.
 *   So an answer belongs to exactly one request, whatever ids the client repeats.
 * - Those that passed by the gate. They keep the client's id. An id is in the ledger as often as the client used it: then
 *   as many answers belong to it.
 * - Those of the gate itself, to the server or to the client.
 *
 * No client can guess an id of the ledger, so all can be sent together.
 *
 * @example
 * const id = ledger.enter({ clientId: request.id });
 * toServer({ ...request, id });
 * const entry = ledger.take(answer.id);
 */
export class Ledger<E extends { readonly clientId: RequestId }> {
  private readonly entries = new Map<unknown, E>();
  /** The ledger's id of the latest request with each client id. */
  private readonly latest = new Map<unknown, RequestId>();
  // The others are created when they are first needed: many connections serve a single request.
  /** The ids of cancelled requests, oldest first. */
  private cancelled: Set<unknown> | undefined;
  /** Rarely more than a few: for these, searching a list costs less than a Map. */
  private readonly passed: unknown[] = [];
  private readonly asked: { [S in Side]?: Map<unknown, OnResponse> } = {};
  private unsent: (() => void)[] | undefined;
  private readonly prefixes: { [S in Side]?: string } = {};
  private count = 0;

  /** Whether no answer can arrive any more to a request that the gate handles, not even to a cancelled one. */
  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** Enters a request, and returns its new id. The id is random, so that no client can use it itself. */
  enter(entry: E): RequestId {
    const id = this.nextId('server');
    this.entries.set(id, entry);
    this.latest.set(entry.clientId, id);
    return id;
  }

  /** The ids that the server knows must stay unknown to the client. */
  private nextId(side: Side): string {
    this.prefixes[side] ??= crypto.randomUUID();
    return `${this.prefixes[side]}/${++this.count}`;
  }

  /** Whether an id has the form of this ledger's ids: an answer without a request in the ledger then belongs to nobody. */
  owns(id: unknown): boolean {
    return typeof id === 'string' && Object.values(this.prefixes).some((prefix) => id.startsWith(prefix));
  }

  /** Returns the request with this id, which may be cancelled. */
  find(id: unknown): E | undefined {
    return this.entries.get(id);
  }

  /** Returns the requests that the gate handles, also cancelled ones. */
  all(): Iterable<E> {
    return this.entries.values();
  }

  /**
   * Returns the id that the client gave a request. The server may know it under another id, which it uses to tell its
   * transport what a notification belongs to.
   */
  clientIdOf(id: RequestId): RequestId {
    return this.find(id)?.clientId ?? id;
  }

  /** Removes a request that the gate answers. Returns false if the client cancelled it. */
  leave(id: RequestId): boolean {
    const isWanted = this.cancelled?.has(id) !== true;
    return this.take(id) !== undefined && isWanted;
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
  cancel(clientId: unknown): { readonly id: RequestId; readonly entry: E } | undefined {
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

  /** Notes a request that passed by. */
  passBy(id: unknown): void {
    this.passed.push(id);
    if (this.passed.length > MAX_PASSED) this.passed.shift();
  }

  hasPassed(id: unknown): boolean {
    return this.passed.includes(id);
  }

  /** Removes the request that passed by and that an answer belongs to. Returns false if there is none. */
  takePassed(id: unknown): boolean {
    const at = this.passed.indexOf(id);
    if (at !== -1) this.passed.splice(at, 1);
    return at !== -1;
  }

  /** Whether the gate awaits a response of this side. */
  awaits(side: Side): boolean {
    return (this.asked[side]?.size ?? 0) > 0;
  }

  /**
   * Returns a function that sends requests of the gate, on behalf of a client's request. One request is sent after the
   * other: if a server answers immediately, page after page, each request would otherwise be sent from within the response
   * to the one before, thousands of calls deep.
   *
   * @param side to whom they are sent
   * @param request the client's request
   * @param send delivers a message to that side
   */
  asker(side: Side, request: Request, send: (message: Message) => void): AskServer {
    const envelope = envelopeOf(request);
    return (method, params, onResponse) => {
      this.asked[side] ??= new Map();
      const id = this.nextId(side);
      this.asked[side]?.set(id, onResponse);
      this.sendInTurn(() => {
        try {
          send({ jsonrpc: '2.0', id, method, params: { ...params, ...envelope } });
        } catch {
          this.answered(
            side,
            failure(id, ERRORS.internal, `The server did not accept the ${method} request.`),
          );
        }
      });
    };
  }

  /** Returns true if a message is the response to a request of the gate: then nothing else may handle it. */
  answered(side: Side, message: Answer | Failure): boolean {
    const onResponse = this.asked[side]?.get(message.id);
    if (onResponse === undefined) return false;
    this.asked[side]?.delete(message.id);
    onResponse(message);
    return true;
  }

  private sendInTurn(send: () => void): void {
    if (this.unsent !== undefined) {
      this.unsent.push(send);
      return;
    }
    this.unsent = [send];
    try {
      for (let next = this.unsent.shift(); next !== undefined; next = this.unsent.shift()) next();
    } finally {
      this.unsent = undefined;
    }
  }
}

/** Modern servers refuse requests without the protocol version and the client's capabilities in `_meta`. */
function envelopeOf(request: Request): { _meta?: object } {
  if (eraOf(request) === 'legacy') return {};
  const meta = Object.entries(request.params?._meta as object);
  return { _meta: Object.fromEntries(meta.filter(([name]) => name.startsWith('io.modelcontextprotocol/'))) };
}

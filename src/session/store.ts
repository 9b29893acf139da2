/** What a host wants, as it was accepted: concern names and values, perhaps a preset. */
export type HostConcerns = { readonly [name: string]: unknown };

/** What is kept of a legacy session between requests. Plain JSON. */
export interface SessionRecord {
  readonly concerns?: HostConcerns;
  /** The lists whose changes the server announces, from its `initialize` result. */
  readonly listChanged?: readonly string[];
  /** What the client said that it can do, where rules of the policy read that. */
  readonly clientCapabilities?: unknown;
  /** Under the id of a task: the tool that made it. */
  readonly tool?: string;
}

/**
 * What a store knows of a session id: a live session, one that was ended by the client and is not to come back, or
 * nothing (never seen, or expired).
 */
export type SessionRead =
  | { readonly state: 'live'; readonly record: SessionRecord }
  | { readonly state: 'ended' }
  | { readonly state: 'unknown' };

/**
 * Keeps the preferences of sessions. Every implementation passes one behaviour suite:
 *
 * - `update` sets the given fields of the record and leaves the others, creates the record if there is none, and is
 *   durable when its promise resolves; the last one wins. Under an ended id it changes nothing and says so.
 * - `read` after an update sees that update or a later one, from every process that shares the store.
 * - `end` leaves a mark until it expires, so that an update under way cannot bring the session back.
 * - A record expires some time after the last `read` or `update`.
 * - A promise rejects if the store cannot be reached; then nothing is known to have changed.
 */
export interface SessionStore {
  read(id: string): Promise<SessionRead>;
  update(id: string, change: SessionRecord): Promise<'stored' | 'ended'>;
  end(id: string): Promise<void>;
}

/** A host's accepted preferences: concern names and values, and possibly a preset. */
export type HostConcerns = { readonly [name: string]: unknown };

/** What a store keeps for a legacy session, or for a verified caller, between requests. Plain JSON. */
export interface SessionRecord {
  readonly concerns?: HostConcerns;
  /** Whether a person chose `concerns` in this session, where preferences are also kept per caller. */
  readonly acted?: boolean;
  /** The lists whose changes the server announces, according to its `initialize` result. */
  readonly listChanged?: readonly string[];
  /** The part of the client's capabilities that rules of the policy read. */
  readonly clientCapabilities?: unknown;
  /** How the client names itself, if the policy reads it. */
  readonly clientInfo?: unknown;
  /** The paths that these were read from. Without them, `clientCapabilities` is all of the capabilities. */
  readonly clientPaths?: readonly string[];
  /** Which questions the client can answer, if the server has tasks: the part of its capabilities that says so. */
  readonly questions?: unknown;
  /** For the id of a task: the tool that created the task. */
  readonly tool?: string;
  /** For the id of a task: to whom the task belongs, as a digest. */
  readonly owner?: string;
  /** How a person can switch in the client. */
  readonly panel?: { readonly app: boolean; readonly form: boolean };
  /** The values that a model has set, beside those of the person. `null` means no value. */
  readonly model?: HostConcerns;
  /** Warnings about preferences that the host sent when it connected. Each list repeats them until `updateConcerns`. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
}

/**
 * The state of a session id: `live`; `ended`, by the client or because the record that is still there has expired; or `unknown`,
 * because nothing was ever written, or what was written is gone.
 */
export type SessionRead =
  | { readonly state: 'live'; readonly record: SessionRecord }
  | { readonly state: 'ended' }
  | { readonly state: 'unknown' };

/**
 * Keeps the preferences of sessions. Every implementation must behave like this:
 *
 * - `update` sets the given fields of the record, keeps its other fields, and creates the record if there is none. The
 *   update is durable when the promise resolves. The last update wins. For an ended id it changes nothing and resolves to
 *   `'ended'`.
 * - `read` after an update returns that update or a later one, in every process that shares the store.
 * - `end` leaves a mark until it expires, so that a concurrent update cannot bring the session back.
 * - A record lives at least `expiresAfterSeconds` after the last `update`, and expires some time after the last `read` or
 *   `update`. So of a session that is younger, an unknown record was never written; an older one may have been forgotten.
 * - A promise rejects if the store cannot be reached. The caller then cannot know whether anything changed, unless the error has
 *   `refused: true`: the store itself refused the call, or it was never sent, so it cannot take effect later.
 *
 * @example
 * const store: SessionStore = createMemoryStore();
 * await store.update('session-1', { concerns: { security: 'high' } }); // 'stored'
 * await store.read('session-1'); // { state: 'live', record: { concerns: { security: 'high' } } }
 */
export interface SessionStore {
  /** How long a record lives at least after it was written, in seconds. Without it, one day. */
  readonly expiresAfterSeconds?: number | undefined;
  read(id: string): Promise<SessionRead>;
  update(id: string, change: SessionRecord): Promise<'stored' | 'ended'>;
  end(id: string): Promise<void>;
}

/** How long a store keeps what was written, in milliseconds. */
export const lifeOf = ({
  expiresAfterSeconds = 24 * 60 * 60,
}: Pick<SessionStore, 'expiresAfterSeconds'>): number => expiresAfterSeconds * 1000;

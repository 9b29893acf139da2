import QuickLRU from 'quick-lru';
import type { PrincipalPreferences, SessionId } from '../gate/request/kept-preferences.js';
import { policyInForce } from '../gate/request/live-policy.js';
import { openSessionId, type SealedFor } from '../gate/request/session-id.js';
import { getOrMake } from '../once.js';
import { lifeOf, type SessionRead, type SessionRecord, type SessionStore } from '../session/store.js';
import { sha256Of } from '../sha256.js';
import type { AuthInfo } from '../wire/transport.js';
import { principalPreferences } from './callers/principal.js';
import type { FetchOptions, HandlerOptions } from './fetch-handler.js';
import { observedStore } from './observer.js';

const SESSION_HEADER = 'mcp-session-id';

/** @returns the session id; `undefined` if it does not have the form of the ids that `newSessionId` makes */
export function sessionOf(headers: Headers): string | undefined {
  const id = headers.get(SESSION_HEADER);
  return id !== null && id.length <= 1024 && /^[0-9a-f]{32}(\.[\w-]+)?$/.test(id) ? id : undefined;
}

/** @returns whether a request names a session in a form of another version, so that nobody knows what its host preferred */
export const hasForeignSession = (headers: Headers): boolean =>
  headers.has(SESSION_HEADER) && sessionOf(headers) === undefined;

/** @returns under which stores keep a session */
export const storeKeyOf = (id: string): string => id.slice(0, 32);

/** What a client is told whose session no longer exists. Hosts initialize a new one. */
export const GONE = 'The session is unknown or was ended. Initialize a new one.';

/**
 * Returns whether a session no longer exists, or never did. Then its preferences are not known, and may have hidden something.
 * One that the store does not know, but whose id opens, goes on if it is young, with what a preference could hide hidden.
 *
 * @param found what the store has; `undefined` if it was not asked, or could not be read
 * @param session the id of the session
 */
export const isGone = (found: SessionRead | undefined, session: SessionId | undefined): boolean =>
  found?.state === 'ended' ||
  (found?.state === 'unknown' && (session?.sealed === undefined || session.isOld === true));

/**
 * Binds sessions to the caller: the key in the store is a hash of the session id and the caller. If another caller sends
 * the same session id, it names another session. So a caller cannot read, change or end the session of another.
 *
 * @param store the store
 * @param authInfo the verified caller, identified by the claims `iss` and `sub`, or by its client if there is no `sub`
 * @returns the store for this caller; the same store if the caller is not verified
 * @example
 * await bindSessions(store, authInfo).read(id);
 */
export function bindSessions(store: SessionStore, authInfo: AuthInfo | undefined): SessionStore {
  const principal = principalOf(authInfo);
  if (principal === undefined) return store;
  const key = (id: string): string => sha256Of(JSON.stringify([...principal, id]));
  return {
    read: (id) => store.read(key(id)),
    update: (id, change) => store.update(key(id), change),
    end: (id) => store.end(key(id)),
  };
}

/** A subject is unique only within its issuer. Some tokens of machines have no subject; there the client is the caller. */
export function principalOf(authInfo: AuthInfo | undefined): readonly string[] | undefined {
  const { iss, sub } = authInfo?.extra ?? {};
  const issuer = typeof iss === 'string' ? iss : '';
  if (typeof sub === 'string' && sub !== '') return [issuer, 'sub', sub];
  return authInfo?.clientId ? [issuer, 'client', authInfo.clientId] : undefined;
}

/** What this process knew last of each session, by its key and caller, for the time in which its store cannot be read. */
export type LastKnown = QuickLRU<string, SessionRecord>;

const lastKnown = new WeakMap<SessionStore, LastKnown>();

/**
 * Returns what this process knew last of the sessions of a store, for as long as the store keeps it: a millisecond at least.
 * Another endpoint of the process knows nothing of them.
 */
export const lastKnownIn = (store: SessionStore): LastKnown =>
  getOrMake(lastKnown, store, () => new QuickLRU({ maxSize: 10_000, maxAge: Math.max(1, lifeOf(store)) }));

const knownKey = (id: string, caller: readonly string[] = []): string => JSON.stringify([id, ...caller]);

/** Keeps in this process what a host preferred at `initialize`. Only a process that knows nothing else of a session denies it. */
export const learnFirst = (
  lastKnown: LastKnown,
  { key, sealed }: SessionId,
  caller: readonly string[] | undefined,
): void => void lastKnown.set(knownKey(key, caller), sealed ?? {});

/** A session that is being read. */
export interface ReadAhead {
  /** `undefined` if the read failed: then the gate reads `store` and handles the failure. */
  readonly session: Promise<SessionRead | undefined>;
  /** Its reads of the session share that one read, also if it failed, until the session changes. */
  readonly store: SessionStore;
  /** The id, with what this process knew last of the session. */
  known(): SessionId;
}

/**
 * Starts to read a session, so that one read serves both the check for an ended session and the gate.
 *
 * @param store the store
 * @param lastKnown what this process knew last of its sessions
 * @param session the id of the session
 * @param caller what tells the verified caller from others: the same id of another caller is another session
 * @returns what is read, and what stands for it
 */
export function readAhead(
  store: SessionStore,
  lastKnown: LastKnown,
  { key: id, sealed, isOld }: SessionId,
  caller?: readonly string[],
): ReadAhead {
  const key = knownKey(id, caller);
  const learn = (record: SessionRecord): void =>
    void lastKnown.set(key, { ...lastKnown.get(key), ...record });
  const readNow = async (): Promise<SessionRead> => {
    const found = await store.read(id);
    if (found.state === 'live') learn(found.record);
    return found;
  };
  let reading: Promise<SessionRead> | undefined = readNow();
  const changes = async <T>(changed: string, change: Promise<T>): Promise<T> => {
    try {
      return await change;
    } finally {
      if (changed === id) reading = undefined;
    }
  };
  return {
    session: reading.catch(() => undefined),
    known(): SessionId {
      const last = lastKnown.get(key);
      return { key: id, sealed, isOld, known: last && { ...sealed, ...last } };
    },
    store: {
      // Other ids are those of tasks, which the store also keeps.
      read: (asked) => (asked === id ? (reading ?? readNow()) : store.read(asked)),
      async update(changed, change) {
        const outcome = await changes(changed, store.update(changed, change));
        if (changed === id && outcome === 'stored') learn(change);
        return outcome;
      },
      end: (ended) => changes(ended, store.end(ended)),
    },
  };
}

/** Where preferences are kept for the sender of a request. */
export interface KeptFor {
  /** For the sessions of this caller; `undefined` if nothing is kept. */
  readonly store: SessionStore | undefined;
  /** For the caller itself; `undefined` if preferences are not kept per caller. */
  readonly principal: PrincipalPreferences | undefined;
  /** What this process knew last of the sessions. */
  readonly lastKnown: LastKnown | undefined;
  /** How long a session is kept after its last use, in milliseconds. */
  readonly lifeMs: number;
  /** What opens the ids of the sessions. */
  readonly sealedFor: SealedFor;
}

/**
 * Returns where preferences are kept for the sender of a request.
 *
 * @param options the policy, the store, and whether preferences are kept per caller
 * @param given what is known about the request
 * @returns the places, none of which is read yet
 */
export function keptFor(
  { policy, store, preferences }: Pick<HandlerOptions, 'policy' | 'store' | 'preferences'>,
  { storeCall, authInfo, sessionSecret }: FetchOptions,
): KeptFor {
  const observed = store && observedStore(store, storeCall);
  return {
    store: observed && bindSessions(observed, authInfo),
    principal: principalPreferences(preferences, observed, authInfo),
    lastKnown: store && lastKnownIn(store),
    lifeMs: lifeOf(store ?? {}),
    sealedFor: { policy: policyInForce(policy), caller: principalOf(authInfo), secret: sessionSecret },
  };
}

/**
 * Opens the session with an id, and starts to read it.
 *
 * @param kept where it is kept
 * @param id the id that the client sent; `undefined` if there is none
 * @param isRead whether something that is kept is needed
 */
export function openSession(
  { store, lastKnown, lifeMs, sealedFor }: KeptFor,
  id: string | undefined,
  isRead: boolean,
): { readonly session: SessionId | undefined; readonly ahead: ReadAhead | undefined } {
  const session = id === undefined ? undefined : openSessionId(sealedFor, id, lifeMs);
  const canRead = isRead && session !== undefined && store !== undefined && lastKnown !== undefined;
  return { session, ahead: canRead ? readAhead(store, lastKnown, session, sealedFor.caller) : undefined };
}

import type { SessionId } from '../../core/gate/request/kept-preferences.js';
import { isGone } from '../../core/http/sessions.js';
import type { SessionRead, SessionStore } from '../../core/session/store.js';
import type { Session } from './session.js';

/** A session that has a server in this process, or gets one just now for another request of its host. */
export type Present =
  | { readonly state: 'live'; readonly session: Session }
  /** With the session, or with why there is none. */
  | { readonly state: 'opening'; readonly opened: Promise<Session | Response> };

/** A session that can begin again in this process, under the id that its host kept. */
export interface KeptSession {
  readonly state: 'kept';
  readonly session: SessionId;
  /** What the store has of it. */
  readonly found: SessionRead;
}

/** What can become of a request with a session id. */
export type Adoption =
  | Present
  | KeptSession
  /** It has ended or never was. `isLost`: it was of this endpoint, and its store no longer knows it. */
  | { readonly state: 'forgotten'; readonly isLost: boolean }
  /** The store could not be read. The id does not know what was switched: with it, the session would show more, and keep that. */
  | { readonly state: 'unreadable' };

/**
 * Decides what becomes of a request with a session id, once the store was read.
 *
 * @param session the opened id; `undefined` if it is none of this package
 * @param found what the store has of the session; `undefined` if it could not be read
 * @param seesAll whether the store saw every session whose id opens. Then one that it does not know was lost there, and with it
 *   what was switched.
 * @param present the session, if this process has it
 */
export function adoptionOf(
  session: SessionId | undefined,
  found: SessionRead | undefined,
  seesAll: boolean,
  present: Present | undefined,
): Adoption {
  const isLost = seesAll && found?.state === 'unknown';
  if (session === undefined || isLost || isGone(found, session))
    // A seal that opens is of a session of this endpoint.
    return { state: 'forgotten', isLost: isLost && session?.sealed !== undefined };
  if (present !== undefined) return present;
  return found === undefined ? { state: 'unreadable' } : { state: 'kept', session, found };
}

/**
 * Makes the store of a session that begins again. Until `begun`, this process repeats `initialize` for the client: what is
 * kept of the session is stronger than what that says.
 *
 * @param store the store of the endpoint
 * @param kept the session
 */
export function storeOfKept(
  store: SessionStore,
  { session, found }: KeptSession,
): { readonly store: SessionStore; begun(): void } {
  let hasBegun = false;
  const update: SessionStore['update'] = async (id, change) => {
    if (hasBegun) return store.update(id, change);
    return found.state === 'live' ? 'stored' : store.update(id, { ...change, ...session.sealed });
  };
  return {
    store: { ...store, update },
    begun: () => {
      hasBegun = true;
    },
  };
}

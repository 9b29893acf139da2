import { createHash, randomBytes } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { SessionRead, SessionStore } from '../session/store.js';

export const SESSION_HEADER = 'mcp-session-id';

/** 128 random bits. */
export function newSessionId(): string {
  return randomBytes(16).toString('hex');
}

/** An id that is not of the form given out is no id: it would only fill the store, and the log. */
export function sessionOf(headers: Headers): string | undefined {
  const id = headers.get(SESSION_HEADER);
  return id !== null && /^[0-9a-f]{32}$/.test(id) ? id : undefined;
}

/**
 * Binds sessions to the caller: the store's key is made of the session's id and of who calls, so that an id in the
 * hands of another principal names a session that nobody ever opened. It can neither be read nor changed nor ended.
 *
 * @param store the store
 * @param authInfo who calls, if that was verified: `iss` and `sub` of its claims, else its client
 * @returns the store as this caller sees it; the same store for callers that nobody verified
 * @example
 * await bindSessions(store, authInfo).read(id);
 */
export function bindSessions(store: SessionStore, authInfo: AuthInfo | undefined): SessionStore {
  const principal = principalOf(authInfo);
  if (principal === undefined) return store;
  const key = (id: string): string =>
    createHash('sha256')
      .update(JSON.stringify([...principal, id]))
      .digest('hex');
  return {
    read: (id) => store.read(key(id)),
    update: (id, change) => store.update(key(id), change),
    end: (id) => store.end(key(id)),
  };
}

/** A subject is unique within its issuer only. Without one, as in some tokens of machines, the client is who calls. */
function principalOf(authInfo: AuthInfo | undefined): readonly string[] | undefined {
  const { iss, sub } = authInfo?.extra ?? {};
  const issuer = typeof iss === 'string' ? iss : '';
  if (typeof sub === 'string' && sub !== '') return [issuer, 'sub', sub];
  return authInfo?.clientId ? [issuer, 'client', authInfo.clientId] : undefined;
}

/** A session that is being read while the server is made. */
export interface SessionAhead {
  /** What the store knows; nothing if it cannot be reached: the gate asks again, and says what that means. */
  readonly session: Promise<SessionRead | undefined>;
  /** A store whose reads share that one read, also if it fails, until something is changed. */
  readonly store: SessionStore;
}

/**
 * Starts to read a session: one read serves the check for an ended session, and the gate.
 *
 * @param store the store
 * @param id the session's id
 */
export function readAhead(store: SessionStore, id: string): SessionAhead {
  let reading: Promise<SessionRead> | undefined = store.read(id);
  const changes = async <T>(asked: string, change: Promise<T>): Promise<T> => {
    try {
      return await change;
    } finally {
      if (asked === id) reading = undefined;
    }
  };
  return {
    session: reading.catch(() => undefined),
    store: {
      // Other things than the session are kept under ids of their own.
      read: (asked) => (asked === id ? reading : undefined) ?? store.read(asked),
      update: (asked, change) => changes(asked, store.update(asked, change)),
      end: (asked) => changes(asked, store.end(asked)),
    },
  };
}

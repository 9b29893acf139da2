import type { SessionRead, SessionRecord, SessionStore } from '../../session/store.js';

/** Where the preferences of one connection are kept between its messages. */
export type SessionPreferences =
  /** In the connection, which lasts as long as the session: stdio, in memory, a transport kept per session. */
  | { readonly place: 'connection'; record: SessionRecord }
  /** In a store, under the session's id: each request may reach another process. */
  | { readonly place: 'store'; readonly store: SessionStore; readonly id: string }
  /** Nowhere: HTTP without a session. */
  | { readonly place: 'none' };

/**
 * Chooses where the preferences of a connection are kept.
 *
 * @param store the store, if the operator configured one
 * @param sessionId the session's id, if the transport has one
 * @param http whether the messages arrive in HTTP requests
 */
export function placePreferences(
  store: SessionStore | undefined,
  sessionId: string | undefined,
  http: boolean,
): SessionPreferences {
  if (store !== undefined && sessionId !== undefined) return { place: 'store', store, id: sessionId };
  return http && sessionId === undefined ? { place: 'none' } : { place: 'connection', record: {} };
}

/** Returns what is kept for the session; a promise only if it is in a store. */
export function readSession(preferences: SessionPreferences): SessionRead | Promise<SessionRead> {
  if (preferences.place === 'store') return preferences.store.read(preferences.id);
  return { state: 'live', record: preferences.place === 'connection' ? preferences.record : {} };
}

/** Sets the given fields of what is kept for the session. Returns a promise only if it is in a store. */
export function updateSession(
  preferences: SessionPreferences,
  change: SessionRecord,
): 'stored' | 'ended' | 'nowhere' | Promise<'stored' | 'ended'> {
  if (preferences.place === 'store') return preferences.store.update(preferences.id, change);
  if (preferences.place === 'none') return 'nowhere';
  preferences.record = { ...preferences.record, ...change };
  return 'stored';
}

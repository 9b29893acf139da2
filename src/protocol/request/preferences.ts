import type { SessionRead, SessionRecord, SessionStore } from '../../session/store.js';

/** Where the preferences of one connection are kept between its messages. */
export type Preferences =
  /** In the connection itself: it lives as long as the session does (stdio, in memory, a transport kept per session). */
  | { readonly place: 'connection'; record: SessionRecord }
  /** In a store, under the session's id: each request may reach another process. */
  | { readonly place: 'store'; readonly store: SessionStore; readonly id: string }
  /** Nowhere: HTTP without a session. */
  | { readonly place: 'none' };

/**
 * Chooses where preferences are kept.
 *
 * @param store the store, if the operator gave one
 * @param sessionId the session's id, if the transport has one
 * @param http whether the messages come in HTTP requests
 */
export function placePreferences(
  store: SessionStore | undefined,
  sessionId: string | undefined,
  http: boolean,
): Preferences {
  if (store !== undefined && sessionId !== undefined) return { place: 'store', store, id: sessionId };
  return http && sessionId === undefined ? { place: 'none' } : { place: 'connection', record: {} };
}

/** @returns what is kept; at once where nothing has to be asked */
export function readPreferences(preferences: Preferences): SessionRead | Promise<SessionRead> {
  if (preferences.place === 'store') return preferences.store.read(preferences.id);
  return { state: 'live', record: preferences.place === 'connection' ? preferences.record : {} };
}

/** Changes what is kept; at once where nothing has to be asked. */
export function updatePreferences(
  preferences: Preferences,
  change: SessionRecord,
): 'stored' | 'ended' | 'nowhere' | Promise<'stored' | 'ended'> {
  if (preferences.place === 'store') return preferences.store.update(preferences.id, change);
  if (preferences.place === 'none') return 'nowhere';
  preferences.record = { ...preferences.record, ...change };
  return 'stored';
}

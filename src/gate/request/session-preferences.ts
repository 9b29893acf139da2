import { projectCapabilities } from '../../engine/caller-facts.js';
import { readsClient } from '../../engine/expression/expression.js';
import type { Policy } from '../../engine/policy.js';
import type { SessionRead, SessionRecord, SessionStore } from '../../session/store.js';

/** Where the preferences of one connection are kept between its messages. */
export type SessionPreferences =
  /** In the connection, which lasts as long as the session: stdio, in memory, a transport kept per session. */
  | { readonly place: 'connection'; readonly id?: string | undefined; record: SessionRecord }
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
  return http && sessionId === undefined
    ? { place: 'none' }
    : { place: 'connection', id: sessionId, record: {} };
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

/**
 * Returns what a session keeps of a client's capabilities: only what rules read of them, because a client can send
 * megabytes.
 *
 * @param policy the policy
 * @param capabilities the capabilities as the client sent them
 */
export function keepCapabilities(policy: Policy, capabilities: unknown): SessionRecord {
  const clientPaths = policy.callerPaths.filter(readsClient);
  if (clientPaths.length === 0) return {};
  return { clientCapabilities: projectCapabilities(capabilities ?? {}, clientPaths), clientPaths };
}

/**
 * Returns the capabilities that a session keeps; `undefined` if it does not keep everything that the policy reads of
 * them, because another policy applied when the client connected.
 */
export function keptCapabilities(
  { callerPaths }: Policy,
  { clientCapabilities, clientPaths }: SessionRecord,
): unknown {
  const isKept = (path: string): boolean => !readsClient(path) || clientPaths?.includes(path) !== false;
  return callerPaths.every(isKept) ? clientCapabilities : undefined;
}

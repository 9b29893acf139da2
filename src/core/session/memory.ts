import type { SessionRead, SessionRecord, SessionStore } from './store.js';

/** The limits of a memory store. */
export interface MemoryStoreOptions {
  /** The maximum number of sessions. The least recently used one is removed first. The default is 10,000. */
  readonly maxSessions?: number;
  /** Seconds from a session's last use until it expires. The default is one day. */
  readonly expiresAfterSeconds?: number;
}

/**
 * Keeps sessions in the memory of this process. Other processes and other Lambda environments do not see them, so use it
 * for a single long-lived process and for development.
 *
 * @param options the limits of the store
 * @returns the store
 * @example
 * const handle = createHandler({ server, policy, store: createMemoryStore() });
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): SessionStore {
  const { maxSessions = 10_000, expiresAfterSeconds = 24 * 60 * 60 } = options;
  // A Map iterates in the order of insertion, so its first key is the session that was used least recently.
  const sessions = new Map<string, { readonly session: SessionRead; readonly usedAt: number }>();
  const put = (id: string, session: SessionRead): void => {
    sessions.delete(id);
    sessions.set(id, { session, usedAt: performance.now() });
    if (sessions.size <= maxSessions) return;
    for (const oldest of sessions.keys()) return void sessions.delete(oldest);
  };
  const get = (id: string): SessionRead | undefined => {
    const entry = sessions.get(id);
    const isLive = entry !== undefined && performance.now() - entry.usedAt <= expiresAfterSeconds * 1000;
    if (!isLive) sessions.delete(id);
    return isLive ? entry.session : undefined;
  };

  return {
    expiresAfterSeconds,

    async read(id) {
      const session = get(id);
      if (session === undefined) return { state: 'unknown' };
      if (session.state === 'live') put(id, session);
      return session;
    },

    async update(id, change) {
      const session = get(id);
      if (session?.state === 'ended') return 'ended';
      const before: SessionRecord = session?.state === 'live' ? session.record : {};
      put(id, { state: 'live', record: { ...before, ...change } });
      return 'stored';
    },

    async end(id) {
      put(id, { state: 'ended' });
    },
  };
}

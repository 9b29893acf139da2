import { LRUCache } from 'lru-cache';
import type { SessionRead, SessionRecord, SessionStore } from './store.js';

export interface MemoryStoreOptions {
  /** Sessions kept; the one that was not used for longest goes first. 10,000 unless told otherwise. */
  readonly maxSessions?: number;
  /** Seconds after its last use that a session expires. A day unless told otherwise. */
  readonly expiresAfterSeconds?: number;
}

/**
 * Keeps sessions in this process: right for one long-lived process, and for trying things out. Other processes, and
 * other Lambda environments, see nothing of it.
 *
 * @param options bounds
 * @returns the store
 * @example
 * createFunction({ server, policy, store: createMemoryStore() });
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): SessionStore {
  const { maxSessions = 10_000, expiresAfterSeconds = 24 * 60 * 60 } = options;
  const sessions = new LRUCache<string, SessionRead>({
    max: maxSessions,
    ttl: expiresAfterSeconds * 1000,
    // The clock is read for each use: within the default resolution of a millisecond it would be read by a timer.
    ttlResolution: 0,
  });
  const touch = (id: string, session: SessionRead): void => {
    sessions.set(id, session);
  };

  return {
    async read(id) {
      const session = sessions.get(id);
      if (session === undefined) return { state: 'unknown' };
      if (session.state === 'live') touch(id, session);
      return session;
    },

    async update(id, change) {
      const session = sessions.get(id);
      if (session?.state === 'ended') return 'ended';
      const before: SessionRecord = session?.state === 'live' ? session.record : {};
      touch(id, { state: 'live', record: { ...before, ...change } });
      return 'stored';
    },

    async end(id) {
      touch(id, { state: 'ended' });
    },
  };
}

import { LruMap } from '../engine/lru-map.js';
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
 * createLambdaHandler({ server, policy, store: createMemoryStore() });
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): SessionStore {
  const { maxSessions = 10_000, expiresAfterSeconds = 24 * 60 * 60 } = options;
  const sessions = new LruMap<{ readonly session: SessionRead; readonly touchedAt: number }>({
    maxEntries: maxSessions,
  });
  const touch = (id: string, session: SessionRead): void => {
    sessions.set(id, { session, touchedAt: performance.now() });
  };
  const unexpired = (id: string): SessionRead | undefined => {
    const entry = sessions.get(id);
    if (entry === undefined || performance.now() - entry.touchedAt <= expiresAfterSeconds * 1000) {
      return entry?.session;
    }
    sessions.delete(id);
    return undefined;
  };

  return {
    async read(id) {
      const session = unexpired(id);
      if (session === undefined) return { state: 'unknown' };
      if (session.state === 'live') touch(id, session);
      return session;
    },

    async update(id, change) {
      const session = unexpired(id);
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

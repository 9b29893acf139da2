import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { testSessionStore } from '../../src/core/session/testing.js';

/** A store that breaks one rule. */
type Options = Parameters<typeof createMemoryStore>[0];
const broken =
  (change: (store: SessionStore) => Partial<SessionStore>) =>
  (options: Options): SessionStore => {
    const store = createMemoryStore(options);
    return { ...store, ...change(store) };
  };

it.each<[string, (store: SessionStore) => Partial<SessionStore>]>([
  [
    'an update sets the given fields as a whole, and keeps the others',
    ({ update }) => {
      const forgets: SessionStore['update'] = (id, change) =>
        update(id, 'listChanged' in change ? { concerns: {}, ...change } : change);
      return { update: forgets };
    },
  ],
  ['any text is an id of its own', ({ read }) => ({ read: (id) => read(id.toLowerCase()) })],
  [
    'nothing changes an ended session, also one that was unknown',
    ({ end, read }) => ({ end: async (id) => ((await read(id)).state === 'live' ? end(id) : undefined) }),
  ],
  ['an end is kept until it expires, and then nothing is left', () => ({})],
  ['the store says how long a record lives', () => ({ expiresAfterSeconds: undefined })],
])('a store that breaks "%s" is told so', async (rule, change) => {
  const clock = (): void => undefined;
  await expect(testSessionStore(broken(change), clock)).rejects.toThrow(rule);
});

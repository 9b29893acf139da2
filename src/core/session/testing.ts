import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionRecord, SessionStore } from './store.js';

/** Makes an empty store whose records expire this long after their last use. */
type MakeStore = (options: { readonly expiresAfterSeconds: number }) => SessionStore | Promise<SessionStore>;

/** Without a clock to advance: stores that count whole seconds are still exact enough. */
const REAL_SECONDS = 8;
/** How long a store keeps records that does not say how long. */
const DEFAULT_SECONDS = 24 * 60 * 60;
const HIGH = { concerns: { security: 'high' } } as const;
const ANY_JSON = {
  none: null,
  price: 2.5,
  negative: -1,
  topic: ['charts', 'maps'],
  word: 'Grüße 🔐',
  'with space': '',
  constructor: 'x',
};

const RULES: Readonly<Record<string, (subject: ReturnType<typeof subjectOf>) => Promise<void>>> = {
  // The age of a session then tells whether a record that the store does not know was never written, or has expired.
  'the store says how long a record lives': async ({ store, seconds }) => {
    assert.equal(store.expiresAfterSeconds ?? DEFAULT_SECONDS, seconds);
  },
  'an update creates a record, also an empty one': async ({ store, is, isLive }) => {
    await is('a', 'unknown');
    assert.equal(await store.update('a', {}), 'stored');
    await isLive('a', {});
  },
  'an update sets the given fields as a whole, and keeps the others': async ({ store, isLive }) => {
    await store.update('a', { concerns: { security: 'high', cost: 'low' } });
    await store.update('a', { listChanged: ['tools'] });
    await isLive('a', { concerns: { security: 'high', cost: 'low' }, listChanged: ['tools'] });
    await store.update('a', { concerns: { cost: 'high' } });
    await isLive('a', { concerns: { cost: 'high' }, listChanged: ['tools'] });
    await store.update('a', { concerns: {}, listChanged: [] });
    await isLive('a', { concerns: {}, listChanged: [] });
  },
  'concurrent updates of different fields are both kept': async ({ store, isLive }) => {
    await Promise.all([store.update('a', HIGH), store.update('a', { listChanged: ['tools'] })]);
    await isLive('a', { ...HIGH, listChanged: ['tools'] });
  },
  'every JSON value is kept': async ({ store, isLive }) => {
    await store.update('a', { concerns: ANY_JSON });
    await isLive('a', { concerns: ANY_JSON });
  },
  "the caller's object can change after an update": async ({ store, isLive }) => {
    const change = { listChanged: ['tools'] };
    await store.update('a', change);
    change.listChanged = [];
    await isLive('a', { listChanged: ['tools'] });
  },
  'any text is an id of its own': async ({ store, is, isLive }) => {
    await store.update('a', HIGH);
    for (const id of ['A', 'a ', '__proto__', 'constructor', 'a'.repeat(500), '🔐']) {
      await is(id, 'unknown');
      await store.update(id, { listChanged: [id] });
      await isLive(id, { listChanged: [id] });
    }
    await store.end('A');
    await isLive('a', HIGH);
  },
  'nothing changes an ended session, also one that was unknown': async ({ store, is }) => {
    await store.update('a', HIGH);
    for (const id of ['a', 'b', 'b']) {
      await store.end(id);
      assert.equal(await store.update(id, HIGH), 'ended');
      await is(id, 'ended');
    }
  },
  'an end overrides concurrent updates': async ({ store, is }) => {
    await store.update('a', HIGH);
    await Promise.all([store.update('a', {}), store.end('a'), store.update('a', { listChanged: [] })]);
    await is('a', 'ended');
  },
  'an end is kept until it expires, and then nothing is left': async ({
    store,
    is,
    isOver,
    isLive,
    pass,
  }) => {
    await store.update('a', HIGH);
    await store.end('a');
    await pass(70);
    await is('a', 'ended');
    await pass(130);
    await isOver('a');
    assert.equal(await store.update('a', { listChanged: [] }), 'stored');
    await isLive('a', { listChanged: [] });
  },
  'a record without use expires, and its fields do not come back': async ({
    store,
    isOver,
    isLive,
    pass,
  }) => {
    for (const id of ['a', 'b']) await store.update(id, HIGH);
    await pass(130);
    await isOver('a');
    await store.update('b', { listChanged: [] });
    await isLive('b', { listChanged: [] });
  },
  // A store may save writes, and extend a record only after a part of its time.
  'each read and each update delays that': async ({ store, isOver, isLive, pass }) => {
    for (const id of ['read', 'updated']) await store.update(id, HIGH);
    for (let round = 0; round < 3; round++) {
      await pass(70);
      await isLive('read', HIGH);
      await store.update('updated', { listChanged: [] });
    }
    await isLive('updated', { ...HIGH, listChanged: [] });
    await pass(130);
    await isOver('read');
  },
  'a record lives as long as that after it was written, also without a read': async ({
    store,
    isLive,
    pass,
  }) => {
    await store.update('a', HIGH);
    await pass(85);
    await isLive('a', HIGH);
  },
  'nothing is known of a session that was never written, however long others live': async ({
    store,
    is,
    pass,
  }) => {
    await store.update('a', HIGH);
    await is('b', 'unknown');
    await pass(130);
    await is('b', 'unknown');
  },
};

/**
 * Makes what the rules are tested with.
 *
 * @param pass lets this many hundredths of the time pass after which a record expires
 * @param seconds that time
 */
const subjectOf = (
  store: SessionStore,
  pass: (hundredths: number) => void | Promise<void>,
  seconds: number,
) => ({
  store,
  pass,
  seconds,
  /** A store may still have a record that has expired, and then says that its session is over. */
  isOver: async (id: string): Promise<void> => assert.notEqual((await store.read(id)).state, 'live'),
  isLive: async (id: string, record: SessionRecord): Promise<void> =>
    assert.deepEqual(await store.read(id), { state: 'live', record }),
  is: async (id: string, state: 'ended' | 'unknown'): Promise<void> =>
    assert.deepEqual(await store.read(id), { state }),
});

/**
 * Tests what every session store must do, as `SessionStore` describes it.
 *
 * @param makeStore makes an empty store, for each rule
 * @param advance advances the clock of the stores by some seconds. Without it, the test waits, for a minute in all.
 * @returns rejects for the first rule that the store breaks; the message has the rule
 * @example
 * it('keeps sessions', () => testSessionStore((options) => new MyStore(options)), 90_000);
 */
export async function testSessionStore(
  makeStore: MakeStore,
  advance?: (seconds: number) => void | Promise<void>,
): Promise<void> {
  const expiresAfterSeconds = advance === undefined ? REAL_SECONDS : 100;
  const wait = advance ?? ((seconds: number) => sleep(seconds * 1000));
  for (const [rule, test] of Object.entries(RULES)) {
    const store = await makeStore({ expiresAfterSeconds });
    const pass = (hundredths: number) => wait((hundredths * expiresAfterSeconds) / 100);
    await test(subjectOf(store, pass, expiresAfterSeconds)).catch((cause: Error) => {
      cause.message = `The store breaks this rule: ${rule}. ${cause.message}`;
      throw cause;
    });
  }
}

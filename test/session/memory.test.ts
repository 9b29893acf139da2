import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { testSessionStore } from '../../src/core/session/testing.js';

/** Milliseconds added to the clock. Fake timers do not replace the clock in modules that were loaded before them. */
let skipped = 0;

beforeEach(() => {
  skipped = 0;
  const monotonic = performance.now.bind(performance);
  const wall = Date.now.bind(Date);
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + skipped);
  vi.spyOn(Date, 'now').mockImplementation(() => wall() + skipped);
});
afterEach(() => {
  vi.restoreAllMocks();
});

it('the memory store does what every session store must do', async () => {
  await testSessionStore(createMemoryStore, (seconds) => {
    skipped += seconds * 1000;
  });
});

describe('the limits of the memory store', () => {
  it('remove the least recently used session', async () => {
    const store = createMemoryStore({ maxSessions: 3 });
    for (const id of ['a', 'b', 'c']) await store.update(id, { listChanged: [id] });
    await store.read('a');
    await store.update('b', { concerns: {} });
    await store.update('d', {});
    const states = await Promise.all(['a', 'b', 'c', 'd'].map(async (id) => (await store.read(id)).state));
    expect(states).toEqual(['live', 'live', 'unknown', 'live']);
  });

  it('hold while new sessions are added', async () => {
    const store = createMemoryStore({ maxSessions: 10 });
    for (let index = 0; index < 1000; index++) await store.update(`s${index}`, {});
    let live = 0;
    for (let index = 0; index < 1000; index++) {
      if ((await store.read(`s${index}`)).state === 'live') live += 1;
    }
    expect(live).toBe(10);
  });

  it('are 10,000 sessions and one day by default', async () => {
    const store = createMemoryStore();
    for (let index = 0; index < 10_001; index++) await store.update(`s${index}`, {});
    expect(await store.read('s0')).toEqual({ state: 'unknown' });
    expect(await store.read('s1')).toEqual({ state: 'live', record: {} });
    skipped += 86_399_000;
    expect(await store.read('s10000')).toEqual({ state: 'live', record: {} });
    skipped += 86_401_000;
    expect(await store.read('s10000')).toEqual({ state: 'unknown' });
  });
});

it('does not share sessions with another memory store', async () => {
  const [one, other] = [createMemoryStore(), createMemoryStore()];
  await one.update('a', {});
  expect(await other.read('a')).toEqual({ state: 'unknown' });
});

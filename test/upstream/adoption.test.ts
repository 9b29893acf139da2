import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionRead } from '../../src/core/session/store.js';
import { adoptionOf, type Present, storeOfKept } from '../../src/proxy/sessions/adoption.js';

const sealed = { concerns: { access: 'none' } };
const SESSION = { key: 'k', sealed };
const LIVE: SessionRead = { state: 'live', record: { concerns: { access: 'all' } } };
const ENDED: SessionRead = { state: 'ended' };
const UNKNOWN: SessionRead = { state: 'unknown' };
const PRESENT: Present = { state: 'opening', opened: new Promise(() => undefined) };

const FORGOTTEN = { state: 'forgotten', isLost: false };
const LOST = { state: 'forgotten', isLost: true };

describe('a request with the id of a session', () => {
  it.each([
    ['whose id is not ours', undefined, undefined, true, FORGOTTEN],
    ['that has ended', SESSION, ENDED, false, FORGOTTEN],
    ['that a store with all sessions does not know', SESSION, UNKNOWN, true, LOST],
    ['that such a store does not know, and whose id says nothing', { key: 'k' }, UNKNOWN, true, FORGOTTEN],
    ['that another store does not know, and whose id says nothing', { key: 'k' }, UNKNOWN, false, FORGOTTEN],
    [
      'that the store does not know, and may have forgotten',
      { ...SESSION, isOld: true },
      UNKNOWN,
      false,
      FORGOTTEN,
    ],
  ] as const)('%s is told that it is gone, also if this process has it', (_, session, found, seesAll, is) => {
    expect(adoptionOf(session, found, seesAll, undefined)).toEqual(is);
    expect(adoptionOf(session, found, seesAll, PRESENT)).toEqual(is);
  });

  it.each([
    ['that the store has', SESSION, LIVE, true],
    ['that the store has, and whose id says nothing', { key: 'k' }, LIVE, true],
    ['that the store does not know yet', SESSION, UNKNOWN, false],
  ] as const)('%s begins it again, or uses it', (_, session, found, seesAll) => {
    expect(adoptionOf(session, found, seesAll, undefined)).toEqual({ state: 'kept', session, found });
    expect(adoptionOf(session, found, seesAll, PRESENT)).toBe(PRESENT);
  });

  it.each([true, false])('cannot begin it again if the store does not answer, but can use it', (seesAll) => {
    expect(adoptionOf(SESSION, undefined, seesAll, undefined)).toEqual({ state: 'unreadable' });
    expect(adoptionOf(SESSION, undefined, seesAll, PRESENT)).toBe(PRESENT);
  });
});

describe('the store of a session that begins again', () => {
  it('keeps what was switched, whatever the repeated initialize says, and takes changes after it', async () => {
    const store = createMemoryStore();
    await store.update('k', { concerns: { access: 'all' } });
    const found = await store.read('k');
    const kept = storeOfKept(store, { state: 'kept', session: SESSION, found });
    expect(await kept.store.update('k', { concerns: {} })).toBe('stored');
    expect(await store.read('k')).toEqual(found);
    kept.begun();
    await kept.store.update('k', { concerns: { access: 'none' } });
    expect(await kept.store.read('k')).toEqual({ state: 'live', record: sealed });
  });

  it('begins with what the id says if the store does not know the session', async () => {
    const store = createMemoryStore();
    const kept = storeOfKept(store, { state: 'kept', session: SESSION, found: await store.read('k') });
    await kept.store.update('k', { concerns: {}, listChanged: ['tools'] });
    expect(await store.read('k')).toEqual({ state: 'live', record: { ...sealed, listChanged: ['tools'] } });
  });
});

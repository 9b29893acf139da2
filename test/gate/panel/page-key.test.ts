import { describe, expect, it } from 'vitest';
import { keyForPage as keyForPageOf, pageKey } from '../../../src/gate/panel/page-key.js';
import { createMemoryStore } from '../../../src/session/memory.js';
import type { SessionRecord } from '../../../src/session/store.js';
import { modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { ON } from './panel-policy.js';

const keyForPage = gathered(keyForPageOf);

const panel = (key: string): SessionRecord => ({ panel: { app: true, form: false, key } });

/** A call of a client whose session and caller keep these records. */
async function call(session: SessionRecord, caller?: SessionRecord, params = {}) {
  const store = createMemoryStore();
  if (caller !== undefined) await store.update('caller', caller);
  const talk = new Talk(ON, {
    preferences: { place: 'connection', record: session },
    principal: caller === undefined ? undefined : { place: 'store', store, id: 'caller' },
  });
  return { exchange: await talk.configured('tools/call', { name: 'concerns', ...params }), store };
}

describe('the key of a page', () => {
  it.each<[string, SessionRecord, SessionRecord | undefined, string | undefined]>([
    ['the session', panel('s'), undefined, 's'],
    ['the session before that of the caller', panel('s'), panel('c'), 's'],
    ['the caller', {}, panel('c'), 'c'],
    ['nobody', {}, {}, undefined],
  ])('is that of %s', async (_who, session, caller, key) => {
    expect(pageKey((await call(session, caller)).exchange)).toBe(key);
  });

  it('is the known one for a page that is opened', async () => {
    const { exchange, store } = await call(panel('s'), {});
    expect(await keyForPage(exchange)).toBe('s');
    expect(await store.read('caller')).toEqual({ state: 'live', record: {} });
  });

  it('is made with the first page of a caller, and kept', async () => {
    const { exchange, store } = await call({}, { concerns: {} }, modern());
    const key = await keyForPage(exchange);
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    expect(await store.read('caller')).toEqual({
      state: 'live',
      record: { concerns: {}, panel: { app: true, form: false, key } },
    });
  });

  it('is not made where nothing is kept', async () => {
    expect(await keyForPage((await call({})).exchange)).toBeUndefined();
    const talk = new Talk(ON, { principal: { place: 'none' } });
    expect(await keyForPage(await talk.configured('tools/call'))).toBeUndefined();
  });
});

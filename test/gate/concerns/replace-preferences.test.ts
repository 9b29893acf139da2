import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { notStored } from '../../../src/core/gate/concerns/change-kept.js';
import { replacePreferences as replacing } from '../../../src/core/gate/concerns/update-concerns.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionRecord, SessionStore } from '../../../src/core/session/store.js';
import { gathered } from '../exchange-of.js';
import { ON, panelPolicy, TOOLS, talkTo } from '../panel/panel-policy.js';
import { failing, modern, Talk } from './talk.js';

const method = 'updateConcerns';
const replacePreferences = gathered(replacing);

describe('new preferences', () => {
  const replace = (talk: Talk, concerns: object, params = {}, decided?: readonly string[]) => {
    const resolved = resolveConfiguration(ON, [{ from: 'update', concerns }]);
    return replacePreferences(talk.exchange(method, params), false, resolved, decided);
  };

  it.each<[string, SessionRecord, object, readonly string[] | undefined, object]>([
    [
      'replace earlier ones',
      { concerns: { security: 'low' } },
      { budget: 1 },
      undefined,
      { concerns: { budget: 1 } },
    ],
    ['remove earlier ones', { concerns: { security: 'low' } }, {}, undefined, { concerns: {} }],
    [
      'keep an earlier value instead of one that is not accepted',
      { concerns: { security: 'low', budget: 2 } },
      { security: 7, topic: ['news'] },
      undefined,
      { concerns: { security: 'low', topic: ['news'] } },
    ],
    [
      'remove the values of the model',
      { model: { topic: ['news'], budget: 1 } },
      {},
      undefined,
      { concerns: {}, model: {} },
    ],
    [
      'remove the values of the model for what the person decides',
      { model: { topic: ['news'], budget: 1 } },
      { topic: null },
      ['topic'],
      { concerns: { topic: null }, model: { budget: 1 } },
    ],
    [
      'end the warnings about earlier ones',
      { warnings: [{ code: 'a', message: 'b' }] },
      {},
      undefined,
      { concerns: {}, warnings: [] },
    ],
  ])('%s', async (_what, record, concerns, decided, kept) => {
    const talk = new Talk(ON, { preferences: { place: 'connection', record } });
    const { state, ...rest } = await replace(talk, concerns, {}, decided);
    expect(state).toBe('changed');
    expect(talk.record).toEqual(kept);
    // The warnings about earlier preferences do not come back.
    expect(rest).toHaveProperty('after.warnings', []);
  });

  it('tell which lists look different', async () => {
    const talk = talkTo(ON, {}, { listChanged: ['prompts', 'tools'] });
    talk.lists = {
      tools: TOOLS,
      prompts: [{ name: 'p', _meta: { concerns: { security: 'low' } } }],
      resources: [{ uri: 'x://r', _meta: { concerns: { security: 'low' } } }],
    };
    expect(await replace(talk, { security: 'high' })).toMatchObject({
      state: 'changed',
      visible: { tools: 2, prompts: 0, resources: 0 },
    });
    expect(talk.methods).toEqual(['notifications/tools/list_changed', 'notifications/prompts/list_changed']);
    expect(talk.connection.state.relisted).toBeNull();
  });

  describe('of a caller', () => {
    const connect = async (
      caller: SessionRecord,
      session: SessionRecord,
      used?: (store: SessionStore) => SessionStore,
    ) => {
      const store = createMemoryStore();
      await store.update('caller', caller);
      const principal = { place: 'store', store: used?.(store) ?? store, id: 'caller' } as const;
      const talk = new Talk(ON, {
        principal,
        lists: { tools: TOOLS },
        preferences: { place: 'connection', record: session },
      });
      return { talk, store, kept: async () => await store.read('caller') };
    };

    it('are kept for the caller, and for the session in which the person acted', async () => {
      const { talk, kept } = await connect({ concerns: { security: 'low' } }, { listChanged: ['tools'] });
      expect(await replace(talk, { topic: ['news'] })).toMatchObject({
        visible: { tools: 2 },
      });
      expect(talk.methods).toEqual(['notifications/tools/list_changed']);
      expect(await kept()).toEqual({ state: 'live', record: { concerns: { topic: ['news'] } } });
      expect(talk.record).toEqual({ listChanged: ['tools'], concerns: { topic: ['news'] }, acted: true });
    });

    it.each<[string, SessionRecord, object]>([
      ['of the caller', {}, { security: 'low' }],
      [
        'of the caller, not those that the host sent',
        { concerns: { security: 'high' } },
        { security: 'low' },
      ],
      [
        'of the session in which the person acted',
        { acted: true, concerns: { security: 'high' } },
        { security: 'high' },
      ],
    ])('keep earlier values %s', async (_whose, session, concerns) => {
      const { talk, kept } = await connect({ concerns: { security: 'low' } }, session);
      await replace(talk, { security: 7 });
      expect(await kept()).toEqual({ state: 'live', record: { concerns } });
      expect(talk.record).toEqual({ concerns, acted: true });
    });

    it('say whether they were kept for the caller when a store failed', async () => {
      const cause = new TypeError('no store');
      const { talk } = await connect({}, {}, (store) => failing(store, 'update'));
      // The read shows the old values, but the write may still arrive.
      expect(await replace(talk, { security: 'low' })).toEqual({
        state: 'failed',
        kept: false,
        known: false,
        cause,
      });
      expect(talk.record).toEqual({});
      const store = createMemoryStore();
      const broken = new Talk(ON, {
        principal: { place: 'store', store, id: 'caller' },
        preferences: { place: 'store', store: failing(store, 'update'), id: 's' },
      });
      expect(await replace(broken, { security: 'low' })).toEqual({
        state: 'failed',
        kept: true,
        known: false,
        cause,
      });
      const refused = Object.assign(new TypeError('no'), { refused: true });
      const refusing = { ...createMemoryStore(), update: () => Promise.reject(refused) };
      const denied = new Talk(ON, { preferences: { place: 'store', store: refusing, id: 's' } });
      expect(await replace(denied, { security: 'low' })).toEqual({
        state: 'failed',
        kept: false,
        known: true,
        cause: refused,
      });
      const unread = new Talk(ON, {
        preferences: { place: 'store', store: failing(store, 'read'), id: 's' },
      });
      expect(await replace(unread, { security: 'low' })).toEqual({
        state: 'failed',
        kept: false,
        known: true,
        cause,
      });
    });

    it('are stored if only the answer of the store was lost', async () => {
      const store = createMemoryStore();
      const update = async (id: string, change: SessionRecord) => {
        await store.update(id, change);
        throw new TypeError('no answer');
      };
      const talk = new Talk(ON, { preferences: { place: 'store', store: { ...store, update }, id: 's' } });
      expect(await replace(talk, { security: 'low' })).toMatchObject({ state: 'changed' });
      expect(await store.read('s')).toMatchObject({ record: { concerns: { security: 'low' } } });
    });

    it('may or may not be stored if the store cannot be read afterwards', async () => {
      const store = createMemoryStore();
      let isDown = false;
      const read = (id: string) => (isDown ? Promise.reject(new TypeError('down')) : store.read(id));
      const update = () => {
        isDown = true;
        return Promise.reject(new TypeError('no answer'));
      };
      const preferences = { place: 'store', store: { ...store, read, update }, id: 's' } as const;
      expect(await replace(new Talk(ON, { preferences }), { security: 'low' })).toMatchObject({
        state: 'failed',
        known: false,
      });
    });

    it('are not kept for a caller who is not verified', async () => {
      const talk = new Talk(ON, { principal: { place: 'none' } });
      expect(await replace(talk, { security: 'low' })).toMatchObject({ state: 'changed' });
      expect(talk.record).toEqual({ concerns: { security: 'low' } });
    });

    it('are not kept for a session of 2026-07-28', async () => {
      const { talk, kept } = await connect({}, { concerns: { security: 'high' } });
      expect(await replace(talk, { security: 'low' }, modern())).toMatchObject({ visible: { tools: 1 } });
      expect(await kept()).toMatchObject({ record: { concerns: { security: 'low' } } });
      expect(talk.record).toEqual({ concerns: { security: 'high' } });
    });
  });

  it('change nothing in a session that has ended, before or while they are kept', async () => {
    const store = createMemoryStore();
    await store.end('s');
    const principal = { place: 'store', store, id: 'caller' } as const;
    const ended = new Talk(ON, { preferences: { place: 'store', store, id: 's' }, principal });
    expect(await replace(ended, { security: 'low' })).toEqual({ state: 'ended' });
    expect(await store.read('caller')).toEqual({ state: 'unknown' });
    const read: SessionStore['read'] = async () => ({ state: 'live', record: {} });
    const ending = new Talk(ON, { preferences: { place: 'store', store: { ...store, read }, id: 's' } });
    expect(await replace(ending, { security: 'low' })).toEqual({ state: 'ended' });
  });

  it('begin a session that is not known', async () => {
    const store = createMemoryStore();
    const talk = new Talk(ON, { preferences: { place: 'store', store, id: 's' } });
    expect(await replace(talk, { security: 'low' })).toMatchObject({ state: 'changed' });
    expect(await store.read('s')).toEqual({ state: 'live', record: { concerns: { security: 'low' } } });
  });

  it('show again what a lost session denied under enforce', async () => {
    const policy = panelPolicy('panel: on, enforcement: enforce');
    const store = createMemoryStore();
    const talk = new Talk(policy, {
      preferences: { place: 'store', store, id: 's' },
      lists: { tools: TOOLS },
    });
    const resolved = resolveConfiguration(policy, [{ from: 'update', concerns: { security: 'low' } }]);
    expect(await replacePreferences(talk.exchange(method), false, resolved)).toMatchObject({
      visible: { tools: 1 },
    });
  });
});

it('says what a failed store means', () => {
  const cause = undefined;
  expect(notStored({ state: 'failed', kept: true, known: true, cause })).toBe(
    'were stored for the caller, but not for this session. Try again.',
  );
  expect(notStored({ state: 'failed', kept: false, known: true, cause })).toBe(
    'could not be stored, so nothing changed. Try again.',
  );
  expect(notStored({ state: 'failed', kept: false, known: false, cause })).toContain('may or may not');
});

import { describe, expect, it } from 'vitest';
import { describeAccepted, resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { changeModelValues as settleChange } from '../../../src/core/gate/concerns/model-values.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { gathered } from '../exchange-of.js';
import { ON, TOOLS, talkTo } from '../panel/panel-policy.js';
import { failing, Talk } from './talk.js';

const changeModelValues = gathered(settleChange);
const accepted = (concerns: object) =>
  describeAccepted(resolveConfiguration(ON, [{ from: 'update', concerns }]));

describe('a change that a model makes', () => {
  const change = (talk: Talk, concerns: object) =>
    changeModelValues(talk.exchange('tools/call'), accepted(concerns));

  it('is kept beside the values of the person, and announced with the call', async () => {
    const talk = talkTo(ON, {}, { concerns: { topic: ['stocks'] }, model: { budget: 3 } });
    expect(await change(talk, { topic: ['news'] })).toEqual({
      state: 'changed',
      visible: { tools: 1 },
      changed: new Set(['tools']),
      appeared: ['a'],
      disappeared: 1,
      after: expect.objectContaining({ policy: ON }),
    });
    expect(talk.record).toMatchObject({
      concerns: { topic: ['stocks'] },
      model: { budget: 3, topic: ['news'] },
    });
    expect(talk.toClient).toEqual([
      { message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, relatedTo: 1 },
    ]);
    expect(talk.connection.state.relisted).toBe(false);
  });

  it('is told to the page', async () => {
    const talk = talkTo();
    talk.initialize();
    talk.observed.length = 0;
    await change(talk, { topic: ['news'] });
    expect(talk.observed).toEqual(['changed']);
  });

  it.each([
    ['removes a value that narrows', { budget: null }, { topic: ['news'] }],
    ['keeps that a free concern has no value', { topic: null }, { topic: null, budget: 3 }],
    ['removes nothing else', {}, { topic: ['news'], budget: 3 }],
    ['replaces values', { topic: ['stocks'], budget: 4 }, { topic: ['stocks'], budget: 4 }],
  ])('%s', async (_what, concerns, model) => {
    const talk = talkTo(ON, {}, { model: { topic: ['news'], budget: 3 } });
    await change(talk, concerns);
    expect(talk.record).toHaveProperty('model', model);
  });

  it('removes what an earlier policy let it narrow', async () => {
    const talk = talkTo(ON, {}, { model: { other: null, security: null, more: 1 } });
    await change(talk, {});
    expect(talk.record).toHaveProperty('model', { more: 1 });
  });

  it.each([
    ['a list that looks the same', { listChanged: ['tools'] }, { topic: ['news', 'stocks'] }],
    ['a list whose changes the server does not announce', { listChanged: ['prompts'] }, { topic: ['news'] }],
    ['a list, if the server announces none', { listChanged: undefined }, { topic: ['news'] }],
  ])('does not announce %s', async (_what, record, concerns) => {
    const talk = talkTo(ON, {}, record);
    expect(await change(talk, concerns)).toMatchObject({ state: 'changed' });
    expect(talk.toClient).toEqual([]);
    expect(talk.connection.state.relisted).toBeNull();
  });

  it('announces every list that looks different', async () => {
    const talk = talkTo(ON, {}, { listChanged: ['tools', 'prompts'] });
    talk.lists = { prompts: [{ name: 'p', _meta: { concerns: { topic: 'stocks' } } }] };
    await change(talk, { topic: ['news'] });
    expect(talk.methods).toEqual(['notifications/prompts/list_changed']);
    expect(talk.connection.state.relisted).toBeNull();
  });

  it('ignores the values of the request itself', async () => {
    const talk = talkTo();
    const http = { url: 'http://x.test/mcp?concerns=topic:stocks' };
    const exchange = talk.exchange('tools/call', {}, { http });
    const update = accepted({ topic: ['news'] });
    expect(await changeModelValues(exchange, update)).toMatchObject({ appeared: ['a', 'c'], disappeared: 1 });
  });

  it.each([{ topic: ['news'] }, { topic: ['stocks'] }])(
    'is not compared with what the request itself prefers: %j',
    async (concerns) => {
      const talk = talkTo(ON, {}, { concerns: { topic: ['stocks'] } });
      const exchange = talk.exchange('tools/call', { _meta: { [EXTENSION_ID]: { concerns } } });
      const update = accepted({ topic: ['news'] });
      expect(await changeModelValues(exchange, update)).toMatchObject({
        visible: { tools: 2 },
        appeared: ['a', 'c'],
        disappeared: 1,
      });
    },
  );

  it('fails if the store fails or the session has ended', async () => {
    const store = createMemoryStore();
    const inStore = (used: typeof store) =>
      new Talk(ON, { lists: { tools: TOOLS }, preferences: { place: 'store', store: used, id: 's' } });
    const cause = new TypeError('no store');
    for (const operation of ['read', 'update'] as const) {
      expect(await change(inStore(failing(store, operation)), { topic: ['news'] })).toEqual({
        state: 'failed',
        kept: false,
        // A write whose answer is lost may still arrive.
        known: operation === 'read',
        cause,
      });
    }
    expect(await store.read('s')).toEqual({ state: 'unknown' });
    expect(await change(inStore(store), { topic: ['news'] })).toMatchObject({ state: 'changed' });
    await store.end('s');
    expect(await change(inStore(store), { topic: ['stocks'] })).toEqual({ state: 'ended' });
    // A session that ends between the reading and the writing.
    const read: typeof store.read = async () => ({ state: 'live', record: {} });
    expect(await change(inStore({ ...store, read }), { topic: ['stocks'] })).toEqual({ state: 'ended' });
  });
});

import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { panelOf } from '../../../src/core/gate/edge/panel-of.js';
import { problemOf } from '../../../src/core/gate/panel/panel.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionRecord } from '../../../src/core/session/store.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { failing, modern, Talk } from '../concerns/talk.js';
import { ON, ONLY_LOOK, panelPolicy, READ_ONLY, TOOLS, talkTo } from './panel-policy.js';

const SURROUNDINGS = { session: 's', sessions: [], tokensOf: () => 1, revision: 3 };
const SERVER = { name: 'Vault', version: '2' };

/** The switches of a connection whose latest request this is. */
function panelFor(talk: Talk, ...request: Parameters<Talk['exchange']>) {
  const latest = talk.exchange(...request);
  talk.connection.handshake({ state: 'accepted', client: SERVER, server: SERVER, announced: [] });
  return panelOf(() => latest.again());
}
const stateFor = (talk: Talk, params: Record<string, unknown> = {}, sender = {}) =>
  panelFor(talk, 'tools/list', params, sender).state(SURROUNDINGS);
const changeFor = (talk: Talk, change: Record<string, unknown>, params: Record<string, unknown> = {}) =>
  panelFor(talk, 'tools/list', params).change(change);

/** A connection whose caller keeps a record. */
async function callerTalk(caller: SessionRecord, session: SessionRecord = {}) {
  const store = createMemoryStore();
  await store.update('caller', caller);
  const principal = { place: 'store', store, id: 'caller' } as const;
  const preferences = { place: 'connection', record: session } as const;
  return {
    store,
    talk: new Talk(ON, { lists: { tools: TOOLS }, principal, preferences: { ...preferences } }),
  };
}
const valuesIn = ({ concerns }: Awaited<ReturnType<typeof stateFor>>) =>
  Object.fromEntries(concerns.map(({ name, inEffect, origin }) => [name, [...inEffect, origin]]));

describe('what a page shows', () => {
  it('is what the session prefers', async () => {
    const talk = talkTo(ON, {}, { concerns: { security: 'high' } });
    const state = await stateFor(talk);
    expect(state).toMatchObject({
      ...{ session: 's', sessions: [], revision: 3, server: SERVER, warnings: [], withheld: 1 },
      shown: { tools: 2, tokens: 2 },
      everything: { tools: 3, tokens: 3 },
      items: [
        { name: 'a', shown: false, change: { security: 'low' }, after: 1 },
        { name: 'b', shown: true },
        { name: 'c', shown: true },
      ],
    });
    expect(state).not.toHaveProperty('readOnly');
    expect(valuesIn(state)).toEqual({
      security: ['high', 'session'],
      topic: [undefined],
      budget: [undefined],
      tier: ['free', 'default'],
    });
  });

  it('has every list of the server', async () => {
    const talk = talkTo();
    const shown = { _meta: { concerns: { security: 'low' } } };
    talk.lists = {
      tools: TOOLS,
      prompts: [{ name: 'p', ...shown }],
      resources: [{ uri: 'x://r', ...shown }],
      resourceTemplates: 500,
    };
    const { items } = await stateFor(talk);
    expect(items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'tools a',
      'tools b',
      'tools c',
      'prompts p',
      'resources x://r',
    ]);
  });

  it('says why people can only look, if its surroundings say nothing else', async () => {
    const talk = talkTo(READ_ONLY);
    expect(await stateFor(talk)).toMatchObject({ readOnly: ONLY_LOOK });
    const panel = panelFor(talk, 'tools/list');
    expect(await panel.state({ ...SURROUNDINGS, readOnly: 'Because.' })).toMatchObject({
      readOnly: 'Because.',
    });
  });

  it('has the warnings about preferences', async () => {
    const warnings = [{ code: 'a', message: 'Look.' }];
    expect(await stateFor(talkTo(ON, {}, { warnings }))).toMatchObject({ warnings: ['Look.'] });
  });

  it('knows the claims of the caller', async () => {
    const state = await stateFor(talkTo(), {}, { claims: new Map([['tier', 'pro']]) });
    expect(valuesIn(state)).toMatchObject({ tier: ['pro', 'claim'] });
    expect(state.withheld).toBe(0);
  });

  it('counts choices without what the model set for their concern', async () => {
    const talk = talkTo(ON, {}, { model: { topic: ['stocks'], budget: 3 } });
    const { concerns, shown, everything, presets } = await stateFor(talk);
    expect(shown.tools).toBe(1);
    expect(everything.tools).toBe(3);
    expect(concerns.map(({ options }) => options?.map(({ tools }) => tools))).toEqual([
      // With the model's topic and budget: only b is left, or nothing.
      [0, 1, 1],
      [1, 1, 2],
      undefined,
      undefined,
    ]);
    expect(presets.map(({ tools }) => tools)).toEqual([2, 1]);
  });

  it('is what a modern request prefers', async () => {
    const _meta = { [EXTENSION_ID]: { concerns: { security: 'low' } } };
    const talk = talkTo(ON, {}, { concerns: { security: 'high' } });
    const state = await stateFor(talk, modern({ _meta }));
    expect(valuesIn(state)).toMatchObject({ security: ['low', 'request'] });
    expect(state.shown.tools).toBe(1);
    // Each choice counts instead of what the request says.
    expect(state.concerns[0]?.options?.map(({ tools }) => tools)).toEqual([1, 2, 3]);
    expect(valuesIn(await stateFor(talk, modern()))).toMatchObject({ security: [undefined] });
  });

  it.each([null, 'text', 7])('is nothing for a modern request that prefers %j', async (concerns) => {
    const _meta = { [EXTENSION_ID]: { concerns } };
    const state = await stateFor(talkTo(), modern({ _meta }));
    expect(state.shown.tools).toBe(3);
    expect(state.warnings).toEqual([]);
  });

  it('is what the caller prefers, in both eras', async () => {
    const { talk } = await callerTalk({ concerns: { security: 'low' } }, { concerns: { security: 'high' } });
    for (const params of [{}, modern()]) {
      const state = await stateFor(talk, params);
      expect(valuesIn(state)).toMatchObject({ security: ['low', 'principal'] });
      expect(state.concerns[0]?.options?.map(({ tools }) => tools)).toEqual([1, 2, 3]);
    }
  });

  it('is what the person chose in a session, rather than for the caller', async () => {
    const session = { acted: true, concerns: { security: 'high' } };
    const { talk } = await callerTalk({ concerns: { security: 'low' } }, session);
    expect(valuesIn(await stateFor(talk))).toMatchObject({ security: ['high', 'session'] });
  });

  it('shows to a caller what a modern request states itself, which is stronger', async () => {
    const { talk } = await callerTalk({ concerns: { security: 'low' } });
    const params = modern({ _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } });
    const state = await stateFor(talk, params);
    expect(valuesIn(state)).toMatchObject({ security: ['high', 'request'] });
    // No choice would change that.
    expect(state.concerns[0]?.options?.map(({ tools }) => tools)).toEqual([2, 2, 2]);
    const legacy = await stateFor(talk, { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } });
    expect(valuesIn(legacy)).toMatchObject({ security: ['low', 'principal'] });
  });

  it('is that of an unknown session under enforce', async () => {
    const policy = panelPolicy('panel: on, enforcement: enforce');
    const preferences = { place: 'store', store: createMemoryStore(), id: 's' } as const;
    const talk = new Talk(policy, { lists: { tools: TOOLS }, preferences });
    const { shown, concerns } = await stateFor(talk);
    expect([shown.tools, concerns[0]?.options?.map(({ tools }) => tools)]).toEqual([3, [1, 2, 3]]);
  });
});

describe('a change on a page', () => {
  it('keeps the other values, also those from the URL', async () => {
    const talk = talkTo(ON, {}, { concerns: { topic: ['news'] }, model: { budget: 3 } });
    const http = { url: 'http://x.test/mcp?concerns=security:low' };
    const panel = panelFor(talk, 'tools/list', {}, { http });
    expect(await panel.change({ budget: 9 })).toEqual({ state: 'changed' });
    expect(talk.record).toMatchObject({
      concerns: { security: 'low', topic: ['news'], budget: 9 },
    });
    expect(talk.record).toHaveProperty('model', {});
  });

  it('keeps the values of the model for other concerns, and makes none its own', async () => {
    const talk = talkTo(ON, {}, { model: { topic: ['stocks'], budget: 3 } });
    await changeFor(talk, { security: 'low' });
    expect(talk.record).toMatchObject({
      concerns: { security: 'low', topic: null, budget: null },
      model: { topic: ['stocks'], budget: 3 },
    });
    await changeFor(talk, { preset: 'safe' });
    expect(talk.record).toMatchObject({ concerns: { security: 'high' } });
    expect(talk.record).toHaveProperty('model', {});
  });

  it('does not keep what a single request states', async () => {
    const talk = talkTo();
    await changeFor(talk, { budget: 9 }, { _meta: { [EXTENSION_ID]: { concerns: { security: 'low' } } } });
    expect(talk.record).toMatchObject({ concerns: { security: null, topic: null, budget: 9 } });
  });

  it('is announced on the stream of the connection', async () => {
    const talk = talkTo();
    await panelFor(talk, 'tools/list').change({ security: 'low' });
    expect(talk.toClient).toEqual([
      { message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, relatedTo: undefined },
    ]);
    expect(talk.connection.state.relisted).toBe(false);
  });

  it('is not announced if no list of tools changes', async () => {
    const talk = talkTo(ON, {}, { listChanged: ['tools', 'prompts'] });
    talk.lists = { tools: TOOLS, prompts: [{ name: 'p', _meta: { concerns: { topic: 'news' } } }] };
    await changeFor(talk, { budget: 10 });
    expect(talk.methods).toEqual([]);
    talk.lists = { prompts: [{ name: 'p', _meta: { concerns: { topic: 'news' } } }] };
    const other = talkTo(ON, {}, { listChanged: ['tools', 'prompts'] });
    other.lists = talk.lists;
    await changeFor(other, { topic: ['stocks'] });
    expect(other.methods).toEqual(['notifications/prompts/list_changed']);
    expect([talk.connection.state.relisted, other.connection.state.relisted]).toEqual([null, null]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ security: 'hihg' }, '"hihg" is not a valid value for security (low, high). Did you mean "high"?'],
    [{ budget: 11 }, '11 is not a valid value for budget (a number from 0 to 10).'],
    [{ weather: 1 }, '"weather" (update) is not a concern of this server. It was ignored.'],
    [{ preset: 'sfe' }, '"sfe" is not a valid value for preset (safe, cheap). Did you mean "safe"?'],
  ])('is refused: %j', async (change, message) => {
    const talk = talkTo();
    expect(await changeFor(talk, change)).toEqual({ state: 'refused', message });
    expect(talk.record).not.toHaveProperty('concerns');
  });

  it('is refused where people can only look', async () => {
    const talk = talkTo(READ_ONLY);
    expect(await changeFor(talk, { security: 'low' })).toEqual({ state: 'refused', message: ONLY_LOOK });
    expect(talk.record).not.toHaveProperty('concerns');
  });

  it('is refused if it cannot be stored, and ends with its session', async () => {
    const store = createMemoryStore();
    const inStore = (used: typeof store) =>
      new Talk(ON, { preferences: { place: 'store', store: used, id: 's' } });
    expect(await changeFor(inStore(failing(store, 'update')), { security: 'low' })).toEqual({
      state: 'failed',
      message: expect.stringContaining('may or may not have been stored'),
    });
    await store.end('s');
    expect(await changeFor(inStore(store), { security: 'low' })).toEqual({
      state: 'ended',
      message: 'The session has ended. Reconnect the host.',
    });
  });
});

describe('what is wrong with a change', () => {
  const problem = (concerns: unknown, policy = ON) =>
    problemOf(resolveConfiguration(policy, [{ from: 'update', concerns }]));

  it.each<[unknown, string | undefined]>([
    [{ security: 'high', topic: ['news'], budget: 0 }, undefined],
    [{ topic: ['nothing'] }, '"nothing" is not a valid value for topic (one or more of news, stocks).'],
    [{ budget: 11, security: 'x' }, '11 is not a valid value for budget (a number from 0 to 10).'],
    [
      { weather: 1, security: 'hihg' },
      '"hihg" is not a valid value for security (low, high). Did you mean "high"?',
    ],
    [{ budget: false }, 'false is not a valid value for budget (a number from 0 to 10).'],
    [{ security: { low: true } }, 'An object is not a valid value for security (low, high).'],
    [{ security: ['low', 'high'] }, 'A list is not a valid value for security (low, high).'],
    [{ topic: [null] }, 'null is not a valid value for topic (one or more of news, stocks).'],
    [{ topic: [['news']] }, 'A list is not a valid value for topic (one or more of news, stocks).'],
    ['text', 'concerns (update) must be an object of concern names and values. It was ignored.'],
  ])('is the first of it: %j', (concerns, message) => {
    expect(problem(concerns)).toBe(message);
  });

  it.each([
    [80, 80],
    [81, 80],
    [1_000_000, 80],
  ])('repeats of a text of %i characters only %i', (sent, quoted) => {
    expect(problem({ security: 'x'.repeat(sent) })).toBe(
      `"${'x'.repeat(quoted)}" is not a valid value for security (low, high).`,
    );
  });

  it('does not repeat lists, which may be nested deeply', () => {
    let topic: unknown = 'news';
    for (let depth = 0; depth < 20_000; depth++) topic = [topic];
    expect(problem({ topic })).toBe('A list is not a valid value for topic (one or more of news, stocks).');
  });
});

import { describe, expect, it } from 'vitest';
import { handleRequest as updateConcerns } from '../../../src/core/gate/edge/gather.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { ON, TOOLS, talkTo } from '../panel/panel-policy.js';
import { failing, modern, Talk } from './talk.js';

const method = 'updateConcerns';
const update = (talk: Talk, concerns: unknown, params: Record<string, unknown> = {}) =>
  updateConcerns(talk.exchange(method, { ...params, concerns }));
const answers = (talk: Talk) =>
  talk.toClient.flatMap(({ message }) => ('method' in message ? [] : [message]));
const result = (given: object) => [{ jsonrpc: '2.0', id: 1, result: given }];
const refused = (code: number, message: string, rest: object = {}) => [
  { jsonrpc: '2.0', id: 1, error: { code, message, ...rest } },
];

describe('updateConcerns', () => {
  it('keeps the preferences, announces changed lists, and answers with what is in effect', async () => {
    const talk = talkTo(ON, {}, { concerns: { security: 'low' }, model: { topic: ['news'] } });
    await update(talk, { security: 'high' });
    expect(talk.record).toEqual({
      panel: { app: false, form: false },
      listChanged: ['tools'],
      concerns: { security: 'high' },
      model: {},
    });
    const concerns = { security: 'high', tier: 'free' };
    expect(talk.toClient).toEqual([
      { message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, relatedTo: 1 },
      { message: result({ concerns, warnings: [], visible: { tools: 2 } })[0], relatedTo: undefined },
    ]);
    expect(talk.reports).toEqual([
      { method, era: 'legacy', concerns, sources: { security: 'session', tier: 'default' }, warnings: [] },
    ]);
  });

  it('is told to the page', async () => {
    const talk = talkTo();
    talk.initialize();
    talk.observed.length = 0;
    await update(talk, { security: 'high' });
    expect(talk.observed).toEqual(['changed']);
  });

  it.each([
    ['looks the same', { listChanged: ['tools'] }, { security: null }],
    ['changes without an announcement of the server', { listChanged: ['prompts'] }, { security: 'high' }],
    ['changes, if the server announces none', { listChanged: undefined }, { security: 'high' }],
  ])('does not announce a list that %s', async (_what, record, concerns) => {
    const talk = talkTo(ON, {}, record);
    await update(talk, concerns);
    expect(talk.methods).toEqual([]);
    expect(answers(talk)).toHaveLength(1);
  });

  it('warns of what it ignores, but not of what a URL says for other servers', async () => {
    const talk = talkTo(ON, {}, { concerns: { security: 'low' } });
    const http = { url: 'http://x.test/mcp?concerns=weather:1' };
    await updateConcerns(talk.exchange(method, { concerns: { securty: 'high' } }, { http }));
    const warnings = [
      {
        code: 'undeclared-concern',
        message:
          '"securty" (update) is not a concern of this server. It was ignored. Did you mean "security"?',
      },
    ];
    expect(answers(talk)).toEqual(result({ concerns: { tier: 'free' }, warnings, visible: { tools: 3 } }));
    expect(talk.reports).toMatchObject([{ warnings }]);
  });

  it('does not count the _meta of the request itself', async () => {
    const talk = talkTo();
    await update(talk, {}, { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } });
    expect(answers(talk)).toMatchObject([{ result: { visible: { tools: 3 } } }]);
    expect(answers(talk)).not.toHaveProperty('0.result.concerns.security');
    expect(talk.methods).toEqual([]);
    await update(
      talk,
      { security: 'high' },
      { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } },
    );
    expect(talk.methods).toEqual(['notifications/tools/list_changed']);
  });

  it.each([undefined, null, 'high', 7, ['high']])('refuses %j', async (concerns) => {
    const talk = talkTo();
    await update(talk, concerns);
    expect(answers(talk)).toEqual(
      refused(
        -32602,
        'params.concerns must be an object of concern names and values. Send {} to remove all preferences.',
      ),
    );
    expect(talk.record).not.toHaveProperty('concerns');
    expect(talk.reports).toEqual([{ method, era: 'legacy', error: -32602 }]);
  });

  it('refuses a value that is not valid', async () => {
    const talk = talkTo();
    await update(talk, { security: 'hihg' });
    const data = { concern: 'security', value: 'hihg', values: ['low', 'high'], suggestion: 'high' };
    expect(answers(talk)).toEqual(
      refused(-32602, '"hihg" is not a valid value for security (low, high). Did you mean "high"?', { data }),
    );
    expect(talk.record).not.toHaveProperty('concerns');
  });

  it.each([
    ['over HTTP without a session', {}],
    ['in 2026-07-28 without a verified caller', modern()],
  ])('is an unknown method %s, and says where preferences can be sent', async (_where, params) => {
    const talk = new Talk(ON, { preferences: { place: 'none' }, principal: { place: 'none' } });
    for (const concerns of [{ security: 'high' }, { security: 'hihg' }, undefined]) {
      talk.toClient.length = 0;
      await update(talk, concerns, params);
      const hint = `Send preferences with each request: in params._meta["${EXTENSION_ID}"].concerns, the Mcp-Concerns header or the URL, for example ?concerns=NAME:VALUE.`;
      expect(answers(talk)).toEqual(
        refused(-32601, 'Method not found: this endpoint keeps no preferences of yours.', { data: { hint } }),
      );
    }
    expect(talk.toServer).toEqual([]);
  });

  it('refuses if the session has ended or its store fails', async () => {
    const store = createMemoryStore();
    const inStore = (used: SessionStore) =>
      new Talk(ON, { preferences: { place: 'store', store: used, id: 's' } });
    const broken = inStore(failing(store, 'update'));
    await update(broken, { security: 'high' });
    expect(answers(broken)).toEqual(
      refused(
        -32603,
        'The concerns may or may not have been stored: the store did not answer. List again to see what is in effect.',
      ),
    );
    const message = 'The session store could not be written (TypeError).';
    expect(broken.reports).toEqual([
      { method, era: 'legacy', warnings: [{ code: 'store-unavailable', message }], error: -32603 },
    ]);
    await store.end('s');
    const ended = inStore(store);
    await update(ended, { security: 'high' });
    expect(answers(ended)).toEqual(refused(-32600, 'The session has ended. Initialize a new one.'));
  });
});

describe('updateConcerns of 2026-07-28', () => {
  it('keeps the preferences of a caller', async () => {
    const store = createMemoryStore();
    const principal = { place: 'store', store, id: 'caller' } as const;
    const talk = new Talk(ON, { lists: { tools: TOOLS }, principal });
    await update(talk, { security: 'high' }, modern());
    expect(answers(talk)).toMatchObject([
      { result: { concerns: { security: 'high' }, visible: { tools: 2 } } },
    ]);
    expect(await store.read('caller')).toEqual({ state: 'live', record: { concerns: { security: 'high' } } });
    expect(talk.record).toEqual({});
  });
});

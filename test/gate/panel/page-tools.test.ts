import { describe, expect, it } from 'vitest';
import { callPageTool as callPageToolOf } from '../../../src/core/gate/panel/answer-panel.js';
import { howToWiden } from '../../../src/core/gate/panel/how-to-switch.js';
import { summaryOf } from '../../../src/core/gate/panel/sentence.js';
import { stateOf as stateOfOf } from '../../../src/core/gate/panel/switches.js';
import { APP_MIME_TYPE, APPS_EXTENSION } from '../../../src/core/gate/request/client-surfaces.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { failing, modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { HOW, NOT_KEPT, ON, ONLY_LOOK, READ_ONLY, TOOLS, talkTo } from './panel-policy.js';

const callPageTool = gathered(callPageToolOf);
const stateOf = gathered(stateOfOf);

const call = async (talk: Talk, params: Record<string, unknown>) =>
  callPageTool(await talk.configured('tools/call', params));
const update = (talk: Talk, given: unknown) => call(talk, { name: 'concerns_update', arguments: given });
const error = (text: string) => ({ content: [{ type: 'text', text }], isError: true });

/** What the page shows now. */
async function page(talk: Talk) {
  const exchange = await talk.configured('tools/call');
  const state = await stateOf(exchange, howToWiden(exchange));
  return {
    content: [{ type: 'text', text: summaryOf(state) }],
    structuredContent: { ...state, revision: expect.any(Number) },
  };
}

describe('the tools of the page', () => {
  it.each(['concerns_read', 'concerns_update'])(
    'do not exist for clients without pages: %s',
    async (name) => {
      expect(await call(talkTo(ON, { form: true }), { name })).toBeUndefined();
    },
  );

  it('read what is shown, also where people can only look', async () => {
    const talk = talkTo(READ_ONLY, { app: true });
    expect(await call(talk, { name: 'concerns_read' })).toEqual(await page(talk));
  });

  it('change what shows less, and answer with what is shown then', async () => {
    const talk = talkTo(ON, { app: true });
    const answer = await update(talk, { concerns: { security: 'low' } });
    expect(answer).toEqual(await page(talk));
    expect(answer).toMatchObject({ structuredContent: { shown: { tools: 1 } } });
    expect(talk.toClient).toEqual([
      { message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, relatedTo: 1 },
    ]);
  });

  it('change nothing where people can only look', async () => {
    const talk = talkTo(READ_ONLY, { app: true });
    expect(await update(talk, { concerns: { security: 'low' } })).toEqual(error(ONLY_LOOK));
  });

  it('change nothing where nothing is kept', async () => {
    const capabilities = { extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } } };
    const params = modern({ name: 'concerns_update' }, capabilities);
    expect(await call(talkTo(), params)).toEqual(error(NOT_KEPT));
  });

  it.each([
    ['removes a value', {}, { security: null }],
    ['has another value', {}, { security: 'high' }],
    ['raises a bound', { budget: 3 }, { budget: 4 }],
    ['chooses a preset', {}, { preset: 'safe' }],
  ])('change nothing that could show more: %s', async (_what, concerns, change) => {
    const kept = { security: 'low', ...concerns };
    const talk = talkTo(ON, { app: true }, { concerns: kept });
    expect(await update(talk, { concerns: change })).toEqual(
      error(`This would show more. From here only less can be shown. ${HOW}`),
    );
    expect(talk.record).toMatchObject({ concerns: kept });
  });

  it('change freely what the policy opens to the model', async () => {
    const talk = talkTo(
      ON,
      { app: true },
      { concerns: { topic: ['news'] }, model: { topic: ['stocks'], budget: 2 } },
    );
    expect(await update(talk, { concerns: { topic: null } })).toHaveProperty('structuredContent');
    expect(talk.record).toMatchObject({ concerns: { topic: null }, model: { budget: 2 } });
  });

  it('do not show more in other sessions of a caller', async () => {
    const store = createMemoryStore();
    await store.update('caller', { concerns: { security: 'high' } });
    const record = { acted: true, concerns: { security: 'low' }, panel: { app: true, form: false } };
    const talk = new Talk(ON, {
      preferences: { place: 'connection', record },
      principal: { place: 'store', store, id: 'caller' },
      lists: { tools: TOOLS },
    });
    expect(await update(talk, { concerns: { budget: 3 } })).toHaveProperty('isError', true);
    expect(await store.read('caller')).toEqual({ state: 'live', record: { concerns: { security: 'high' } } });
  });

  it.each([undefined, null, 'security', 7, ['low']])('change nothing for %j', async (concerns) => {
    const talk = talkTo(ON, { app: true });
    expect(await update(talk, { concerns })).toEqual(
      error('"concerns" must be an object of concern names and values. Nothing changed.'),
    );
    expect(talk.record).not.toHaveProperty('concerns');
  });

  it('say why a change is refused', async () => {
    const talk = talkTo(ON, { app: true });
    expect(await update(talk, { concerns: { budget: 11 } })).toEqual(
      error('11 is not a valid value for budget (a number from 0 to 10).'),
    );
  });

  it('say that a session has ended, or that its store cannot be written', async () => {
    const store = createMemoryStore();
    await store.update('s', { panel: { app: true, form: false } });
    const asked = async (used: typeof store, before: () => Promise<unknown>) => {
      const talk = new Talk(ON, { preferences: { place: 'store', store: used, id: 's' } });
      const exchange = await talk.configured('tools/call', {
        name: 'concerns_update',
        arguments: { concerns: { security: 'low' } },
      });
      await before();
      return callPageTool(exchange);
    };
    expect(await asked(failing(store, 'update'), async () => undefined)).toEqual(
      error(
        'The preferences may or may not have been stored: the store did not answer. List again to see what is in effect.',
      ),
    );
    expect(await asked(store, () => store.end('s'))).toEqual(
      error('The session has ended. Reconnect the host.'),
    );
  });
});

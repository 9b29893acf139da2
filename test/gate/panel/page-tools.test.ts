import { describe, expect, it } from 'vitest';
import { callPageTool as callPageToolOf } from '../../../src/gate/panel/page-tools.js';
import { summaryOf } from '../../../src/gate/panel/sentence.js';
import { stateOf as stateOfOf } from '../../../src/gate/panel/switches.js';
import { APP_MIME_TYPE, APPS_EXTENSION } from '../../../src/gate/request/client-surfaces.js';
import { createMemoryStore } from '../../../src/session/memory.js';
import { failing, modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { NOT_KEPT, ON, ONLY_LOOK, READ_ONLY, TOOLS, talkTo } from './panel-policy.js';

const callPageTool = gathered(callPageToolOf);
const stateOf = gathered(stateOfOf);

const KEY = 'the key';

const call = async (talk: Talk, params: Record<string, unknown>) =>
  callPageTool(await talk.configured('tools/call', params));
const update = (talk: Talk, given: unknown) => call(talk, { name: 'concerns_update', arguments: given });
const error = (text: string) => ({ content: [{ type: 'text', text }], isError: true });

/** What the page shows now. */
async function page(talk: Talk) {
  const state = await stateOf(await talk.configured('tools/call'));
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

  it('read what is shown, also without a key', async () => {
    const talk = talkTo(READ_ONLY, { app: true });
    expect(await call(talk, { name: 'concerns_read' })).toEqual(await page(talk));
  });

  it('change what the person chose, and answer with what is shown then', async () => {
    const talk = talkTo(ON, { app: true });
    const answer = await update(talk, { key: KEY, concerns: { security: 'low' } });
    expect(answer).toEqual(await page(talk));
    expect(answer).toMatchObject({ structuredContent: { shown: { tools: 1 } } });
    expect(talk.toClient).toEqual([
      { message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, relatedTo: 1 },
    ]);
  });

  it('change nothing where people can only look', async () => {
    const talk = talkTo(READ_ONLY, { app: true });
    expect(await update(talk, { key: KEY, concerns: { security: 'low' } })).toEqual(error(ONLY_LOOK));
  });

  it('change nothing where nothing is kept', async () => {
    const capabilities = { extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } } };
    const params = modern({ name: 'concerns_update' }, capabilities);
    expect(await call(talkTo(), params)).toEqual(error(NOT_KEPT));
  });

  it.each([
    { key: 'other', concerns: { security: 'low' } },
    { key: ['the key'], concerns: { security: 'low' } },
    { concerns: { security: 'low' } },
    undefined,
    'the key',
  ])('change nothing without the key of the page: %j', async (given) => {
    const talk = talkTo(ON, { app: true });
    expect(await update(talk, given)).toEqual(
      error(
        'Only the page may change this. A person can open it with the tool "concerns"; a page from an earlier conversation must be opened again.',
      ),
    );
    expect(talk.record).not.toHaveProperty('concerns');
  });

  it('change nothing without any key', async () => {
    const session = { place: 'connection', record: { panel: { app: true, form: false } } };
    // Records of a store may have been written by another version.
    const store = createMemoryStore();
    await store.update('s', JSON.parse(JSON.stringify(session.record)));
    const preferences = { place: 'store', store, id: 's' } as const;
    const talk = new Talk(ON, { preferences, lists: { tools: TOOLS } });
    expect(await update(talk, { concerns: { security: 'low' } })).toMatchObject({ isError: true });
    expect(await store.read('s')).toEqual({ state: 'live', record: session.record });
  });

  it.each([undefined, null, 'security', 7, ['low']])('change nothing for %j', async (concerns) => {
    const talk = talkTo(ON, { app: true });
    expect(await update(talk, { key: KEY, concerns })).toEqual(
      error('"concerns" must be an object of concern names and values. Nothing changed.'),
    );
    expect(talk.record).not.toHaveProperty('concerns');
  });

  it('say why a change is refused', async () => {
    const talk = talkTo(ON, { app: true });
    expect(await update(talk, { key: KEY, concerns: { budget: 11 } })).toEqual(
      error('11 is not a valid value for budget (a number from 0 to 10).'),
    );
  });

  it('say that a session has ended, or that its store cannot be written', async () => {
    const store = createMemoryStore();
    await store.update('s', { panel: { app: true, form: false, key: KEY } });
    const asked = async (used: typeof store, before: () => Promise<unknown>) => {
      const talk = new Talk(ON, { preferences: { place: 'store', store: used, id: 's' } });
      const exchange = await talk.configured('tools/call', {
        name: 'concerns_update',
        arguments: { key: KEY, concerns: { security: 'low' } },
      });
      await before();
      return callPageTool(exchange);
    };
    expect(await asked(failing(store, 'update'), async () => undefined)).toEqual(
      error('The preferences could not be stored, so nothing changed. Try again.'),
    );
    expect(await asked(store, () => store.end('s'))).toEqual(
      error('The session has ended. Reconnect the host.'),
    );
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { PANEL_HTML } from '../../../src/core/gate/panel/generated/page.js';
import { APP_MIME_TYPE, APPS_EXTENSION } from '../../../src/core/gate/request/client-surfaces.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { failing, modern, Talk } from '../concerns/talk.js';
import { ON, panelPolicy, TOOLS, talkTo } from './panel-policy.js';

// The handlers load them with the first request. Loading can take longer than a test waits for an answer.
beforeAll(() => import('../../../src/core/gate/panel/answer-panel.js'));

const PAGE = { uri: 'ui://concerns/panel.html' };
const CLIENT = { extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } } };

/** Sends a request, and returns the answer of the gate. */
async function ask(talk: Talk, method: string, params: Record<string, unknown>): Promise<unknown> {
  talk.connection.fromClient({ jsonrpc: '2.0', id: 7, method, params }, { extra: undefined });
  const answer = () => talk.toClient.map(({ message }) => message).find((each) => read(each, 'id') === 7);
  await expect.poll(answer, { interval: 2 }).toBeDefined();
  return answer();
}
const received = (talk: Talk) => talk.toServer.map((message) => read(message, 'method'));

describe('a request for what the gate adds', () => {
  it.each([
    ['the tool', 'tools/call', { name: 'concerns' }, /^3 of 3 tools are shown/],
    ['a tool of the page', 'tools/call', { name: 'concerns_read' }, /^3 of 3 tools are shown/],
    ['a prompt', 'prompts/get', { name: 'concerns' }, /^3 of 3 tools are shown/],
  ])('is answered by the gate, and reported: %s', async (_what, method, params, text) => {
    const talk = talkTo(ON, { app: true });
    const answer = await ask(talk, method, params);
    const content = read(answer, 'result', 'content') ?? read(answer, 'result', 'messages');
    const [first] = Array.isArray(content) ? content : [];
    expect(read(first, 'text') ?? read(first, 'content', 'text')).toMatch(text);
    expect(received(talk)).not.toContain(method);
    expect(talk.reports.filter((report) => report.method === method)).toEqual([{ method, era: 'legacy' }]);
  });

  it('is answered with the page', async () => {
    const contents = [
      {
        ...PAGE,
        mimeType: APP_MIME_TYPE,
        text: PANEL_HTML.replace('<html ', `<html data-prefix="concerns" `),
        _meta: { ui: { csp: {}, prefersBorder: false } },
      },
    ];
    expect(await ask(talkTo(ON, { app: true }), 'resources/read', PAGE)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { contents },
    });
    expect(await ask(talkTo(), 'resources/read', modern(PAGE, CLIENT))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { contents, ttlMs: 3_600_000, cacheScope: 'public', resultType: 'complete' },
    });
  });

  it.each([
    ['the page, for clients without pages', 'resources/read', PAGE],
    ['a tool of the page, for clients without pages', 'tools/call', { name: 'concerns_read' }],
    ['the prompt of a preset that does not exist', 'prompts/get', { name: 'concerns-other' }],
  ])('never reaches the server: %s', async (_what, method, params) => {
    const talk = talkTo();
    const answer = await ask(talk, method, params);
    const name = JSON.stringify(Object.values(params)[0]);
    const message = `${name} is reserved for switching, and does not exist here.`;
    expect(answer).toMatchObject({ error: { code: -32602, message } });
    expect(received(talk)).not.toContain(method);
  });

  it.each([
    ['tools', 'tools/call', { name: 'concerns' }, { name: 'concerns' }],
    ['prompts', 'prompts/get', { name: 'concerns-safe' }, { name: 'concerns-safe' }],
    ['resources', 'resources/read', PAGE, { name: 'page', ...PAGE }],
  ])('never reaches a server that has it itself, in its %s', async (kind, method, params, own) => {
    const talk = talkTo(ON, { app: true });
    talk.lists = { [kind]: [{ name: 'other', uri: 'x://other' }, own] };
    expect(await ask(talk, method, params)).toHaveProperty('result');
    expect(received(talk)).not.toContain(method);
  });

  it('is answered by the gate if another list has the name, or a list cannot be read', async () => {
    const talk = talkTo(ON, { app: true });
    talk.lists = {
      tools: 500,
      prompts: [{ name: 'concerns' }],
      resources: [{ name: PAGE.uri, uri: 'x://y' }],
    };
    expect(await ask(talk, 'tools/call', { name: 'concerns' })).toHaveProperty('result.content');
    talk.toClient.length = 0;
    expect(await ask(talk, 'resources/read', PAGE)).toHaveProperty('result.contents');
  });

  it('is not answered after the client cancelled it', async () => {
    const talk = talkTo();
    talk.connection.fromClient(
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'concerns' } },
      { extra: undefined },
    );
    const params = { requestId: 7 };
    talk.connection.fromClient(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params },
      { extra: undefined },
    );
    // The same request again is answered, so the cancelled one is not merely late.
    talk.connection.fromClient(
      { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'concerns' } },
      { extra: undefined },
    );
    await expect.poll(() => talk.toClient.length, { interval: 2 }).toBeGreaterThan(0);
    expect(talk.toClient.map(({ message }) => read(message, 'id'))).toEqual([8]);
    expect(received(talk)).not.toContain('tools/call');
  });

  it('fails if its handling fails', async () => {
    const store = createMemoryStore();
    await store.update('s', { panel: { app: false, form: false } });
    let reads = 0;
    const flaky = failing(store, 'update');
    const read: typeof store.read = async (id) => {
      reads += 1;
      if (reads > 1) throw new TypeError('no store');
      return store.read(id);
    };
    const preferences = { place: 'store', store: { ...flaky, read }, id: 's' } as const;
    const talk = new Talk(ON, { lists: { tools: TOOLS }, preferences });
    expect(await ask(talk, 'tools/call', { name: 'concerns' })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, message: 'The concern filter failed on this request (no store).' },
    });
  });

  it('ignores a preference that is not valid', async () => {
    const params = { name: 'concerns', _meta: { [EXTENSION_ID]: { concerns: { security: 'hihg' } } } };
    expect(await ask(talkTo(), 'tools/call', params)).toHaveProperty('result');
    const strict = talkTo(panelPolicy('panel: on, enforcement: enforce'));
    expect(await ask(strict, 'tools/call', params)).toHaveProperty('result');
  });
});

import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { ONE_SERVER } from '../../../src/core/engine/servers/outside-names.js';
import { openCursor } from '../../../src/core/gate/lists/cursor.js';
import { filterUnexpected } from '../../../src/core/gate/lists/list-request.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { type Answer, EXTENSION_ID, type Message, type Request } from '../../../src/core/wire/messages.js';
import { modern, settled } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns: { security: { values: [low, high] } }
primitives:
  tools: { open: { security: high }, weak: { security: low } }
  resources: { "ui://weak": { security: low } }
`;
const policyWith = (settings: string) => policyOf(`${POLICY}settings: ${settings}\n`);
const plain = policyWith('{}');
const enforce = policyWith('{ enforcement: enforce }');
const panel = policyWith('{ panel: on }');

const named = (...names: string[]) => names.map((name) => ({ name }));
const concernsOf = (concerns: object) => ({ [EXTENSION_ID]: { concerns } });
const high = { _meta: concernsOf({ security: 'high' }) };
const told = (own: object) => ({ _meta: { [EXTENSION_ID]: own } });
const UNBOUNDED = {
  code: 'unbounded-list',
  message: 'The list is too long to be read at once. It is filtered page by page, so pages may be short.',
};
const own = expect.objectContaining({ name: 'concerns' });

/** A server whose list of tools never ends, except after the page `last`. */
function endless(
  policy = plain,
  tools: readonly object[] = named('open', 'weak'),
  preferences?: SessionPreferences,
): Harness {
  const harness = new Harness(policy, preferences);
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const at = message.params?.cursor;
    const more = at === 'last' ? {} : { nextCursor: `${Number(at ?? 0) + 1}` };
    void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools, extra: 1, ...more } });
  };
  return harness;
}

/** Sends a list request, and returns what the client receives. */
function list(harness: Harness, params?: object): Message | undefined {
  harness.client({ jsonrpc: '2.0', id: 'list', method: 'tools/list', ...(params && { params }) });
  return harness.answers('list').at(-1);
}
const answerWith = (result: object) => ({ jsonrpc: '2.0', id: 'list', result });
const cursorOf = (message: Message | undefined): string =>
  message !== undefined && 'result' in message ? String(message.result.nextCursor) : '';

/** The requests that the server got, with this method. */
const asked = ({ toServer }: Harness, method: string): Request[] =>
  toServer.filter((message): message is Request => 'method' in message && message.method === method);

describe('a list that is too long to be held', () => {
  it('warns of a session that is lost', async () => {
    const harness = endless(plain, named('open', 'weak'), {
      place: 'store',
      store: createMemoryStore(),
      id: 's',
    });
    list(harness, high);
    await settled();
    expect(harness.reports).toMatchObject([{ warnings: [{ code: 'unknown-session' }, UNBOUNDED] }]);
    const warnings = [{ code: 'unknown-session' }, UNBOUNDED];
    expect(harness.answers('list')).toMatchObject([{ result: told({ warnings }) }]);
  });

  it('is filtered page by page, with a cursor that only this client can use', () => {
    const harness = endless();
    const first = list(harness, high);
    expect(first).toEqual(
      answerWith({
        extra: 1,
        tools: named('open'),
        nextCursor: expect.any(String),
        ...told({ concerns: { security: 'high' }, shown: 1, total: 2, warnings: [UNBOUNDED] }),
      }),
    );
    const target = {
      catalog: 'tools',
      policy: plain.digest,
      configuration: harness.gate.latest?.configuration.key ?? '',
      filter: '',
    };
    expect(openCursor(cursorOf(first), target)).toEqual({ ok: true, cursor: '1' });
    expect(harness.reports).toMatchObject([
      {
        method: 'tools/list',
        shown: 1,
        total: 2,
        hidden: { concerns: { security: 1 } },
        warnings: [UNBOUNDED],
      },
    ]);
    expect(harness.contexts).toEqual([
      { id: 'list', policy: plain.digest, list: { kind: 'tools', items: named('open', 'weak') } },
    ]);
  });

  it('is continued at the page of the server', () => {
    const harness = endless();
    const cursor = cursorOf(list(harness, high));
    const before = harness.toServer.length;
    expect(list(harness, { ...high, extra: 1, cursor })).toMatchObject({ result: { tools: named('open') } });
    expect(harness.toServer.slice(before)).toMatchObject([{ params: { ...high, extra: 1, cursor: '1' } }]);
  });

  it("has the client's own filter", () => {
    const harness = endless();
    const params = { filter: { namePatterns: ['w*'] } };
    const first = list(harness, params);
    expect(first).toMatchObject({ result: { tools: named('weak') } });
    expect(harness.reports).toMatchObject([{ shown: 1, total: 2, hidden: { filter: 1 } }]);
    const message = 'Filter parameters must not change between paginated requests';
    expect(list(harness, { cursor: cursorOf(first) })).toEqual({
      jsonrpc: '2.0',
      id: 'list',
      error: { code: -32602, message },
    });
  });

  it('has no page for a cursor of the server', () => {
    const harness = endless();
    const refused = {
      jsonrpc: '2.0',
      id: 'list',
      error: { code: -32602, message: 'The cursor is not valid. List again without a cursor.' },
    };
    expect(list(harness, { ...high, cursor: '1' })).toEqual(refused);
    expect(list(harness, { ...high, cursor: '1' })).toEqual(refused);
  });

  it('passes if nothing is hidden', () => {
    const harness = endless();
    list(harness, high);
    const result = { tools: named('open', 'weak'), extra: 1, nextCursor: '8' };
    expect(list(harness, { cursor: '7' })).toEqual(answerWith(result));
  });

  it('ends with the tool of the gate', () => {
    const harness = endless(panel);
    expect(list(harness, high)).toMatchObject({ result: { tools: named('open') } });
    harness.onServer = (message) => {
      if (!('id' in message)) return;
      void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools: named('weak', 'open') } });
    };
    expect(list(harness, high)).toMatchObject({ result: { tools: [...named('open'), own] } });
    const filter = { namePatterns: ['*'] };
    expect(list(harness, { ...high, filter })).toMatchObject({ result: { tools: named('open') } });
  });

  it('has the tool of the gate in the place of one of the server', () => {
    const harness = endless(panel);
    list(harness, high);
    const tools = [{ name: 'concerns', ...{ _meta: { concerns: { security: 'low' } } } }];
    harness.onServer = (message) => {
      if ('id' in message) void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools } });
    };
    expect(list(harness, high)).toMatchObject({
      result: { tools: [{ name: 'concerns', title: 'What is shown' }] },
    });
  });

  it('is the list of its era', () => {
    const only = { name: 'task', execution: { taskSupport: 'required' } };
    const either = { name: 'either', execution: { taskSupport: 'optional' } };
    const harness = endless(plain, [only, either]);
    expect(list(harness, { _meta: modern({}, high._meta) })).toEqual(
      answerWith({
        extra: 1,
        tools: named('either'),
        nextCursor: expect.any(String),
        ...told({ concerns: { security: 'high' }, shown: 1, total: 2, warnings: [UNBOUNDED] }),
        ttlMs: 0,
        cacheScope: 'private',
      }),
    );
  });

  it('has no cursor if that of the server is neither text nor a number', () => {
    const harness = endless();
    list(harness, high);
    harness.onServer = (message) => {
      if (!('id' in message)) return;
      void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools: [], nextCursor: { page: 7 } } });
    };
    expect(list(harness, high)).toMatchObject({ result: { tools: [] } });
    expect(list(harness, high)).not.toMatchObject({ result: { nextCursor: expect.anything() } });
  });
});

describe('a list request that waits', () => {
  const linked = (uri: string) => [{ name: 'open', _meta: { 'ui/resourceUri': uri } }];
  const cancel = (harness: Harness) =>
    harness.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'list' } });
  const reply = (harness: Harness, request: Request | undefined, result: object) =>
    harness.server({ jsonrpc: '2.0', id: request?.id, result });

  it('is answered when the server has listed', async () => {
    const harness = new Harness(plain);
    expect(list(harness, high)).toBeUndefined();
    await reply(harness, asked(harness, 'tools/list')[0], { tools: named('open', 'weak') });
    expect(harness.answers('list')).toMatchObject([{ result: { tools: named('open') } }]);
  });

  it('is not answered if the client cancelled it', async () => {
    const harness = new Harness(plain);
    list(harness, high);
    cancel(harness);
    await reply(harness, asked(harness, 'tools/list')[0], { tools: named('open', 'weak') });
    expect(harness.toClient).toEqual([]);
    expect(harness.toServer).toHaveLength(1);
  });

  it.each([
    ['hidden', 'ui://weak', named('open').map((tool) => ({ ...tool, _meta: {} }))],
    ['shown', 'ui://open', linked('ui://open')],
  ])('waits for the resources that its tools link to, if they are %s', async (_what, uri, tools) => {
    const harness = new Harness(enforce);
    list(harness, high);
    await reply(harness, asked(harness, 'tools/list')[0], { tools: linked(uri) });
    expect(harness.toClient).toEqual([]);
    await reply(harness, asked(harness, 'resources/list')[0], { resources: [] });
    expect(harness.toClient).toEqual([]);
    await reply(harness, asked(harness, 'resources/templates/list')[0], { resourceTemplates: [] });
    expect(harness.answers('list')).toEqual([
      answerWith({ tools, ...told({ concerns: { security: 'high' }, shown: 1 }) }),
    ]);
  });

  it('is not answered if the client cancelled it meanwhile', async () => {
    const harness = new Harness(enforce);
    list(harness, high);
    await reply(harness, asked(harness, 'tools/list')[0], { tools: linked('ui://open') });
    cancel(harness);
    await reply(harness, asked(harness, 'resources/list')[0], { resources: [] });
    await reply(harness, asked(harness, 'resources/templates/list')[0], { resourceTemplates: [] });
    expect(harness.toClient).toEqual([]);
  });

  it('waits for them on each page of a list that is too long', async () => {
    const harness = endless(enforce);
    list(harness, high);
    harness.onServer = () => undefined;
    const count = harness.answers('list').length;
    harness.request('list', 'tools/list', high);
    const passed = asked(harness, 'tools/list').at(-1);
    void reply(harness, passed, { tools: linked('ui://weak') });
    expect(harness.answers('list')).toHaveLength(count);
    void reply(harness, asked(harness, 'resources/list')[0], { resources: [] });
    void reply(harness, asked(harness, 'resources/templates/list')[0], { resourceTemplates: [] });
    // The page of a tool is shown with the tool, so the gate searches the tools too.
    void reply(harness, asked(harness, 'tools/list').at(-1), { tools: [] });
    await settled();
    expect(harness.answers('list').at(-1)).toEqual(
      answerWith({
        tools: [{ name: 'open', _meta: {} }],
        ...told({ concerns: { security: 'high' }, shown: 1, warnings: [UNBOUNDED] }),
      }),
    );
  });
});

describe('a list in an answer to no request', () => {
  const none = resolveConfiguration(plain, []);
  const low = resolveConfiguration(plain, [{ from: 'session', concerns: { security: 'low' } }]);
  const answer = (result: Record<string, unknown>): Answer => ({ jsonrpc: '2.0', id: 9, result });

  it('is filtered', () => {
    const given = answer({ extra: 1, tools: named('open', 'weak'), nextCursor: 'x' });
    expect(filterUnexpected(given, low, ONE_SERVER)).toEqual(
      answer({
        extra: 1,
        tools: named('weak'),
        ...told({ concerns: { security: 'low' }, shown: 1, total: 2 }),
      }),
    );
  });

  it('stays the same if nothing can be hidden, or it is no list', () => {
    const given = answer({ tools: named('open', 'weak') });
    expect(filterUnexpected(given, none, ONE_SERVER)).toBe(given);
    const other = answer({ content: [] });
    expect(filterUnexpected(other, low, ONE_SERVER)).toBe(other);
  });
});

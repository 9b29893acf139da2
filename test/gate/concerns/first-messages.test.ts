import { describe, expect, it } from 'vitest';
import { createHandler } from '../../../src/core/http/sdk-v1.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import {
  CLIENT_CAPABILITIES_META,
  EXTENSION_ID,
  type Message,
  PROTOCOL_VERSION_META,
  read,
} from '../../../src/core/wire/messages.js';
import { serverV1 } from '../../behavior/servers.js';
import { Harness, policyOf, SECURITY } from '../gate-harness.js';

const policy = policyOf(SECURITY);
const tools = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A server that answers in a later turn of the event loop, as servers of the SDKs do. */
function start(given = policy, capabilities: object = { tools: {} }): Harness {
  const harness = new Harness(given);
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const { id } = message;
    const result = message.method === 'initialize' ? { capabilities } : { tools };
    setImmediate(() => void harness.server({ jsonrpc: '2.0', id, result }));
  };
  return harness;
}

const initialized = (concerns?: object) => ({
  jsonrpc: '2.0',
  method: 'notifications/initialized',
  ...(concerns === undefined ? {} : { params: { concerns } }),
});
const names = (messages: readonly Message[]): unknown =>
  (read(messages[0], 'result', 'tools') as { name: string }[] | undefined)?.map(({ name }) => name);
const warnings = (messages: readonly Message[]): unknown =>
  read(messages[0], 'result', '_meta', EXTENSION_ID, 'warnings');

describe('a client that sends initialize, initialized and a list at once', () => {
  it('gets lists for the preferences of initialized, now and later', async () => {
    const harness = start();
    harness.request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    harness.client(initialized({ security: 'high' }));
    harness.request(2, 'tools/list');
    for (let round = 0; round < 4; round++) await turn();
    expect(names(harness.answers(2))).toEqual(['b', 'c']);
    harness.request(3, 'tools/list');
    await turn();
    expect(names(harness.answers(3))).toEqual(['b', 'c']);
  });

  it('gets a list for its capabilities', async () => {
    const rule = { id: 'r', hide: ['tools'], when: { '!!': [{ var: 'client.capabilities.sampling' }] } };
    const harness = start(policyOf(`${SECURITY}rules: [${JSON.stringify(rule)}]\n`));
    harness.request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: { sampling: { x: 1 } } });
    harness.request(2, 'tools/list');
    for (let round = 0; round < 4; round++) await turn();
    expect(names(harness.answers(2))).toEqual([]);
  });

  it('gets none of the preferences of an initialize before', async () => {
    const harness = start();
    harness.request(1, 'initialize', { concerns: { security: 'high' } });
    await turn();
    harness.request(2, 'initialize', {});
    harness.request(3, 'tools/list');
    for (let round = 0; round < 4; round++) await turn();
    expect(names(harness.answers(3))).toEqual(['a', 'b', 'c']);
  });
});

describe('a value that is not valid', () => {
  const message = expect.stringContaining('Did you mean "high"?');

  it.each(['initialize', 'notifications/initialized'])(
    'in %s is in the warnings of lists until updateConcerns',
    async (method) => {
      const harness = start();
      const early = method === 'initialize' ? { concerns: { security: 'hihg' } } : {};
      harness.request(1, 'initialize', early);
      harness.client(initialized(method === 'initialize' ? undefined : { security: 'hihg' }));
      await turn();
      harness.request(2, 'tools/list');
      await turn();
      expect(warnings(harness.answers(2))).toEqual([{ code: 'unknown-value', message }]);
      harness.request(3, 'updateConcerns', { concerns: { security: 'high' } });
      for (let round = 0; round < 9; round++) await turn();
      expect(read(harness.answers(3)[0], 'result', 'warnings')).toEqual([]);
      harness.request(4, 'tools/list');
      await turn();
      expect(warnings(harness.answers(4))).toBeUndefined();
    },
  );

  it('in notifications/initialized is in the warnings of lists over HTTP', async () => {
    const store = createMemoryStore();
    const file = policyOf('concerns: { security: { values: [low, medium, high] } }\n');
    const handle = createHandler({ server: serverV1, policy: file, store });
    const post = async (body: object, session?: string): Promise<Response> =>
      handle(
        new Request('http://localhost/mcp', {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', ...body }),
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(session === undefined ? {} : { 'mcp-session-id': session }),
          },
        }),
      );
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    const opened = await post({ id: 1, method: 'initialize', params });
    const session = opened.headers.get('mcp-session-id') ?? '';
    await opened.text();
    await (await post(initialized({ security: 'hihg' }), session)).text();
    const list = JSON.parse(await (await post({ id: 2, method: 'tools/list' }, session)).text());
    expect(warnings([list])).toEqual([{ code: 'unknown-value', message }]);
  });
});

it('keeps the filters that the server itself declares', async () => {
  const tasks = { list: { filter: { own: true } } };
  const harness = start(policy, {
    tools: { filtering: { supported: ['tags', 'namePatterns'], own: 1 } },
    prompts: { filtering: 'odd' },
    tasks,
  });
  harness.request(1, 'initialize', {});
  await turn();
  expect(read(harness.answers(1)[0], 'result', 'capabilities')).toMatchObject({
    tools: { filtering: { supported: ['tags', 'namePatterns'], own: 1 } },
    prompts: { filtering: { supported: ['namePatterns'] } },
    tasks: { list: { filter: { own: true, methods: ['tools/call'] } } },
  });
});

describe('the marker of modern requests', () => {
  const modern = {
    _meta: { [PROTOCOL_VERSION_META]: '2026-07-28', [CLIENT_CAPABILITIES_META]: {}, own: 1 },
  };
  const eras = (harness: Harness) => harness.reports.map(({ era }) => era);

  it('does not count from the moment when initialize arrives', () => {
    const harness = new Harness(policy);
    harness.request(1, 'initialize', {});
    harness.request(2, 'ping', modern);
    expect(eras(harness)).toEqual(['legacy']);
    expect(harness.toServer.at(-1)).toMatchObject({ params: { _meta: { own: 1 } } });
    expect(JSON.stringify(harness.toServer.at(-1))).not.toContain('protocolVersion');
  });

  it('does not count again because a later initialize is refused', async () => {
    const harness = start();
    harness.request(1, 'initialize', {});
    await turn();
    harness.onServer = (message) => {
      if ('id' in message)
        void harness.server({ jsonrpc: '2.0', id: message.id, error: { code: -32600, message: 'no' } });
    };
    harness.request(2, 'initialize', {});
    harness.request(3, 'ping', modern);
    expect(eras(harness).at(-1)).toBe('legacy');
  });

  it.each([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', 'modern'],
    [undefined, 'modern'],
  ])('with the header %j is %s', async (version, era) => {
    const harness = start();
    const headers = { 'mcp-protocol-version': version };
    harness.client({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: modern }, { http: { headers } });
    await turn();
    expect(eras(harness)).toEqual([era]);
  });
});

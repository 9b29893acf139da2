import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it } from 'vitest';
import { attachConcerns } from '../../src/core/gate/attach.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { policyOf } from '../gate/gate-harness.js';
import { serverV1, serverV2 } from './servers.js';

/** What clients that name themselves so are shown, and what they prefer by default. */
const policy = policyOf(`
concerns:
  size: { values: [all, most, few], match: at-least }
presets: { few: { size: few } }
defaults-for: [{ when: { client.name: "cursor*" }, preset: few }]
primitives: { tools: { validateData: { size: [all, most] } } }
rules:
  - id: no-logs
    hide: [tools]
    when: { and: [{ starts-with: [{ var: client.name }, cursor] }, { "===": [{ var: primitive.name }, logData] }] }
  - id: old
    hide: [tools]
    when: { and: [{ "===": [{ var: client.version }, "0.1"] }, { "===": [{ var: primitive.name }, storeRecord] }] }
settings: { enforcement: enforce }
`);
const ALL = ['encryptData', 'logData', 'validateData', 'storeRecord'];

const MODES = [
  ['SDK v1', () => createHandler({ server: serverV1, policy, store: createMemoryStore() }), 'legacy'],
  [
    'SDK v2, legacy',
    () => createHandlerV2({ server: serverV2, policy, store: createMemoryStore() }),
    'legacy',
  ],
  ['SDK v2, modern', () => createHandlerV2({ server: serverV2, policy }), { pin: '2026-07-28' }],
] as const;

async function connect(
  handler: FetchHandler,
  mode: (typeof MODES)[number][2],
  name: string,
  version = '1',
  query = '',
) {
  const client = new Client({ name, version }, { versionNegotiation: { mode } });
  const fetch = (input: string | URL | Request, init?: RequestInit) => handler(new Request(input, init));
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost/mcp${query}`), { fetch }));
  return client;
}
const listed = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe.each(MODES)('a client that names itself, at an endpoint with %s', (_sdk, handler, mode) => {
  it('is shown what no rule hides from its name and version', async () => {
    const handle = handler();
    expect(await listed(await connect(handle, mode, 'other'))).toEqual(ALL);
    expect(await listed(await connect(handle, mode, 'cursor-vscode'))).toEqual([
      'encryptData',
      'storeRecord',
    ]);
    expect(await listed(await connect(handle, mode, 'other', '0.1'))).not.toContain('storeRecord');
  });

  it('cannot call what is hidden from it', async () => {
    const client = await connect(handler(), mode, 'cursor');
    const call = client.callTool({ name: 'logData', arguments: { text: 'x' } });
    const answer = await call.catch((error: unknown) => ({ isError: true, error: String(error) }));
    expect(JSON.stringify(answer)).toMatch(/not found/);
    expect(answer.isError).toBe(true);
  });

  it('can prefer something else than the defaults for its name', async () => {
    const client = await connect(handler(), mode, 'cursor', '1', '?concerns=size:all');
    expect(await listed(client)).toEqual(['encryptData', 'validateData', 'storeRecord']);
  });
});

it('a modern list that depends on the name of the client is not cached', async () => {
  const client = await connect(createHandlerV2({ server: serverV2, policy }), MODES[2][2], 'other');
  expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
});

describe('a client whose name is not known', () => {
  const post = async (handle: FetchHandler, body: object, headers: Record<string, string> = {}) => {
    const response = await handle(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      }),
    );
    const text = await response.text();
    return ALL.filter((name) => text.includes(`"name":"${name}"`));
  };

  it.each([
    ['a modern request without clientInfo', undefined],
    ['a name that is not a text', { name: 7, version: '1' }],
    ['a name of 100,000 characters', { name: 'x'.repeat(100_000), version: '1' }],
    ['an empty name', { name: '', version: '1' }],
  ])('is shown nothing more: %s', async (_what, clientInfo) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      ...(clientInfo === undefined ? {} : { 'io.modelcontextprotocol/clientInfo': clientInfo }),
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const handle = createHandlerV2({ server: serverV2, policy });
    const names = await post(handle, { method: 'tools/list', params: { _meta: meta } }, headers);
    expect(names).not.toContain('logData');
    expect(names).not.toContain('storeRecord');
  });

  it('is shown nothing more at an endpoint that keeps no sessions', async () => {
    const handle = createHandler({ server: serverV1, policy });
    expect(await post(handle, { method: 'tools/list', params: {} })).toEqual(['encryptData', 'validateData']);
  });
});

it('a rule about names applies on a connection without HTTP', async () => {
  const server = serverV1();
  attachConcerns(server, { policy });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new LegacyClient({ name: 'cursor', version: '1' });
  await client.connect(near);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['encryptData', 'storeRecord']);
  await client.close();
});

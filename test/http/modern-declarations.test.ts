import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler, type HandlerOptionsV2 } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { policyFromText } from '../policy-text.js';

const POLICY = policyFromText(`version: 1
concerns: { security: { values: [low, high], match: exact } }
primitives: { tools: { encrypt: { security: high }, log: { security: low } } }
`);

/** A server whose lists change, and whose resources can be subscribed to. */
function createServer(): McpServer {
  const capabilities = { resources: { subscribe: true, listChanged: true } };
  const server = new McpServer({ name: 'changing', version: '1.0.0' }, { capabilities });
  for (const name of ['encrypt', 'log']) server.registerTool(name, {}, () => ({ content: [] }));
  server.registerResource('keys', 'vault://keys', {}, () => ({ contents: [] }));
  return server;
}

const ADA = {
  token: 'secret',
  clientId: 'host',
  scopes: [],
  extra: { iss: 'https://login.example', sub: 'ada' },
};

/** Connects a client of SDK v2 that speaks 2026-07-28, and keeps the status of each response. */
async function connect(
  options: Partial<HandlerOptionsV2> = {},
  authInfo: typeof ADA | undefined = undefined,
) {
  const handle: FetchHandler = createHandler({ server: createServer, policy: POLICY, ...options });
  const statuses: number[] = [];
  const fetch = async (url: string | URL, init?: RequestInit) => {
    const response = await handle(new Request(url, init), authInfo === undefined ? {} : { authInfo });
    statuses.push(response.status);
    return response;
  };
  const client = new Client(
    { name: 'host', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL('http://x.test/mcp'), { fetch }));
  const ask = (method: string, params: object = {}) =>
    client.request({ method, params } as never, z.looseObject({}));
  return { client, statuses, ask, declared: client.getServerCapabilities() };
}

const methodsOf = (declared: unknown) => read(declared, 'extensions', EXTENSION_ID, 'methods');

describe('an endpoint tells a client of 2026-07-28 only what it can do', () => {
  it.each<[string, Partial<HandlerOptionsV2>]>([
    ['has no store', {}],
    ['has a store for sessions only', { store: createMemoryStore() }],
    ['keeps preferences of callers, and this one is not verified', keepingCallers()],
  ])('does not declare updateConcerns if it %s', async (_what, options) => {
    const { declared, ask, client } = await connect(options);
    expect(methodsOf(declared)).toEqual(['listConcerns']);
    const refused = ask('updateConcerns', { concerns: { security: 'high' } });
    // The status is 404, and the client of the SDK gives the text of such a response.
    await expect(refused).rejects.toThrow(/"code":-32601.*"hint":".*\?concerns=NAME:VALUE/);
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  it('declares updateConcerns to a verified caller whose preferences it keeps', async () => {
    const { declared, ask, client } = await connect(keepingCallers(), ADA);
    expect(methodsOf(declared)).toEqual(['listConcerns', 'updateConcerns']);
    await ask('updateConcerns', { concerns: { security: 'high' } });
    expect((await client.listTools()).tools).toMatchObject([{ name: 'encrypt' }]);
  });

  it('declares no changes, and answers a subscription as an unknown method', async () => {
    const { declared, statuses, client } = await connect();
    expect(declared).toMatchObject({ tools: {}, resources: {} });
    expect(JSON.stringify(declared)).not.toMatch(/listChanged|subscribe/);
    const refused = client.listen({ toolsListChanged: true });
    await expect(refused).rejects.toThrow('"code":-32601');
    expect(statuses.at(-1)).toBe(404);
  });
});

function keepingCallers(): Partial<HandlerOptionsV2> {
  return { store: createMemoryStore(), preferences: 'principal' };
}

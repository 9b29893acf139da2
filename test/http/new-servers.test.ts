import { Server as ServerOfV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { FetchHandler, FetchOptions } from '../../src/core/http/fetch-handler.js';
import type { KnownCatalog } from '../../src/core/http/known-lists/stub-server.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import { policyOf } from '../gate/gate-harness.js';

const INFO = { name: 'notes', version: '1.0.0' };
const policy = policyOf('concerns: {}');
const enforced = policyOf('concerns: {}\nsettings: { enforcement: enforce }\n');

const v1 = () => {
  const server = new McpServer(INFO);
  server.registerTool('read', { inputSchema: {} }, async () => ({
    content: [{ type: 'text', text: 'a note' }],
  }));
  return server;
};
const v2 = () => {
  const server = new McpServerV2(INFO);
  server.registerTool('read', { inputSchema: z.object({}) }, async () => ({
    content: [{ type: 'text', text: 'a note' }],
  }));
  return server;
};

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Send = (
  method: string,
  params: object,
  id: unknown,
) => { readonly body: object; readonly headers: object };
const LEGACY: Send = (method, params, id) => ({ body: { jsonrpc: '2.0', id, method, params }, headers: {} });
const MODERN: Send = (method, params, id) => ({
  body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: META } },
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
  },
});

const post = (handle: FetchHandler, body: unknown, headers: object = {}, given: FetchOptions = {}) =>
  handle(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    }),
    given,
  );

interface Form {
  readonly handlerOf: (server: () => never, catalog?: KnownCatalog) => FetchHandler;
  readonly make: () => object;
  readonly send: Send;
}

const FORMS: readonly [string, Form][] = [
  [
    'SDK v1',
    { handlerOf: (server, catalog) => createHandler({ server, policy, catalog }), make: v1, send: LEGACY },
  ],
  [
    'SDK v1, enforced',
    { handlerOf: (server) => createHandler({ server, policy: enforced }), make: v1, send: LEGACY },
  ],
  [
    'SDK v2 and a host up to 2025-11-25',
    { handlerOf: (server) => createHandlerV2({ server, policy }), make: v2, send: LEGACY },
  ],
  [
    'SDK v2 and a host of 2026-07-28',
    { handlerOf: (server) => createHandlerV2({ server, policy }), make: v2, send: MODERN },
  ],
];

const IN_USE = 'The function returned a server that is in use. Return a new one.';
const NO_SERVER = 'The function returned no server. Return a new Server or McpServer of an MCP SDK.';
const FAILED = 'The function that makes the server failed. The log of the endpoint has the reason.';

describe.each(FORMS)('a handler of %s', (_form, { handlerOf, make, send }) => {
  /** Sends a call, and returns its status, its body, and what the log gets. */
  async function called(handle: FetchHandler, id: unknown) {
    const { body, headers } = send('tools/call', { name: 'read', arguments: {} }, id);
    const causes: unknown[] = [];
    const response = await post(handle, body, headers, { failed: (cause) => causes.push(cause) });
    return { status: response.status, text: await response.text(), causes };
  }
  const errorOf = (id: unknown, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message } });

  it('serves one request after the other with new servers', async () => {
    const handle = handlerOf(() => make() as never);
    for (const id of [1, 'two', 3]) {
      const { status, text, causes } = await called(handle, id);
      expect([status, causes, text.includes('a note')]).toEqual([200, [], true]);
    }
  });

  it('refuses a server that it had before, from the second request on', async () => {
    const one = make();
    const handle = handlerOf(() => one as never);
    const first = await called(handle, 1);
    expect(first.text).toContain('a note');
    for (const id of [2, 'three']) {
      const { status, text, causes } = await called(handle, id);
      expect({ status, text }).toEqual({ status: 500, text: errorOf(id, IN_USE) });
      expect(causes).toEqual([expect.objectContaining({ code: 'SERVER_NOT_MADE', message: IN_USE })]);
    }
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a promise of nothing', async () => undefined],
    ['a function', () => () => undefined],
    ['other data', () => ({ name: 'server' })],
  ])('answers with an error if the function returns %s', async (_what, server) => {
    const { status, text } = await called(handlerOf(server as () => never), 7);
    expect({ status, text }).toEqual({ status: 500, text: errorOf(7, NO_SERVER) });
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('API_KEY is not set');
      },
    ],
    ['rejects', () => Promise.reject(new Error('API_KEY is not set'))],
  ])('tells only the log why if the function %s', async (_what, server) => {
    const { status, text, causes } = await called(handlerOf(server as () => never), 7);
    expect({ status, text }).toEqual({ status: 500, text: errorOf(7, FAILED) });
    expect(causes).toEqual([expect.objectContaining({ message: 'API_KEY is not set' })]);
  });
});

describe('a handler of SDK v1', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const broken = createHandler({ server: () => Promise.reject(new Error('API_KEY is not set')), policy });

  it('answers each request of a batch, and no notification', async () => {
    const list = { jsonrpc: '2.0', method: 'tools/list' };
    const batch = [
      { ...list, id: 1 },
      { ...list, id: 'b' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ];
    const response = await post(broken, batch, {}, { failed: () => undefined });
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual(
      [1, 'b'].map((id) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: FAILED } })),
    );
  });

  it('answers notifications with the error of the HTTP request', async () => {
    const response = await post(
      broken,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {},
      { failed: () => undefined },
    );
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32603, message: FAILED },
      id: null,
    });
  });

  it('writes the reason to the console if no log gets it', async () => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await post(broken, LEGACY('tools/list', {}, 1).body);
    expect(written.mock.calls).toEqual([[expect.objectContaining({ message: 'API_KEY is not set' })]]);
  });

  it('refuses a shared server also where lists are known, and after it read them', async () => {
    const one = v1();
    const handle = createHandler({ server: () => one, policy, catalog: 'static' });
    const { body } = LEGACY('tools/call', { name: 'read', arguments: {} }, 1);
    expect(await (await post(handle, body)).text()).toContain('a note');
    const response = await post(handle, body, {}, { failed: () => undefined });
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32603, message: IN_USE } });
  });

  it('does not reject if a server fails to connect', async () => {
    const causes: unknown[] = [];
    const server = new ServerOfV1(INFO, { capabilities: {} });
    server.connect = () => Promise.reject(new Error('no transport'));
    const handle = createHandler({ server: () => server, policy });
    const response = await post(
      handle,
      LEGACY('ping', {}, 'p').body,
      {},
      { failed: (cause) => causes.push(cause) },
    );
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 'p',
      error: { code: -32603, message: 'The server failed on this request. Its log has the reason.' },
    });
    expect(causes).toEqual([expect.objectContaining({ message: 'no transport' })]);
  });
});

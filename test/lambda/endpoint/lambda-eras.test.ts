import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createHandler } from '../../../src/core/http/sdk-v2.js';
import { createFunction } from '../../../src/core/lambda/function.js';
import type { HttpResult } from '../../../src/core/lambda/result.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { inMeta } from '../../clients.js';
import { httpEvent, rpc } from '../events.js';

/** A server of SDK v2 with some tools of the vault. */
function createServer(): McpServer {
  const server = new McpServer({ name: 'vault', version: '1.0.0' });
  for (const name of ['encryptData', 'logData', 'storeRecord', 'validateData']) {
    server.registerTool(name, { inputSchema: z.object({}) }, async () => ({ content: [] }));
  }
  return server;
}
const policy = loadPolicy('policies/vault.yaml');
/** Without a store, so that no state is kept between requests. */
const handler = createFunction({
  policy,
  handler: (store) => createHandler({ server: createServer, policy, store }),
  env: { MCP_CONCERNS_SESSIONS: 'none' },
  response: 'buffered',
  log: () => undefined,
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const eras = {
  legacy: { meta: {}, headers: {} },
  modern: { meta: MODERN, headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' } },
};
const { _meta: preferences } = inMeta({ security: 'high', cost: 'minimal' });

/** Reads JSON, or the only message of an event stream. */
const toolsOf = ({ body }: HttpResult): string[] => {
  const answer = JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body);
  return (answer.result.tools as { name: string }[]).map(({ name }) => name);
};

describe.each(Object.entries(eras))(
  'a function without sessions in the %s era',
  (_era, { meta, headers }) => {
    it.each<[string, object, Record<string, string>, string]>([
      ['the URL', {}, {}, 'concerns=security:high,cost:minimal'],
      ['the header', {}, { 'mcp-concerns': 'security=high, cost=minimal' }, ''],
      ['_meta', preferences, {}, ''],
    ])('filters by %s', async (_where, more, extra, rawQueryString) => {
      const body = rpc('tools/list', { _meta: { ...meta, ...more } });
      const event = httpEvent('POST', body, { headers: { ...headers, ...extra }, rawQueryString });
      expect(toolsOf(await handler(event))).toEqual(['encryptData', 'validateData']);
    });

    it('shows everything to a host without preferences', async () => {
      const event = httpEvent('POST', rpc('tools/list', { _meta: meta }), { headers });
      expect(toolsOf(await handler(event))).toHaveLength(4);
    });
  },
);

describe('a function that loads the handler of both eras later', () => {
  const both = (store: SessionStore | undefined) => createHandler({ server: createServer, policy, store });
  const settings = {
    policy,
    env: { MCP_CONCERNS_SESSIONS: 'none' },
    response: 'buffered',
    log: () => undefined,
  } as const;
  const whole = createFunction({ ...settings, handler: both });
  const split = (loaded: () => void) =>
    createFunction({
      ...settings,
      server: () => createServer() as never,
      modern: async (store) => {
        loaded();
        return both(store);
      },
    });
  const list = (meta: object) => rpc('tools/list', { _meta: meta });
  const named = (version: unknown) => ({ ...MODERN, 'io.modelcontextprotocol/protocolVersion': version });
  const modernHeaders = eras.modern.headers;

  it.each<[string, object, Record<string, string>]>([
    ['an envelope without headers', list(MODERN), {}],
    ['headers without an envelope', list({}), modernHeaders],
    ['an envelope whose version is not a text', list(named(7)), {}],
    ['a version that nobody knows in the header', list({}), { 'mcp-protocol-version': '2027-01-01' }],
    ['a version that nobody knows in the envelope', list(named('2027-01-01')), {}],
    ['a legacy header that contradicts the envelope', list(MODERN), { 'mcp-protocol-version': '2025-06-18' }],
    ['a batch with a modern request', [list({}), list(MODERN)], {}],
    ['a modern header on initialize', rpc('initialize', {}), modernHeaders],
  ])('answers %s as the handler of both eras does', async (_what, body, headers) => {
    let loads = 0;
    const event = httpEvent('POST', body, { headers });
    expect(await split(() => loads++)(event)).toEqual(await whole(event));
    expect(loads).toBe(1);
  });

  it('does not load it for a legacy host', async () => {
    let loads = 0;
    const handle = split(() => loads++);
    for (const headers of [
      {},
      { 'mcp-protocol-version': '2025-06-18' },
      { 'mcp-protocol-version': '2025-11-25' },
    ])
      expect(toolsOf(await handle(httpEvent('POST', list({}), { headers })))).toHaveLength(4);
    expect(loads).toBe(0);
  });

  it('refuses a body that is not JSON once, as the handler of both eras does', async () => {
    const event = httpEvent('POST', '{', { headers: modernHeaders });
    expect(await split(() => undefined)(event)).toEqual(await whole(event));
  });
});

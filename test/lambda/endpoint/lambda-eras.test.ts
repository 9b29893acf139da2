import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createHandler } from '../../../src/http/sdk-v2.js';
import { createFunction } from '../../../src/lambda/function.js';
import type { HttpResult } from '../../../src/lambda/result.js';
import { loadPolicy } from '../../../src/policy/compile/load.js';
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

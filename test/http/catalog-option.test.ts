import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { GateReport } from '../../src/core/gate/request/report.js';
import type { HandlerOptions } from '../../src/core/http/fetch-handler.js';
import { takeLists } from '../../src/core/http/known-lists/stub-server.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { policyOf, SECURITY } from '../gate/gate-harness.js';

const policy = policyOf(SECURITY);

/** Counts how often a server is built. Its list can be changed through `state.names`. */
function counting<T>(build: (names: readonly string[]) => T) {
  const state = { built: 0, names: ['a', 'b', 'c'] };
  const server = (): T => {
    state.built++;
    return build(state.names);
  };
  return { state, server };
}

const SERVER_INFO = { name: 'counting', version: '1.0.0' };
const answer = async ({ text }: { text: string }) => ({ content: [{ type: 'text' as const, text }] });
function buildV1(names: readonly string[]): McpServer {
  const made = new McpServer(SERVER_INFO);
  for (const name of names)
    made.registerTool(name, { description: name, inputSchema: { text: z.string() } }, answer);
  return made;
}
function buildV2(names: readonly string[]): McpServerV2 {
  const made = new McpServerV2(SERVER_INFO);
  const inputSchema = z.object({ text: z.string() });
  for (const name of names) made.registerTool(name, { description: name, inputSchema }, answer);
  return made;
}

const post = (headers: object, body: object, query: string) =>
  new Request(`http://localhost/mcp${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  });
const legacy = (method: string, params: object = {}, query = '') => post({}, { method, params }, query);
const modern = (method: string, params: { readonly name?: string } = {}, query = '') => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = params.name === undefined ? {} : { 'mcp-name': params.name };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named };
  return post(headers, { method, params: { ...params, _meta } }, query);
};

type Options = Pick<HandlerOptions, 'policy' | 'store' | 'catalog'>;
const v1 = () => {
  const { state, server } = counting(buildV1);
  return { state, server, open: (options: Options) => createHandler({ server, ...options }) };
};
const v2 = () => {
  const { state, server } = counting(buildV2);
  return { state, server, open: (options: Options) => createHandlerV2({ server, ...options }) };
};

const namesOf = async (response: Response): Promise<string[]> =>
  ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

describe.each([
  ['SDK v1', v1, legacy],
  ['SDK v2, up to 2025-11-25', v2, legacy],
  ['SDK v2, 2026-07-28', v2, modern],
])('%s', (_, countingServer, request) => {
  const call = () => request('tools/call', { name: 'a', arguments: { text: 'x' } } as object);

  describe('with catalog: static', () => {
    it('reads lists from the first server, and answers later lists without one', async () => {
      const { state, open } = countingServer();
      const handle = open({ policy, store: createMemoryStore(), catalog: 'static' });
      expect(await namesOf(await handle(request('tools/list', {}, '?concerns=security:high')))).toEqual([
        'b',
        'c',
      ]);
      expect(state.built).toBe(1);
      expect(await namesOf(await handle(request('tools/list', {}, '?concerns=security:low')))).toEqual([
        'a',
        'c',
      ]);
      expect(await namesOf(await handle(request('tools/list')))).toEqual(['a', 'b', 'c']);
      expect(state.built).toBe(1);
      await (await handle(call())).text();
      expect(state.built).toBe(2);
    });

    it('answers a host without preferences with the same bytes as the server', async () => {
      const { open } = countingServer();
      const bare = await (await open({ policy })(request('tools/list'))).text();
      const handle = open({ policy, catalog: 'static' });
      await (await handle(request('tools/list', {}, '?concerns=security:high'))).text();
      expect(await (await handle(request('tools/list'))).text()).toBe(bare);
    });
  });

  describe('with a saved catalog', () => {
    it('answers the first list without a server', async () => {
      const { state, server, open } = countingServer();
      const saved = await takeLists(server());
      state.built = 0;
      const handle = open({ policy, catalog: saved });
      expect(await namesOf(await handle(request('tools/list', {}, '?concerns=security:high')))).toEqual([
        'b',
        'c',
      ]);
      expect(state.built).toBe(0);
    });

    it.each(['advisory', 'enforce'])(
      'answers with the same bytes as the server, with enforcement %s',
      async (how) => {
        const { server, open } = countingServer();
        const enforced = policyOf(`${SECURITY}settings: { enforcement: ${how} }\n`);
        const saved = await takeLists(server());
        for (const query of ['', '?concerns=security:high', '?concerns=security:low']) {
          const listed = () => request('tools/list', {}, query);
          const real = await (await open({ policy: enforced })(listed())).text();
          expect(await (await open({ policy: enforced, catalog: saved })(listed())).text()).toBe(real);
        }
      },
    );

    it('notices at the first call that the catalog is stale, logs it, and lists the server again', async () => {
      const { state, server, open } = countingServer();
      const saved = await takeLists(server());
      state.names = ['a', 'b', 'd'];
      const reports: GateReport[] = [];
      const handle = open({ policy, catalog: saved });
      const report = (each: GateReport) => void reports.push(each);
      expect(await namesOf(await handle(request('tools/list'), { report }))).toEqual(['a', 'b', 'c']);
      await (await handle(call(), { report })).text();
      expect(reports.flatMap(({ warnings = [] }) => warnings)).toMatchObject([{ code: 'stale-catalog' }]);
      expect(await namesOf(await handle(request('tools/list'), { report }))).toEqual(['a', 'b', 'd']);
    });

    it('compares the catalog once with the server, and keeps it if it is current', async () => {
      const { state, server, open } = countingServer();
      const handle = open({ policy, catalog: await takeLists(server()) });
      state.built = 0;
      await (await handle(call())).text();
      await (await handle(call())).text();
      // One server to compare with, and one for each call.
      expect(state.built).toBe(3);
      await (await handle(request('tools/list'))).text();
      expect(state.built).toBe(3);
    });
  });
});

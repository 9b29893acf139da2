import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { takeLists } from '../../src/http/known-lists/stub-server.js';
import { createHandler, type HandlerOptions } from '../../src/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/http/sdk-v2.js';
import type { GateReport } from '../../src/protocol/request/report.js';
import { createMemoryStore } from '../../src/session/memory.js';
import { policyOf, SECURITY } from '../protocol/gate-harness.js';

const policy = policyOf(SECURITY);

/** Counts how often a server is built, and changes its list when told. */
function counting<T>(build: (names: readonly string[]) => T) {
  const state = { built: 0, names: ['a', 'b', 'c'] };
  const server = (): T => {
    state.built++;
    return build(state.names);
  };
  return { state, server };
}

const ABOUT = { name: 'counting', version: '1.0.0' };
const answer = async ({ text }: { text: string }) => ({ content: [{ type: 'text' as const, text }] });
function buildV1(names: readonly string[]): McpServer {
  const made = new McpServer(ABOUT);
  for (const name of names)
    made.registerTool(name, { description: name, inputSchema: { text: z.string() } }, answer);
  return made;
}
function buildV2(names: readonly string[]): McpServerV2 {
  const made = new McpServerV2(ABOUT);
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

  describe('a static catalog', () => {
    it('is taken from the first server, and answers later lists without one', async () => {
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

    it('gives who asks nothing the bytes of the server itself', async () => {
      const { open } = countingServer();
      const bare = await (await open({ policy })(request('tools/list'))).text();
      const handle = open({ policy, catalog: 'static' });
      await (await handle(request('tools/list', {}, '?concerns=security:high'))).text();
      expect(await (await handle(request('tools/list'))).text()).toBe(bare);
    });
  });

  describe('a snapshot', () => {
    it('answers the first list without any server', async () => {
      const { state, server, open } = countingServer();
      const snapshot = await takeLists(server());
      state.built = 0;
      const handle = open({ policy, catalog: snapshot });
      expect(await namesOf(await handle(request('tools/list', {}, '?concerns=security:high')))).toEqual([
        'b',
        'c',
      ]);
      expect(state.built).toBe(0);
    });

    it.each(['advisory', 'enforce'])(
      'has the bytes of the server itself, whatever is asked, under %s',
      async (how) => {
        const { server, open } = countingServer();
        const enforced = policyOf(`${SECURITY}settings: { enforcement: ${how} }\n`);
        const snapshot = await takeLists(server());
        for (const query of ['', '?concerns=security:high', '?concerns=security:low']) {
          const ask = () => request('tools/list', {}, query);
          const real = await (await open({ policy: enforced })(ask())).text();
          expect(await (await open({ policy: enforced, catalog: snapshot })(ask())).text()).toBe(real);
        }
      },
    );

    it('that no longer fits is noticed at the first real call, logged, and taken anew', async () => {
      const { state, server, open } = countingServer();
      const snapshot = await takeLists(server());
      state.names = ['a', 'b', 'd'];
      const reports: GateReport[] = [];
      const handle = open({ policy, catalog: snapshot });
      const report = (each: GateReport) => void reports.push(each);
      expect(await namesOf(await handle(request('tools/list'), { report }))).toEqual(['a', 'b', 'c']);
      await (await handle(call(), { report })).text();
      expect(reports.flatMap(({ warnings = [] }) => warnings)).toMatchObject([{ code: 'stale-catalog' }]);
      expect(await namesOf(await handle(request('tools/list'), { report }))).toEqual(['a', 'b', 'd']);
    });

    it('that fits is compared once, and kept', async () => {
      const { state, server, open } = countingServer();
      const handle = open({ policy, catalog: await takeLists(server()) });
      state.built = 0;
      await (await handle(call())).text();
      await (await handle(call())).text();
      // One to compare, one for each call.
      expect(state.built).toBe(3);
      await (await handle(request('tools/list'))).text();
      expect(state.built).toBe(3);
    });
  });
});

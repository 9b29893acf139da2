import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { GateReport } from '../../src/protocol/scope.js';
import { createFetchHandler } from '../../src/serve/sdk-v1.js';
import { takeLists } from '../../src/serve/stand-in.js';
import { createMemoryStore } from '../../src/session/memory.js';
import { policyOf, SECURITY } from '../protocol/gate-harness.js';

const policy = policyOf(SECURITY);
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Counts how often a server is built, and changes its list when told. */
function countingServer() {
  const state = { built: 0, names: ['a', 'b', 'c'] };
  const server = () => {
    state.built++;
    const made = new McpServer({ name: 'counting', version: '1.0.0' });
    for (const name of state.names) {
      made.registerTool(name, { description: name, inputSchema: { text: z.string() } }, async ({ text }) => ({
        content: [{ type: 'text', text }],
      }));
    }
    return made;
  };
  return { state, server };
}

const request = (method: string, params: object = {}, query = '') =>
  new Request(`http://localhost/mcp${query}`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
const call = () => request('tools/call', { name: 'a', arguments: { text: 'x' } });
const namesOf = async (response: Response): Promise<string[]> =>
  ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

describe('a static catalog', () => {
  it('is taken from the first server, and answers later lists without one', async () => {
    const { state, server } = countingServer();
    const handle = createFetchHandler({ server, policy, store: createMemoryStore(), catalog: 'static' });
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
    const { server } = countingServer();
    const bare = await (await createFetchHandler({ server, policy })(request('tools/list'))).text();
    const handle = createFetchHandler({ server, policy, catalog: 'static' });
    await (await handle(request('tools/list', {}, '?concerns=security:high'))).text();
    expect(await (await handle(request('tools/list'))).text()).toBe(bare);
  });
});

describe('a snapshot', () => {
  it('answers the first list without any server', async () => {
    const { state, server } = countingServer();
    const snapshot = await takeLists(server());
    state.built = 0;
    const handle = createFetchHandler({ server, policy, catalog: snapshot });
    expect(await namesOf(await handle(request('tools/list', {}, '?concerns=security:high')))).toEqual([
      'b',
      'c',
    ]);
    expect(state.built).toBe(0);
  });

  it('that no longer fits is noticed at the first real call, logged, and taken anew', async () => {
    const { state, server } = countingServer();
    const snapshot = await takeLists(server());
    state.names = ['a', 'b', 'd'];
    const reports: GateReport[] = [];
    const handle = createFetchHandler({ server, policy, catalog: snapshot });
    const report = (each: GateReport) => void reports.push(each);
    expect(await namesOf(await handle(request('tools/list'), { report }))).toEqual(['a', 'b', 'c']);
    await (await handle(call(), { report })).text();
    expect(reports.flatMap(({ warnings = [] }) => warnings)).toMatchObject([{ code: 'stale-catalog' }]);
    expect(await namesOf(await handle(request('tools/list'), { report }))).toEqual(['a', 'b', 'd']);
  });

  it('that fits is compared once, and kept', async () => {
    const { state, server } = countingServer();
    const handle = createFetchHandler({ server, policy, catalog: await takeLists(server()) });
    state.built = 0;
    await (await handle(call())).text();
    await (await handle(call())).text();
    // One to compare, one for each call.
    expect(state.built).toBe(3);
    await (await handle(request('tools/list'))).text();
    expect(state.built).toBe(3);
  });
});

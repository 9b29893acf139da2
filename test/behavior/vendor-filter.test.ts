import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { read } from '../../src/core/wire/messages.js';
import { policyFromText } from '../policy-text.js';

const TOOLS = [
  { name: 'readRow', tag: 'data' },
  { name: 'writeRow', tag: 'data' },
  { name: 'readLog', tag: 'logs' },
  { name: 'dropRow', tag: 'data' },
];

/** A server with a filter of its own, whose lists have one tool a page. */
function createServer(): Server {
  const server = new Server({ name: 'vendor', version: '1.0.0' }, { capabilities: { tools: {} } });
  // The schema of the SDK drops the filter.
  const request = z.object({ method: z.literal('tools/list'), params: z.looseObject({}).optional() });
  server.setRequestHandler(request, ({ params }) => {
    const tags = read(params, 'filter', 'tags');
    const found = TOOLS.filter(({ tag }) => !Array.isArray(tags) || tags.includes(tag));
    const start = Number(params?.cursor ?? 0);
    const tools = found
      .slice(start, start + 1)
      .map(({ name }) => ({ name, inputSchema: { type: 'object' as const } }));
    return { tools, ...(start + 1 < found.length ? { nextCursor: String(start + 1) } : {}) };
  });
  return server;
}

/** The names on all pages, as a client of the SDK follows them. */
async function listed(enforcement: string, params: object): Promise<unknown[]> {
  const policy = policyFromText(`version: 1
concerns: { risk: { values: [low, high], match: exact } }
primitives: { tools: { readRow: { risk: low }, writeRow: { risk: low }, dropRow: { risk: high } } }
settings: { enforcement: ${enforcement}, unmapped: show, page-size: 1 }
`);
  const server = createServer();
  attachConcerns(server, { policy });
  const client = new Client({ name: 'host', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  const names: unknown[] = [];
  for (let cursor: unknown; names.length < 10; ) {
    const page = await client.request(
      { method: 'tools/list', params: { ...params, ...(cursor === undefined ? {} : { cursor }) } } as never,
      z.looseObject({}),
    );
    names.push(...(page.tools as { name: string }[]).map(({ name }) => name));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  await client.close();
  return names;
}

const inMeta = (risk: string) => ({ _meta: { 'io.github.mcp-concerns/concerns': { concerns: { risk } } } });

it.each<[string, object, string[]]>([
  ['alone', { filter: { tags: ['data'] } }, ['readRow', 'writeRow', 'dropRow']],
  ['with a concern', { filter: { tags: ['data'] }, ...inMeta('low') }, ['readRow', 'writeRow']],
  ['with a pattern', { filter: { tags: ['data'], namePatterns: ['read*'] } }, ['readRow']],
  ['with both', { filter: { tags: ['logs'], namePatterns: ['*Row'] }, ...inMeta('low') }, []],
  ['that matches nothing', { filter: { tags: ['none'] }, ...inMeta('low') }, []],
])('a filter that only the server understands applies %s, over all pages', async (_with, params, names) => {
  for (const enforcement of ['advisory', 'enforce']) expect(await listed(enforcement, params)).toEqual(names);
});

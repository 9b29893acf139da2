import {
  Client as ClientV2,
  type StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client';
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createConcerns, summaryOf } from '../../src/client/index.js';
import {
  clientV1,
  closeLater,
  connectHost,
  handlerV2,
  inMemory,
  LINKS,
  names,
  overHandler,
  policy,
  policyWith,
  SAFE,
  TOOLS,
} from './hosts.js';

const paged = policyWith('{ page-size: 2 }');

describe.each(LINKS)('a list of several pages: $name', ({ connect }) => {
  it('is fetched to its last page, with one summary', async () => {
    const { concerns, sent } = await connect({ policy: paged });
    await concerns.set({ security: 'high' });
    sent.length = 0;
    const listed = await concerns.listTools();
    expect(names(listed)).toEqual(SAFE);
    expect(listed).not.toHaveProperty('nextCursor');
    expect(summaryOf(listed)).toMatchObject({ concerns: { security: 'high' }, shown: 4, total: 5 });
    expect(sent).toHaveLength(2);
  });

  it('is fetched one page at a time if a cursor is given', async () => {
    const { client, concerns } = await connect({ policy: paged });
    await concerns.set({ security: 'high' });
    const params = concerns.withConcerns({});
    // The list methods of v2 clients fetch all pages, so this calls `request`.
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const first = await client.request({ method: 'tools/list', params }, ResultSchema);
    expect(first.tools).toHaveLength(2);
    const page = await concerns.listTools({ cursor: String(first.nextCursor) });
    expect(names(page)).toEqual(SAFE.slice(2));
  });
});

/** Connects a client to a server that computes the cursor of the next page from the cursor of the request. */
async function connectPaged(next: (cursor: string | undefined) => string | undefined): Promise<ClientV1> {
  const server = new Server({ name: 'paged', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const nextCursor = next(params?.cursor);
    const name = params?.cursor ?? 'first';
    return {
      tools: [{ name, inputSchema: { type: 'object' as const } }],
      ...(nextCursor === undefined ? {} : { nextCursor }),
    };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = closeLater(clientV1());
  await client.connect(near);
  return client;
}

describe('pages of a server without a policy', () => {
  it('are joined in their order', async () => {
    const client = await connectPaged((cursor) => (cursor === 'b' ? undefined : cursor === 'a' ? 'b' : 'a'));
    expect(names(await createConcerns(client).listTools())).toEqual(['first', 'a', 'b']);
  });

  it('end with an error if a cursor is repeated', async () => {
    const client = await connectPaged((cursor) => (cursor === 'a' ? 'b' : 'a'));
    await expect(createConcerns(client).listTools()).rejects.toMatchObject({ code: 'LIST_ENDLESS' });
  });

  it('end with an error if there are always more pages', async () => {
    const client = await connectPaged((cursor) => String(Number(cursor ?? 0) + 1));
    await expect(createConcerns(client).listTools()).rejects.toMatchObject({ code: 'LIST_ENDLESS' });
  });
});

it('fetches a list from its first page again if the preferences change between two pages', async () => {
  const { client, concerns, sent } = await connectHost(clientV1(), inMemory(paged));
  await concerns.set({ security: 'low' });
  const transport = client.transport as InMemoryTransport;
  const send = transport.send.bind(transport);
  let pages = 0;
  transport.send = async (message, options) => {
    // The preferences change between the first page and the second.
    if ('method' in message && message.method === 'tools/list' && ++pages === 2)
      await concerns.set({ security: 'high' });
    return send(message, options);
  };
  sent.length = 0;
  expect(names(await concerns.listTools())).toEqual(SAFE);
  expect(sent.map(({ method }) => method)).toEqual([
    'tools/list',
    'updateConcerns',
    'tools/list',
    'tools/list',
    'tools/list',
  ]);
});

describe('the cache of a v2 client, whose only key is the method', () => {
  const cachingClient = async (): Promise<ClientV2> =>
    closeLater(new ClientV2({ name: 'host', version: '1.0.0' }, { defaultCacheTtlMs: 60_000 }));

  it('does not answer for other preferences', async () => {
    const { concerns } = await connectHost(await cachingClient(), overHandler(handlerV2()));
    expect(names(await concerns.listTools())).toEqual(TOOLS);
    await concerns.set({ security: 'high' });
    expect(names(await concerns.listTools())).toEqual(SAFE);
  });

  it('receives each list, because tool calls use it', async () => {
    const { client, concerns, sent } = await connectHost(await cachingClient(), overHandler(handlerV2()));
    await concerns.set({ security: 'high' });
    await concerns.listTools();
    sent.length = 0;
    expect(names(await client.listTools())).toEqual(SAFE);
    expect(sent).toEqual([]);
  });

  it('is bypassed if the host sets cacheMode', async () => {
    const { client, concerns, sent } = await connectHost(await cachingClient(), overHandler(handlerV2()));
    await concerns.set({ security: 'high' });
    await concerns.listTools({}, { cacheMode: 'bypass' } as object);
    sent.length = 0;
    await client.listTools();
    expect(sent).toHaveLength(1);
  });

  it('is used for a server that declares nothing', async () => {
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const { serverV2 } = await import('./hosts.js');
    const bare = closeLater(createMcpHandler(serverV2));
    const { concerns, sent } = await connectHost(await cachingClient(), overHandler(bare));
    await concerns.listTools();
    sent.length = 0;
    await concerns.listTools();
    expect(sent).toEqual([]);
  });

  it('does not answer for other preferences on a modern connection', async () => {
    const client = new ClientV2(
      { name: 'host', version: '1.0.0' },
      { defaultCacheTtlMs: 60_000, versionNegotiation: { mode: 'auto' } },
    );
    const concerns = createConcerns(closeLater(client));
    await client.connect((await overHandler(handlerV2(policy))()) as HttpV2);
    expect(names(await concerns.listTools())).toEqual(TOOLS);
    await concerns.set({ security: 'high' });
    expect(names(await concerns.listTools())).toEqual(SAFE);
  });
});

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
  it('is taken to its last page, and summed up once', async () => {
    const { concerns, sent } = await connect({ policy: paged });
    await concerns.set({ security: 'high' });
    sent.length = 0;
    const listed = await concerns.listTools();
    expect(names(listed)).toEqual(SAFE);
    expect(listed).not.toHaveProperty('nextCursor');
    expect(summaryOf(listed)).toMatchObject({ concerns: { security: 'high' }, shown: 4, total: 5 });
    expect(sent).toHaveLength(2);
  });

  it('is taken page by page by whoever has a cursor', async () => {
    const { client, concerns } = await connect({ policy: paged });
    await concerns.set({ security: 'high' });
    const params = concerns.withConcerns({});
    // Clients of v2 walk by themselves: without their list method, one page comes.
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const first = await client.request({ method: 'tools/list', params }, ResultSchema);
    expect(first.tools).toHaveLength(2);
    const page = await concerns.listTools({ cursor: String(first.nextCursor) });
    expect(names(page)).toEqual(SAFE.slice(2));
  });
});

/** A client of a server whose every page of tools has the cursor that is made of the asked one. */
async function walking(next: (cursor: string | undefined) => string | undefined): Promise<ClientV1> {
  const server = new Server({ name: 'walk', version: '1.0.0' }, { capabilities: { tools: {} } });
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

describe('pages of a server of its own', () => {
  it('come together in their order', async () => {
    const client = await walking((cursor) => (cursor === 'b' ? undefined : cursor === 'a' ? 'b' : 'a'));
    expect(names(await createConcerns(client).listTools())).toEqual(['first', 'a', 'b']);
  });

  it('end with an error where a cursor comes again', async () => {
    const client = await walking((cursor) => (cursor === 'a' ? 'b' : 'a'));
    await expect(createConcerns(client).listTools()).rejects.toMatchObject({ code: 'LIST_ENDLESS' });
  });

  it('end with an error where cursors come for ever', async () => {
    const client = await walking((cursor) => String(Number(cursor ?? 0) + 1));
    await expect(createConcerns(client).listTools()).rejects.toMatchObject({ code: 'LIST_ENDLESS' });
  });
});

it('begins anew where its pages belong to what was wanted before', async () => {
  const { client, concerns, sent } = await connectHost(clientV1(), inMemory(paged));
  await concerns.set({ security: 'low' });
  const transport = client.transport as InMemoryTransport;
  const send = transport.send.bind(transport);
  let pages = 0;
  transport.send = async (message, options) => {
    // Between the first page and the second, the host changes its mind.
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

describe('the cache of a v2 client, which knows lists by their method alone', () => {
  const caching = async (): Promise<ClientV2> =>
    closeLater(new ClientV2({ name: 'host', version: '1.0.0' }, { defaultCacheTtlMs: 60_000 }));

  it('does not answer for other concerns', async () => {
    const { concerns } = await connectHost(await caching(), overHandler(handlerV2()));
    expect(names(await concerns.listTools())).toEqual(TOOLS);
    await concerns.set({ security: 'high' });
    expect(names(await concerns.listTools())).toEqual(SAFE);
  });

  it('gets what was listed: tools are called by it', async () => {
    const { client, concerns, sent } = await connectHost(await caching(), overHandler(handlerV2()));
    await concerns.set({ security: 'high' });
    await concerns.listTools();
    sent.length = 0;
    expect(names(await client.listTools())).toEqual(SAFE);
    expect(sent).toEqual([]);
  });

  it('stays out of it where the host says so', async () => {
    const { client, concerns, sent } = await connectHost(await caching(), overHandler(handlerV2()));
    await concerns.set({ security: 'high' });
    await concerns.listTools({}, { cacheMode: 'bypass' } as object);
    sent.length = 0;
    await client.listTools();
    expect(sent).toHaveLength(1);
  });

  it('stays in use for a server that declares nothing', async () => {
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const { serverV2 } = await import('./hosts.js');
    const bare = closeLater(createMcpHandler(serverV2));
    const { concerns, sent } = await connectHost(await caching(), overHandler(bare));
    await concerns.listTools();
    sent.length = 0;
    await concerns.listTools();
    expect(sent).toEqual([]);
  });

  it('of a modern connection is not in the way either', async () => {
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

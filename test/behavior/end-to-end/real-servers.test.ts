import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { attachConcerns, type ConnectableServer } from '../../../src/core/gate/attach.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { inMeta, rawList, toolNames, updateConcerns } from '../../clients.js';

type Servable = ConnectableServer & { connect(transport: InMemoryTransport): Promise<void> };

const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/package.json',
);

async function everythingServer(): Promise<{ server: McpServer; cleanup: () => void }> {
  const module = await import(everything.replace('package.json', 'dist/server/index.js'));
  return module.createServer();
}

/** This server has its own copy of the SDK, like many servers from the registry. */
async function playwrightServer(): Promise<Servable> {
  const { createConnection } = await import('@playwright/mcp');
  return createConnection({
    capabilities: ['config', 'devtools', 'network', 'pdf', 'storage', 'testing', 'vision'],
  });
}

async function connected(server: Servable, policy?: string): Promise<Client> {
  if (policy !== undefined) attachConcerns(server, { policy: loadPolicy(policy) });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return client;
}

describe('@playwright/mcp under its policy', () => {
  it('lists all 72 tools without preferences, and only reading tools for effect: read-only', async () => {
    const bare = await connected(await playwrightServer());
    const client = await connected(await playwrightServer(), 'policies/playwright.yaml');
    const all = await rawList(bare);
    expect(all.tools).toHaveLength(72);
    expect(JSON.stringify(await rawList(client))).toBe(JSON.stringify(all));

    const { tools } = await rawList(client, 'tools/list', inMeta({ effect: 'read-only' }));
    const annotated = tools as { name: string; annotations: { readOnlyHint: boolean } }[];
    expect(annotated.map(({ name }) => name)).toContain('browser_snapshot');
    expect(annotated.map(({ name }) => name)).not.toContain('browser_click');
    expect(annotated.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([]);
    // The order of the server is kept.
    const order = (all.tools as { name: string }[]).map(({ name }) => name);
    const kept = annotated.map(({ name }) => name);
    expect(kept).toEqual(order.filter((name) => kept.includes(name)));
    await Promise.all([bare.close(), client.close()]);
  });

  it('keeps preferences in the connection if there is no store', async () => {
    const client = await connected(await playwrightServer(), 'policies/playwright.yaml');
    const { visible } = await updateConcerns(client, { preset: 'observe' });
    const names = await toolNames(client);
    expect(visible).toEqual({ tools: names.length });
    expect(names).not.toContain('browser_run_code_unsafe');
    await updateConcerns(client, {});
    expect(await toolNames(client)).toHaveLength(72);
    await client.close();
  });
});

describe('@modelcontextprotocol/server-everything under its policy', () => {
  it('filters each of the four lists', async () => {
    const { server, cleanup } = await everythingServer();
    const client = await connected(server, 'policies/everything.yaml');
    expect(await rawList(client, 'prompts/list')).toMatchObject({ prompts: { length: 4 } });
    expect(await rawList(client, 'resources/list')).toMatchObject({ resources: { length: 7 } });
    expect(await rawList(client, 'resources/templates/list')).toMatchObject({
      resourceTemplates: { length: 2 },
    });

    expect(await toolNames(client)).toContain('get-env');
    expect(await toolNames(client, inMeta({ sensitivity: 'public' }))).not.toContain('get-env');
    const prompts = await rawList(client, 'prompts/list', inMeta({ input: 'nothing' }));
    expect(prompts.prompts).toHaveLength(1);
    const resources = await rawList(client, 'resources/list', inMeta({ audience: 'users' }));
    expect((resources.resources as unknown[]).length).toBeLessThan(7);
    expect((resources.resources as unknown[]).length).toBeGreaterThan(0);
    const templates = await rawList(client, 'resources/templates/list', inMeta({ content: ['text'] }));
    expect(templates.resourceTemplates).toMatchObject([{ uriTemplate: expect.stringContaining('/text/') }]);
    await client.close();
    cleanup();
  });
});

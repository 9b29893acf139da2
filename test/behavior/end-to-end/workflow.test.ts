import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../../examples/vault/server.js';
import { type LocalEndpoint, serveLocally } from '../../../src/core/http/local.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { connectOverHttp, inMeta, ofMeta, post, rawList, toolNames, updateConcerns } from '../../clients.js';

const policy = loadPolicy('policies/vault.yaml');
const server = () => createVaultServer();
const open: { close(): Promise<void> }[] = [];
const serve = async (store: SessionStore | undefined): Promise<LocalEndpoint> => {
  const endpoint = await serveLocally({ server, policy, store });
  open.push(endpoint);
  return endpoint;
};
afterAll(() => Promise.all(open.map((each) => each.close())));

describe('the workflow of the proposal, over HTTP', () => {
  let endpoint: LocalEndpoint;
  beforeAll(async () => {
    endpoint = await serve(createMemoryStore());
  });

  it('declares the concerns in the initialize result, in both places', async () => {
    const response = await post(endpoint.url, {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    });
    const { result } = (await response.json()) as { result: { capabilities: Record<string, never> } };
    const { concerns, extensions } = result.capabilities;
    expect(concerns).toContainEqual({
      name: 'security',
      description: 'Security level required for the operation',
      values: ['low', 'medium', 'high'],
    });
    expect(extensions?.[EXTENSION_ID]).toMatchObject({
      concerns,
      presets: { safe: { security: 'high', access: 'read' } },
      methods: ['listConcerns', 'updateConcerns'],
    });
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{32}\.[\w-]+$/);
  });

  it('filters lists after initialized, and again after updateConcerns', async () => {
    const client = await connectOverHttp(endpoint.url, {
      initialized: { security: 'high', cost: 'minimal' },
    });
    const first = await toolNames(client);
    expect(first).toContain('encryptData');
    expect(first).toContain('validateData');
    expect(first).not.toContain('logData');
    expect(first).not.toContain('storeRecord');

    const changes: string[] = [];
    client.setNotificationHandler(
      ToolListChangedNotificationSchema,
      ({ method }) => void changes.push(method),
    );
    const update = await updateConcerns(client, { security: 'high', cost: 'moderate' });
    expect(update.concerns).toEqual({ security: 'high', cost: 'moderate' });
    await expect.poll(() => changes).toEqual(['notifications/tools/list_changed']);

    const second = await toolNames(client);
    expect(second).toContain('storeRecord');
    expect(second).toContain('validateData');
    expect(second).not.toContain('encryptData');
    expect((update.visible as { tools: number }).tools).toBe(second.length);

    await updateConcerns(client, { security: 'high', cost: 'moderate' });
    expect(changes).toHaveLength(1);
    await client.close();
  });

  it('answers listConcerns with its declaration', async () => {
    const client = await connectOverHttp(endpoint.url);
    const declared = client.getServerCapabilities()?.extensions?.[EXTENSION_ID];
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const listed = await client.request({ method: 'listConcerns' }, ResultSchema);
    expect(declared).toMatchObject(listed);
    await client.close();
  });

  it('filters prompts, resources and resource templates too', async () => {
    const client = await connectOverHttp(endpoint.url, { initialized: { preset: 'safe', cost: 'minimal' } });
    const { prompts } = await rawList(client, 'prompts/list');
    const { resources } = await rawList(client, 'resources/list');
    const { resourceTemplates } = await rawList(client, 'resources/templates/list');
    expect(prompts).toMatchObject([{ name: 'explainEncryption' }]);
    expect((resources as { uri: string }[]).map(({ uri }) => uri)).not.toContain('vault://audit');
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'vault://keys/{id}' }]);
    await client.close();
  });

  it.each([
    ['the request', {}, inMeta({ security: 'high', cost: 'minimal' })],
    ['initialize', { initialize: { security: 'high', cost: 'minimal' } }, {}],
    ['the client capability', { capability: { security: 'high', cost: 'minimal' } }, {}],
    ['the header', { headers: { 'Mcp-Concerns': 'security=high, cost=minimal' } }, {}],
  ])('reads concerns from %s', async (_where, options, params) => {
    const client = await connectOverHttp(endpoint.url, options);
    const tools = await toolNames(client, params);
    expect(tools).toContain('encryptData');
    expect(tools).not.toContain('logData');
    await client.close();
  });

  it('reads concerns and presets from the URL', async () => {
    for (const query of ['security:high,cost:minimal', 'safe']) {
      const client = await connectOverHttp(`${endpoint.url}?concerns=${query}`);
      const tools = await toolNames(client);
      expect(tools).toContain('encryptData');
      expect(tools).not.toContain('storeRecord');
      await client.close();
    }
  });

  it('uses the strongest preference source for each concern', async () => {
    const client = await connectOverHttp(`${endpoint.url}?concerns=security:low,cost:high,access:read`, {
      initialized: { security: 'high' },
      headers: { 'Mcp-Concerns': 'security=medium, cost=moderate' },
    });
    const result = await rawList(client, 'tools/list', inMeta({ environment: 'production' }));
    expect(ofMeta(result)?.concerns).toEqual({
      security: 'high',
      cost: 'moderate',
      access: 'read',
      environment: 'production',
    });
    await client.close();
  });
});

describe('a client without support for concerns', () => {
  it('gets every list with the same bytes as without the plugin', async () => {
    const { WebStandardStreamableHTTPServerTransport } = await import(
      '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
    );
    const endpoint = await serve(createMemoryStore());
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      const body = { jsonrpc: '2.0', id: 1, method };
      const bare = server();
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await bare.connect(transport);
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const expected = await (await transport.handleRequest(request)).text();
      await bare.close();
      expect(expected).toContain('"result"');
      expect(await (await post(endpoint.url, body)).text()).toBe(expected);
    }
  });
});

describe('many processes', () => {
  it('stores the preferences of initialized before it acknowledges the notification', async () => {
    const memory = createMemoryStore();
    const slow: SessionStore = {
      ...memory,
      update: async (id, change) => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        return memory.update(id, change);
      },
    };
    const [first, second] = [await serve(slow), await serve(slow)];
    const initialize = await post(first.url, {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    });
    const session = { 'mcp-session-id': initialize.headers.get('mcp-session-id') ?? '' };
    await initialize.text();
    const initialized = await post(
      first.url,
      {
        jsonrpc: '2.0',
        method: 'notifications/initialized',
        params: { concerns: { security: 'high', cost: 'minimal' } },
      },
      session,
    );
    expect(initialized.status).toBe(202);
    const listed = await post(second.url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, session);
    const { result } = (await listed.json()) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toContain('encryptData');
    expect(result.tools.map(({ name }) => name)).not.toContain('logData');
  });

  it('rejects an update that could not be stored', async () => {
    const memory = createMemoryStore();
    const broken: SessionStore = {
      ...memory,
      update: (id, change) =>
        change.concerns === undefined ? memory.update(id, change) : Promise.reject(new Error('throttled')),
    };
    const client = await connectOverHttp((await serve(broken)).url);
    await expect(updateConcerns(client, { security: 'high' })).rejects.toMatchObject({ code: -32603 });
    expect(await toolNames(client)).toHaveLength(24);
    await client.close();
  });

  it('uses the other preference sources if the store cannot be read', async () => {
    const broken: SessionStore = {
      ...createMemoryStore(),
      read: () => Promise.reject(new Error('throttled')),
    };
    const client = await connectOverHttp(`${(await serve(broken)).url}?concerns=safe`);
    expect(await toolNames(client)).toHaveLength(10);
    await client.close();
  });
});

describe('sessions', () => {
  it('ends permanently with DELETE', async () => {
    const endpoint = await serve(createMemoryStore());
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const opened = await post(endpoint.url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(endpoint.url, list, session)).status).toBe(200);
    expect((await fetch(endpoint.url, { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await post(endpoint.url, list, session)).status).toBe(404);
    const update = { jsonrpc: '2.0', id: 2, method: 'updateConcerns', params: { concerns: {} } };
    expect((await post(endpoint.url, update, session)).status).toBe(404);
  });

  it('do not exist for an id that nobody was given', async () => {
    const endpoint = await serve(createMemoryStore());
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const response = await post(endpoint.url, list, { 'mcp-session-id': 'fedcba9876543210fedcba9876543210' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.stringContaining('unknown') },
    });
  });

  it('has no sessions without a store, and still reads the other preference sources', async () => {
    const endpoint = await serve(undefined);
    const client = await connectOverHttp(`${endpoint.url}?concerns=safe`);
    expect(client.getServerCapabilities()?.extensions?.[EXTENSION_ID]).toMatchObject({
      methods: ['listConcerns'],
    });
    await expect(updateConcerns(client, { security: 'high' })).rejects.toMatchObject({ code: -32601 });
    expect(await toolNames(client)).toHaveLength(10);
    await client.close();
  });

  it('answers GET with 405', async () => {
    const endpoint = await serve(createMemoryStore());
    const response = await fetch(endpoint.url, { headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, DELETE');
  });
});

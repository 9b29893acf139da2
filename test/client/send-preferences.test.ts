import {
  Client as ClientV2,
  type StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import { concernsCapabilities, createConcerns, inMeta } from '../../src/client/index.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { PATIENCE } from '../patience.js';
import {
  clientV1,
  clientV2,
  closeLater,
  connectHost,
  handlerV2,
  inMemory,
  LINKS,
  names,
  overHandler,
  policy,
  preferencesIn,
  SAFE,
  TOOLS,
  until,
} from './hosts.js';

describe.each(LINKS)(
  'preferences that are set before the client connects: $name',
  ({ era, via, connect }) => {
    it('are sent with initialized if a session can keep them', async () => {
      const { sent } = await connect({
        over: true,
        preferences: { security: 'high', tier: 'pro', cost: 'low' },
      });
      const initialized = sent.find(({ method }) => method === 'notifications/initialized');
      expect(initialized === undefined).toBe(era === 'modern');
      expect(initialized?.params?.concerns).toEqual(via === 'update' ? { security: 'high' } : undefined);
    });

    it('are kept, and those that the server does not accept are reported and never sent', async () => {
      const { concerns, sent } = await connect({
        preferences: { security: 'high', tier: 'pro', securty: 'low' },
      });
      expect(concerns.problems).toMatchObject([
        { code: 'operator-concern', concern: 'tier' },
        { code: 'undeclared-concern', concern: 'securty', suggestion: 'security' },
      ]);
      expect(names(await concerns.listTools())).toEqual(SAFE);
      expect(preferencesIn(sent.at(-1))).toEqual({ security: 'high' });
      expect(await concerns.resend()).toMatchObject({ via });
      expect(names(await concerns.listTools())).toEqual(SAFE);
      expect(JSON.stringify(sent)).not.toMatch(/tier|securty/);
      expect(concerns.preferences).toEqual({ security: 'high', tier: 'pro', securty: 'low' });
    });
  },
);

it('adds nothing to initialized if there are no preferences', async () => {
  const { sent } = await connectHost(clientV1(), inMemory(policy), { over: true });
  expect(sent.find(({ method }) => method === 'notifications/initialized')).not.toHaveProperty(
    'params.concerns',
  );
});

it('keeps a frozen copy of the preferences', async () => {
  const client = clientV1();
  const topic = ['documents'];
  const concerns = createConcerns(client);
  expect(await concerns.set({ topic, budget: undefined })).toEqual({ via: 'none', reason: 'not-connected' });
  topic.push('charts');
  expect(concerns.preferences).toEqual({ topic: ['documents'] });
  expect(Object.isFrozen(concerns.preferences) && Object.isFrozen(concerns.preferences.topic)).toBe(true);
  await client.connect(concerns.over(await inMemory(policy)()));
  closeLater(client);
  expect(names(await client.listTools())).toEqual(['encrypt', 'audit', 'log', 'open']);
});

it('returns the same transport, and does not change other messages', async () => {
  const transport = await inMemory(policy)();
  const concerns = createConcerns(clientV1(), { preferences: { security: 'high' } });
  expect(concerns.over(transport)).toBe(transport);
  const passed: unknown[][] = [];
  const plain = concerns.over({ send: async (...given: unknown[]) => void passed.push(given) });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  await (plain.send as (...given: unknown[]) => Promise<void>)(ping, { headers: { trace: 'a' } });
  expect(passed).toEqual([[ping, { headers: { trace: 'a' } }]]);

  const { client, sent } = await connectHost(clientV1(), inMemory(policy), {
    over: true,
    preferences: { security: 'high' },
  });
  sent.length = 0;
  await client.ping();
  await client.listTools(inMeta({}, { security: 'low' }));
  expect(sent[0]).not.toHaveProperty('params');
  expect(preferencesIn(sent[1])).toEqual({ security: 'low' });
});

it('adds preferences when the SDK itself refreshes a list', async () => {
  const handler = handlerV2();
  const refreshed: string[][] = [];
  const client = new ClientV2(
    { name: 'host', version: '1.0.0' },
    {
      versionNegotiation: { mode: 'auto' },
      listChanged: {
        tools: { onChanged: (_error, tools) => void refreshed.push(names({ tools: tools ?? [] })) },
      },
    },
  );
  await connectHost(client, overHandler(handler), { over: true, preferences: { security: 'high' } });
  handler.notify.toolsChanged();
  await until(() => refreshed.length > 0);
  expect(refreshed).toEqual([SAFE]);
});

describe('client capabilities', () => {
  const capabilities = concernsCapabilities({ security: 'high' });

  it('declare preferences to legacy servers', async () => {
    const client = closeLater(new ClientV1({ name: 'host', version: '1.0.0' }, { capabilities }));
    await client.connect(await inMemory(policy)());
    expect(names(await client.listTools())).toEqual(SAFE);
  });

  it('declare preferences to modern servers', async () => {
    const client = closeLater(
      new ClientV2(
        { name: 'host', version: '1.0.0' },
        { capabilities, versionNegotiation: { mode: 'auto' } },
      ),
    );
    await client.connect((await overHandler(handlerV2())()) as HttpV2);
    expect(client.getProtocolEra()).toBe('modern');
    expect(names(await client.listTools())).toEqual(SAFE);
  });

  it('are overridden by preferences that are set later', async () => {
    const client = closeLater(new ClientV1({ name: 'host', version: '1.0.0' }, { capabilities }));
    const concerns = createConcerns(client);
    await client.connect(await inMemory(policy)());
    await concerns.set({ security: 'low' });
    expect(names(await client.listTools())).toEqual(['log', 'draw', 'open']);
  });
});

describe('inMeta', () => {
  it('adds preferences to existing _meta', () => {
    const params = { cursor: 'a', _meta: { trace: 1 } };
    expect(inMeta(params, { security: 'high' })).toEqual({
      cursor: 'a',
      _meta: { trace: 1, [EXTENSION_ID]: { concerns: { security: 'high' } } },
    });
    expect(params).toEqual({ cursor: 'a', _meta: { trace: 1 } });
  });

  it('returns the same parameters if there is nothing to add', () => {
    const params = { _meta: { [EXTENSION_ID]: { concerns: {} } } };
    expect(inMeta(undefined, {})).toBeUndefined();
    expect(inMeta(params, { security: 'high' })).toBe(params);
  });
});

it('keeps the types of the given client', async () => {
  const client = closeLater(clientV2('modern'));
  const concerns = createConcerns(client);
  await client.connect((await overHandler(handlerV2())()) as HttpV2);
  const { tools } = await concerns.listTools({}, { timeout: PATIENCE.wait });
  const first: string | undefined = tools[0]?.name;
  expect(first).toBe(TOOLS[0]);
  const { content } = await concerns.callTool({ name: 'open' }, { timeout: PATIENCE.wait });
  expect(content[0]).toMatchObject({ type: 'text' });
});

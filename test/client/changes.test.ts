import type { Client as ClientV2 } from '@modelcontextprotocol/client';
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/client/index.js';
import {
  carriedBy,
  clientV1,
  clientV2,
  connectHost,
  handlerV2,
  inMemory,
  LINKS,
  names,
  overHandler,
  policy,
  quiet,
  SAFE,
  serverV1,
  until,
} from './hosts.js';

type Told = Change<ClientV1>;

const ALL = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const toolsOf = (change: Told | undefined): string[] | undefined =>
  change?.kind === 'tools' && 'list' in change ? names(change.list) : undefined;

describe.each(LINKS)('after an update of its own: $name', ({ connect }) => {
  it('takes every list anew, once, and hands it over with its summary', async () => {
    const { concerns } = await connect();
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change));
    await concerns.set({ security: 'high' });
    await until(() => told.length >= 4);
    await quiet();
    expect(told.map(({ kind }) => kind)).toEqual(ALL);
    expect(toolsOf(told[0])).toEqual(SAFE);
    expect(told[0]).toMatchObject({
      summary: { concerns: { security: 'high' }, shown: 4, total: 5, warnings: [] },
    });
    expect(told[1]).toMatchObject({
      list: { prompts: [{ name: 'review' }] },
      summary: { shown: 1, total: 2 },
    });
  });

  it('takes those lists only that were asked for, and none after that was ended', async () => {
    const { concerns, methods, sent } = await connect();
    const told: Told[] = [];
    const stop = concerns.onChange((change) => void told.push(change), ['prompts']);
    sent.length = 0;
    await concerns.set({ security: 'high' });
    await until(() => told.length > 0);
    await quiet();
    expect(told.map(({ kind }) => kind)).toEqual(['prompts']);
    expect(methods().filter((method) => method.endsWith('/list'))).toEqual(['prompts/list']);
    stop();
    sent.length = 0;
    await concerns.set({});
    await quiet();
    expect(told).toHaveLength(1);
    expect(methods().filter((method) => method.endsWith('/list'))).toEqual([]);
  });

  it('hands over last what was set last', async () => {
    const { concerns } = await connect();
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change), ['tools']);
    await Promise.all([
      concerns.set({ security: 'high' }),
      concerns.set({}),
      concerns.set({ security: 'low' }),
    ]);
    await until(() => toolsOf(told.at(-1))?.[0] === 'log');
    await quiet();
    expect(toolsOf(told.at(-1))).toEqual(['log', 'draw', 'open']);
    expect(told.length).toBeLessThanOrEqual(3);
  });

  it('does so after resend too, and not after a refusal', async () => {
    const { concerns, reconnect } = await connect();
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change), ['tools']);
    await concerns.set({ security: 'hihg' }).catch(() => undefined);
    await quiet();
    expect(told).toEqual([]);
    await reconnect();
    await concerns.resend();
    await until(() => told.length > 0);
  });
});

describe('after a notification', () => {
  it('of a legacy server takes the lists that it names', async () => {
    const server = serverV1();
    const { concerns } = await connectHost(
      clientV1(),
      inMemory(policy, () => server),
    );
    await concerns.set({ security: 'high' });
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change));
    server.registerTool('late', {}, () => ({ content: [] }));
    await until(() => told.length > 0);
    await quiet();
    expect(told.map(({ kind }) => kind)).toEqual(['tools']);
    expect(toolsOf(told[0])).toEqual([...SAFE, 'late']);

    server.registerResource('late', 'late://a', {}, () => ({ contents: [] }));
    await until(() => told.length >= 3);
    expect(told.slice(1).map(({ kind }) => kind)).toEqual(['resources', 'resourceTemplates']);
  });

  it('of a modern server, on a stream that the host listens to, takes them with what is wanted', async () => {
    const handler = handlerV2();
    const { client, concerns, sent } = await connectHost(clientV2('modern'), overHandler(handler));
    await concerns.set({ security: 'high' });
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change));
    const subscription = await (client as unknown as ClientV2).listen({ toolsListChanged: true });
    sent.length = 0;
    handler.notify.toolsChanged();
    await until(() => told.length > 0);
    await quiet();
    expect(told.map(({ kind }) => kind)).toEqual(['tools']);
    expect(toolsOf(told[0])).toEqual(SAFE);
    expect(carriedBy(sent[0])).toEqual({ security: 'high' });
    await subscription.close();
  });

  it('is heard on the connection after a reconnect', async () => {
    let server = serverV1();
    const fresh = () => {
      server = serverV1();
      return server;
    };
    const { concerns, reconnect } = await connectHost(clientV1(), inMemory(policy, fresh), { over: true });
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change));
    await reconnect();
    server.registerTool('late', {}, () => ({ content: [] }));
    await until(() => told.length > 0);
    expect(toolsOf(told[0])).toContain('late');
  });

  it('leaves handlers of the host in their place', async () => {
    const server = serverV1();
    const { client, concerns } = await connectHost(
      clientV1(),
      inMemory(policy, () => server),
    );
    const heard: string[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method));
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change));
    server.registerTool('late', {}, () => ({ content: [] }));
    await until(() => told.length > 0);
    expect(heard).toEqual(['notifications/tools/list_changed']);

    // However often it is used, it looks at the connection once.
    const { onmessage } = client.transport ?? {};
    await concerns.set({ security: 'high' });
    await concerns.listTools();
    expect(client.transport?.onmessage).toBe(onmessage);
  });
});

describe('a list that cannot be taken', () => {
  it('is handed over as an error', async () => {
    const { client, concerns } = await connectHost(clientV1(), inMemory(policy));
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change), ['tools']);
    const transport = client.transport as { send(message: { method?: string }): Promise<void> };
    const send = transport.send.bind(transport);
    transport.send = (message) =>
      message.method === 'tools/list' ? Promise.reject(new Error('cut')) : send(message);
    await concerns.set({ security: 'high' });
    await until(() => told.length > 0);
    expect(told).toEqual([{ kind: 'tools', error: new Error('cut') }]);
    transport.send = send;
    await concerns.set({});
    await until(() => told.length > 1);
    expect(toolsOf(told[1])).toHaveLength(5);
  });

  it('is left out where the server has none', async () => {
    const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { resources: {} } });
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
    const { concerns, methods, sent } = await connectHost(
      clientV1(),
      inMemory(policy, () => server as never),
    );
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change));
    sent.length = 0;
    await concerns.set({ security: 'high' });
    await until(() => told.length > 0);
    await quiet();
    expect(told.map(({ kind }) => kind)).toEqual(['resources']);
    expect(methods()).toEqual(['updateConcerns', 'resources/list', 'resources/templates/list']);
  });

  it('is not asked for without a connection', async () => {
    const { client, concerns, sent } = await connectHost(clientV1(), inMemory(policy));
    const told: Told[] = [];
    concerns.onChange((change) => void told.push(change));
    await client.close();
    sent.length = 0;
    await concerns.set({ security: 'high' });
    await quiet();
    expect([told, sent]).toEqual([[], []]);
  });
});

it('goes on where somebody who is told throws', async () => {
  const { client, concerns } = await connectHost(clientV1(), inMemory(policy));
  const errors: Error[] = [];
  client.onerror = (error) => void errors.push(error);
  const told: Told[] = [];
  concerns.onChange(() => {
    throw new Error('mine');
  }, ['tools']);
  concerns.onChange((change) => void told.push(change), ['tools']);
  await concerns.set({ security: 'high' });
  await until(() => told.length > 0);
  expect(errors).toEqual([new Error('mine')]);
});

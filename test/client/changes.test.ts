import type { Client as ClientV2 } from '@modelcontextprotocol/client';
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { ListChange } from '../../src/client/index.js';
import {
  clientV1,
  clientV2,
  connectHost,
  handlerV2,
  inMemory,
  LINKS,
  names,
  overHandler,
  policy,
  preferencesIn,
  quiet,
  SAFE,
  serverV1,
  until,
} from './hosts.js';

type ToolsChange = ListChange<ClientV1>;

const ALL = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const toolsOf = (change: ToolsChange | undefined): string[] | undefined =>
  change?.kind === 'tools' && 'list' in change ? names(change.list) : undefined;

describe.each(LINKS)('after the preferences are set: $name', ({ connect }) => {
  it('fetches every list once, and passes it on with its summary', async () => {
    const { concerns } = await connect();
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change));
    await concerns.set({ security: 'high' });
    await until(() => received.length >= 4);
    await quiet();
    expect(received.map(({ kind }) => kind)).toEqual(ALL);
    expect(toolsOf(received[0])).toEqual(SAFE);
    expect(received[0]).toMatchObject({
      summary: { concerns: { security: 'high' }, shown: 4, total: 5, warnings: [] },
    });
    expect(received[1]).toMatchObject({
      list: { prompts: [{ name: 'review' }] },
      summary: { shown: 1, total: 2 },
    });
  });

  it('fetches only lists with a listener', async () => {
    const { concerns, methods, sent } = await connect();
    const received: ToolsChange[] = [];
    const stop = concerns.onChange((change) => void received.push(change), ['prompts']);
    sent.length = 0;
    await concerns.set({ security: 'high' });
    await until(() => received.length > 0);
    await quiet();
    expect(received.map(({ kind }) => kind)).toEqual(['prompts']);
    expect(methods().filter((method) => method.endsWith('/list'))).toEqual(['prompts/list']);
    stop();
    sent.length = 0;
    await concerns.set({});
    await quiet();
    expect(received).toHaveLength(1);
    expect(methods().filter((method) => method.endsWith('/list'))).toEqual([]);
  });

  it('passes on the list for the latest preferences last', async () => {
    const { concerns } = await connect();
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change), ['tools']);
    await Promise.all([
      concerns.set({ security: 'high' }),
      concerns.set({}),
      concerns.set({ security: 'low' }),
    ]);
    await until(() => toolsOf(received.at(-1))?.[0] === 'log');
    await quiet();
    expect(toolsOf(received.at(-1))).toEqual(['log', 'draw', 'open']);
    expect(received.length).toBeLessThanOrEqual(3);
  });

  it('fetches lists after resend, but not after rejected preferences', async () => {
    const { concerns, reconnect } = await connect();
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change), ['tools']);
    await concerns.set({ security: 'hihg' }).catch(() => undefined);
    await quiet();
    expect(received).toEqual([]);
    await reconnect();
    await concerns.resend();
    await until(() => received.length > 0);
  });
});

describe('after a notification', () => {
  it('of a legacy server fetches the lists that it names', async () => {
    const server = serverV1();
    const { concerns } = await connectHost(
      clientV1(),
      inMemory(policy, () => server),
    );
    await concerns.set({ security: 'high' });
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change));
    server.registerTool('late', {}, () => ({ content: [] }));
    await until(() => received.length > 0);
    await quiet();
    expect(received.map(({ kind }) => kind)).toEqual(['tools']);
    expect(toolsOf(received[0])).toEqual([...SAFE, 'late']);

    server.registerResource('late', 'late://a', {}, () => ({ contents: [] }));
    await until(() => received.length >= 3);
    expect(received.slice(1).map(({ kind }) => kind)).toEqual(['resources', 'resourceTemplates']);
  });

  it('of a modern server fetches the lists with the preferences', async () => {
    const handler = handlerV2();
    const { client, concerns, sent } = await connectHost(clientV2('modern'), overHandler(handler));
    await concerns.set({ security: 'high' });
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change));
    const subscription = await (client as unknown as ClientV2).listen({ toolsListChanged: true });
    sent.length = 0;
    handler.notify.toolsChanged();
    await until(() => received.length > 0);
    await quiet();
    expect(received.map(({ kind }) => kind)).toEqual(['tools']);
    expect(toolsOf(received[0])).toEqual(SAFE);
    expect(preferencesIn(sent[0])).toEqual({ security: 'high' });
    await subscription.close();
  });

  it('fetches lists on a new connection', async () => {
    let server = serverV1();
    const fresh = () => {
      server = serverV1();
      return server;
    };
    const { concerns, reconnect } = await connectHost(clientV1(), inMemory(policy, fresh), { over: true });
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change));
    await reconnect();
    server.registerTool('late', {}, () => ({ content: [] }));
    await until(() => received.length > 0);
    expect(toolsOf(received[0])).toContain('late');
  });

  it('still calls handlers of the host', async () => {
    const server = serverV1();
    const { client, concerns } = await connectHost(
      clientV1(),
      inMemory(policy, () => server),
    );
    const handled: string[] = [];
    client.setNotificationHandler(
      ToolListChangedNotificationSchema,
      ({ method }) => void handled.push(method),
    );
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change));
    server.registerTool('late', {}, () => ({ content: [] }));
    await until(() => received.length > 0);
    expect(handled).toEqual(['notifications/tools/list_changed']);

    // The transport is wrapped only once.
    const { onmessage } = client.transport ?? {};
    await concerns.set({ security: 'high' });
    await concerns.listTools();
    expect(client.transport?.onmessage).toBe(onmessage);
  });
});

describe('a list that cannot be fetched', () => {
  it('is passed on as an error', async () => {
    const { client, concerns } = await connectHost(clientV1(), inMemory(policy));
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change), ['tools']);
    const transport = client.transport as { send(message: { method?: string }): Promise<void> };
    const send = transport.send.bind(transport);
    transport.send = (message) =>
      message.method === 'tools/list' ? Promise.reject(new Error('cut')) : send(message);
    await concerns.set({ security: 'high' });
    await until(() => received.length > 0);
    expect(received).toEqual([{ kind: 'tools', error: new Error('cut') }]);
    transport.send = send;
    await concerns.set({});
    await until(() => received.length > 1);
    expect(toolsOf(received[1])).toHaveLength(5);
  });

  it('is left out if the server does not have it', async () => {
    const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { resources: {} } });
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
    const { concerns, methods, sent } = await connectHost(
      clientV1(),
      inMemory(policy, () => server as never),
    );
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change));
    sent.length = 0;
    await concerns.set({ security: 'high' });
    await until(() => received.length > 0);
    await quiet();
    expect(received.map(({ kind }) => kind)).toEqual(['resources']);
    expect(methods()).toEqual(['updateConcerns', 'resources/list', 'resources/templates/list']);
  });

  it('is not requested without a connection', async () => {
    const { client, concerns, sent } = await connectHost(clientV1(), inMemory(policy));
    const received: ToolsChange[] = [];
    concerns.onChange((change) => void received.push(change));
    await client.close();
    sent.length = 0;
    await concerns.set({ security: 'high' });
    await quiet();
    expect([received, sent]).toEqual([[], []]);
  });
});

it('calls the other listeners if one throws', async () => {
  const { client, concerns } = await connectHost(clientV1(), inMemory(policy));
  const errors: Error[] = [];
  client.onerror = (error) => void errors.push(error);
  const received: ToolsChange[] = [];
  concerns.onChange(() => {
    throw new Error('listener');
  }, ['tools']);
  concerns.onChange((change) => void received.push(change), ['tools']);
  await concerns.set({ security: 'high' });
  await until(() => received.length > 0);
  expect(errors).toEqual([new Error('listener')]);
});

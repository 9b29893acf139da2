import { Client, type Notification, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, expect, it, vi } from 'vitest';
import { listenLocally } from '../../src/core/http/local.js';
import { createHandler } from '../../src/core/http/v2.js';
import { attachConcerns } from '../../src/index.js';
import { createEmbeddedEngine, createMemoryRecords, createTasks, withTasks } from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';
import { definitions } from './demo-tasks.js';
import { ANN_TOKEN, CAPABILITIES, INFO, sendModern } from './wire-clients.js';
import { fastTimer } from './worlds.js';

vi.mock('../../src/tasks/wire/poll.js', () => ({ pollInterval: () => 40 }));

const records = createMemoryRecords();
const engine = createEmbeddedEngine({ definitions, records, timer: fastTimer });
const tasks = createTasks({ definitions, records, engine });
const policy = policyOf(`version: 1
concerns: { audience: { values: [staff, public], set-by: operator, claim: audience, default: public } }
settings: { enforcement: enforce, unmapped: show }
primitives: { tools: { none: { audience: staff } } }
`);
const makeServer = () => withTasks(new McpServer({ name: 'own', version: '1.0.0' }), tasks);
const EVE_TOKEN = 'Bearer https://login.example|eve';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A client of SDK v2, and what it is told. */
function clientOf() {
  const client = new Client(INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  const told: Notification[] = [];
  client.fallbackNotificationHandler = async (notification) => void told.push(notification);
  closing.push(() => client.close());
  const statuses = () => told.map(({ method, params }) => `${method} ${params?.taskId} ${params?.status}`);
  const listen = (taskIds: readonly string[]) => {
    const filter: object = { taskIds };
    return client.listen(filter);
  };
  return { client, statuses, listen };
}

/** An endpoint whose tokens are "issuer|subject". */
async function endpointOf() {
  const handle = createHandler({ server: makeServer, policy, listens: true });
  const endpoint = await listenLocally((request, given) => {
    const token = (request.headers.get('authorization') ?? '').replace('Bearer ', '');
    const [iss, sub] = token.split('|');
    return handle(request, { ...given, authInfo: { token, clientId: '', scopes: [], extra: { iss, sub } } });
  }, {});
  closing.push(endpoint.close);
  const connect = async (authorization: string) => {
    const host = clientOf();
    const requestInit = { headers: { authorization } };
    await host.client.connect(new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit }));
    return host;
  };
  return { url: endpoint.url, connect };
}

it('tells clients of createHandler of their own tasks, and of no others', async () => {
  const { url, connect } = await endpointOf();
  const [ann, eve] = [await connect(ANN_TOKEN), await connect(EVE_TOKEN)];
  const { taskId } = (await sendModern(url, 'tools/call', { name: 'ask', arguments: {} })).answer.result;
  const stream = await ann.listen([taskId]);
  expect(await (await eve.listen([taskId])).closed).toBe('graceful');
  await expect.poll(ann.statuses).toContain(`notifications/tasks ${taskId} input_required`);
  await sendModern(url, 'tasks/cancel', { taskId });
  expect(await stream.closed).toBe('graceful');
  expect(ann.statuses().at(-1)).toBe(`notifications/tasks ${taskId} cancelled`);
  expect(eve.statuses()).toEqual([]);
});

it('declares no changes of lists at createHandler, whose servers know of none', async () => {
  const { connect } = await endpointOf();
  const { client } = await connect(ANN_TOKEN);
  expect(client.getServerCapabilities()?.tools).not.toHaveProperty('listChanged');
});

it('cannot tell clients of serveStdio of SDK v2, which answers subscriptions in front of the server', async () => {
  const [wire, theirs] = InMemoryTransport.createLinkedPair();
  const make = () => {
    const server = makeServer();
    attachConcerns(server, { policy });
    return server;
  };
  const served = serveStdio(make, { transport: theirs });
  closing.push(() => served.close());
  const acknowledged: unknown[] = [];
  const host = clientOf();
  await host.client.connect(wire);
  const { onmessage } = wire;
  wire.onmessage = (message, extra) => {
    if ('method' in message && message.method.endsWith('/acknowledged')) acknowledged.push(message.params);
    onmessage?.(message, extra);
  };
  await host.listen(['any']);
  expect(acknowledged).toMatchObject([{ notifications: {} }]);
  expect(JSON.stringify(acknowledged)).not.toContain('taskIds');
});

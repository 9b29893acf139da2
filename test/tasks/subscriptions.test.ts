import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as TransportV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport, McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { attachConcerns, LivePolicy } from '../../src/index.js';
import { createEmbeddedEngine, createMemoryRecords, createTasks, withTasks } from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';
import { definitions } from './demo-tasks.js';
import { accept, CAPABILITIES, INFO } from './wire-clients.js';
import { fastTimer } from './worlds.js';

// Clients wait as long as they are told to; poll.test.ts tests the real intervals.
vi.mock('../../src/tasks/wire/poll.js', () => ({ pollInterval: () => 40 }));

const records = createMemoryRecords();
const engine = createEmbeddedEngine({ definitions, records, timer: fastTimer });
const tasks = createTasks({ definitions, records, engine });

const policyHiding = (tool: string) =>
  policyOf(`version: 1
concerns: { audience: { values: [staff, public], set-by: operator, claim: audience, default: public } }
settings: { enforcement: enforce, unmapped: show }
primitives: { tools: { ${tool}: { audience: staff } } }
`);

type Message = ReturnType<typeof JSON.parse>;

/** Connects a client of protocol 2026-07-28 without an SDK, behind a policy. */
async function connect(capabilities: object = CAPABILITIES) {
  const policy = new LivePolicy(policyHiding('none'));
  const server = withTasks(new McpServerV2({ name: 'v2', version: '1.0.0' }), tasks);
  attachConcerns(server, { policy });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const received: Message[] = [];
  near.onmessage = (message) => void received.push(message);
  await near.start();
  await server.connect(far);
  let id = 0;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const send = async (method: string, params: object): Promise<string> => {
    const sent = `request-${++id}`;
    await near.send({ jsonrpc: '2.0', id: sent, method, params: { ...params, _meta } });
    return sent;
  };
  const answerTo = async (sent: string): Promise<Message> => {
    await expect.poll(() => received.some((message) => message.id === sent)).toBe(true);
    return received.find((message) => message.id === sent);
  };
  const ask = async (method: string, params: object) => answerTo(await send(method, params));
  return {
    policy,
    received,
    send,
    ask,
    answerTo,
    near,
    close: () => server.close(),
    start: async (name: string): Promise<string> =>
      (await ask('tools/call', { name, arguments: {} })).result.taskId,
    told: (method: string): Message[] => received.filter((message) => message.method === method),
  };
}

const listenTo = (...taskIds: unknown[]) => ({
  notifications: { taskIds, resourceSubscriptions: ['file:///secret'] },
});

describe('subscriptions to tasks, in protocol 2026-07-28', () => {
  it('tell of each state of the own tasks until they end', async () => {
    const client = await connect();
    const taskId = await client.start('ask');
    const unknown = `${taskId.slice(0, -4)}0000`;
    const sent = await client.send('subscriptions/listen', listenTo(taskId, unknown, 'other'));
    const statuses = () => client.told('notifications/tasks').map(({ params }) => params.status);
    await expect.poll(statuses).toContain('input_required');
    const _meta = { 'io.modelcontextprotocol/subscriptionId': sent };
    expect(client.told('notifications/subscriptions/acknowledged')).toMatchObject([
      { params: { notifications: { taskIds: [taskId] }, _meta } },
    ]);
    expect(JSON.stringify(client.received)).not.toContain('file:///secret');
    await client.ask('tasks/update', { taskId, inputResponses: { name: await accept() } });
    expect(await client.answerTo(sent)).toMatchObject({ result: { resultType: 'complete', _meta } });
    expect(statuses().at(-1)).toBe('completed');
    expect(client.told('notifications/tasks').at(-1)).toMatchObject({
      params: { taskId, _meta, result: { content: [{ text: 'accept Ann' }] } },
    });
    await client.close();
  });

  it('tell a stranger as much as of tasks that do not exist', async () => {
    const [ann, eve] = [await connect(), await connect()];
    const taskId = await ann.start('ask');
    const answers = [];
    for (const id of [taskId, `${taskId.slice(0, -4)}0000`]) {
      const before = eve.received.length;
      await eve.ask('subscriptions/listen', listenTo(id));
      answers.push(JSON.stringify(eve.received.slice(before)).replaceAll(/request-\d+/g, 'request'));
    }
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).toContain('"taskIds":[]');
    await ann.close();
    await eve.close();
  });

  it('end when the client cancels them', async () => {
    const client = await connect();
    const taskId = await client.start('ask');
    const requestId = await client.send('subscriptions/listen', listenTo(taskId));
    const told = () => client.told('notifications/tasks');
    await expect.poll(() => told().at(-1)?.params.status).toBe('input_required');
    await client.near.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    const before = told().length;
    await client.ask('tasks/cancel', { taskId });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(told()).toHaveLength(before);
    expect(client.received.some(({ id }) => id === requestId)).toBe(false);
    await client.close();
  });

  it('are silent while the policy hides the tool', async () => {
    const client = await connect();
    // Its message changes every 20 ms.
    const taskId = await client.start('long');
    await client.send('subscriptions/listen', listenTo(taskId));
    const told = () => client.told('notifications/tasks').length;
    await expect.poll(told).toBeGreaterThan(2);
    client.policy.replace(policyHiding('long'));
    // A message that was on its way may still arrive. Then there are none while the task writes ten.
    const isSilent = async () => {
      const before = told();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return told() === before;
    };
    await expect.poll(isSilent).toBe(true);
    const before = told();
    client.policy.replace(policyHiding('none'));
    await expect.poll(told).toBeGreaterThan(before);
    await client.ask('tasks/cancel', { taskId });
    await client.close();
  });

  it('need the capability of the extension, and ids', async () => {
    const unable = await connect({});
    expect((await unable.ask('subscriptions/listen', listenTo('x'))).error.code).toBe(-32021);
    await unable.close();
    const client = await connect();
    for (const wrong of [[7], Array.from({ length: 101 }, String)]) {
      expect((await client.ask('subscriptions/listen', listenTo(...wrong))).error.code).toBe(-32602);
    }
    // Under enforce, a subscription to anything else is refused as before.
    const others = { notifications: { resourceSubscriptions: ['file:///secret'] } };
    expect((await client.ask('subscriptions/listen', others)).error.code).toBe(-32601);
    await client.close();
  });
});

it('tells a client of protocol 2025-11-25 of the tasks that it created', async () => {
  const server = withTasks(new McpServer({ name: 'v1', version: '1.0.0' }), tasks);
  attachConcerns(server, { policy: policyHiding('none') });
  const client = new Client(INFO, { capabilities: { elicitation: { form: {} }, tasks: {} } });
  const told: string[] = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
    told.push(`${params.taskId} ${params.status}`);
  });
  client.setRequestHandler(ElicitRequestSchema, accept);
  const [near, far] = TransportV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  const call = { method: 'tools/call', params: { name: 'ask', arguments: {}, task: {} } } as const;
  const { task } = await client.request(call, CreateTaskResultSchema);
  await expect.poll(() => told).toContain(`${task.taskId} input_required`);
  await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
  await expect.poll(() => told.at(-1)).toBe(`${task.taskId} completed`);
  await client.close();
});

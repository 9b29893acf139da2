import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createConcerns } from '../../src/client/index.js';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { createTasks, defineTask, withTasks } from '../../src/tasks/index.js';
import { policyFromText } from '../policy-text.js';

const policy = policyFromText('version: 1\nconcerns: { security: { values: [low, high] } }\n');
const inputSchema = { type: 'object' } as const;
const run = async () => 'done';
const tasks = () =>
  createTasks({
    definitions: [
      defineTask({ name: 'one', inputSchema, run }),
      defineTask({ name: 'two', inputSchema, run }),
    ],
  });

/** Connects a host, and keeps the methods that it sends. */
async function connect(server: McpServer) {
  const client = new Client({ name: 'host', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const sent: unknown[] = [];
  const send = near.send.bind(near);
  near.send = (message, options) => {
    sent.push('method' in message ? message.method : undefined);
    return send(message, options);
  };
  await server.connect(far);
  await client.connect(near);
  return { client, concerns: createConcerns(client), sent };
}

function serverWith(...parts: readonly ('gate' | 'tasks')[]): McpServer {
  const server = new McpServer({ name: 'server', version: '1.0.0' });
  for (const name of ['logData', 'hashData']) server.registerTool(name, {}, () => ({ content: [] }));
  if (parts.includes('tasks')) withTasks(server, tasks());
  if (parts.includes('gate')) attachConcerns(server, { policy });
  return server;
}

describe('a filter of the client', () => {
  it('is sent to a server that declares its fields', async () => {
    const { concerns } = await connect(serverWith('gate'));
    const { tools } = await concerns.listTools({ filter: { namePatterns: ['log*'] } });
    expect(tools.map(({ name }) => name)).toEqual(['logData']);
  });

  it.each<[string, McpServer, object]>([
    ['a server that declares no filter', serverWith(), { namePatterns: ['log*'] }],
    ['a list that does not have the field', serverWith('gate'), { uriPatterns: ['log*'] }],
  ])('is refused for %s, and nothing is sent', async (_which, server, filter) => {
    const { concerns, sent } = await connect(server);
    await expect(concerns.listTools({ filter })).rejects.toMatchObject({
      code: 'FILTER_UNSUPPORTED',
      message: expect.stringContaining(Object.keys(filter)[0] ?? ''),
    });
    expect(sent).not.toContain('tools/list');
    expect((await concerns.listTools()).tools).toHaveLength(2);
  });
});

describe('the tasks of a server', () => {
  it('are listed with a filter and an order', async () => {
    const { client, concerns } = await connect(serverWith('gate', 'tasks'));
    const ids: string[] = [];
    for (const name of ['one', 'two']) {
      const created = await client.request(
        { method: 'tools/call', params: { name, arguments: {}, task: {} } },
        CreateTaskResultSchema,
      );
      ids.push(created.task.taskId);
    }
    const listed = async (...given: Parameters<typeof concerns.listTasks>) =>
      (await concerns.listTasks(...given)).tasks.map(({ taskId }) => taskId);
    expect(await listed({}, { by: 'createdAt', direction: 'asc' })).toEqual([...ids].sort());
    expect(await listed({ taskIds: ids.slice(0, 1) })).toEqual(ids.slice(0, 1));
    expect(await listed({ status: ['cancelled'] })).toEqual([]);
    expect((await listed()).sort()).toEqual([...ids].sort());
  });

  it('are not asked for where the server lists none, or would ignore the filter', async () => {
    const none = await connect(serverWith('gate'));
    await expect(none.concerns.listTasks()).rejects.toMatchObject({ code: 'TASKS_UNSUPPORTED' });
    const plain = await connect(serverWith('tasks'));
    await expect(plain.concerns.listTasks({ status: ['working'] })).rejects.toMatchObject({
      code: 'FILTER_UNSUPPORTED',
    });
    expect([...none.sent, ...plain.sent]).not.toContain('tasks/list');
    expect((await plain.concerns.listTasks()).tasks).toEqual([]);
  });
});

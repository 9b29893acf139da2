import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { attachConcerns } from '../../src/index.js';
import {
  createDeployedTasks,
  defineTask,
  readExportedTasks,
  TaskDefinitionError,
  withTasks,
} from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';
import { ANN } from './worlds.js';

const report = defineTask({ name: 'report', inputSchema: { type: 'object' }, run: () => 'done' });

describe('createDeployedTasks', () => {
  it('runs tasks in this process if the environment names nothing', async () => {
    const tasks = createDeployedTasks([report], {});
    expect([...tasks.definitions.keys()]).toEqual(['report']);
    const started = await tasks.start(ANN, 'report', {});
    const id = started.ok ? started.record.id : '';
    await expect.poll(async () => (await tasks.read(ANN, id))?.status).toBe('completed');
  });

  it.each([
    ['TABLE', { MCP_CONCERNS_TASKS_FUNCTION: 'arn:aws:lambda:eu-central-1:1:function:t:durable' }],
    ['FUNCTION', { MCP_CONCERNS_TASKS_TABLE: 'tasks' }],
  ])('refuses an environment without MCP_CONCERNS_TASKS_%s', (missing, env) => {
    expect(() => createDeployedTasks([report], env)).toThrow(`but MCP_CONCERNS_TASKS_${missing} is not`);
  });

  it('rejects the first call if the function is not a version or an alias', async () => {
    const env = { MCP_CONCERNS_TASKS_FUNCTION: 'tasks', MCP_CONCERNS_TASKS_TABLE: 'tasks' };
    await expect(createDeployedTasks([report], env).start(ANN, 'report', {})).rejects.toMatchObject({
      code: 'TASK_FUNCTION_INVALID',
    });
  });
});

describe('tasks on AWS Lambda without a worker', () => {
  const inputSchema = { type: 'object' } as const;
  const exported = [
    report,
    defineTask({ name: 'either', inputSchema, support: 'optional', run: () => 'done' }),
  ];
  const LAMBDA = { AWS_LAMBDA_FUNCTION_NAME: 'mcp' };

  /** Connects a client of SDK v1 to a server of a function. */
  async function connect(env: Record<string, string>) {
    const server = new McpServer({ name: 'reports', version: '1.0.0' });
    attachConcerns(server, { policy: policyOf('version: 1\nconcerns: {}\n') });
    withTasks(server, createDeployedTasks(exported, env));
    const client = new Client({ name: 'host', version: '1' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    await client.connect(near);
    const ask = (method: string, params: Record<string, unknown> = {}) =>
      client.request({ method, params }, ResultSchema);
    return { client, ask };
  }

  it('are not declared: optional tools run as plain calls, required ones do not exist', async () => {
    const { client, ask } = await connect(LAMBDA);
    expect(client.getServerCapabilities()).not.toHaveProperty('tasks');
    const { tools } = await ask('tools/list');
    expect(tools).toEqual([{ name: 'either', inputSchema }]);
    expect(await ask('tools/call', { name: 'either' })).toMatchObject({ content: [{ text: 'done' }] });
    await expect(ask('tools/call', { name: 'either', task: {} })).rejects.toMatchObject({ code: -32601 });
    const required = await ask('tools/call', { name: 'report' }).catch((error: unknown) => ({ error }));
    expect(JSON.stringify(required)).not.toContain('done');
    await expect(ask('tasks/list')).rejects.toMatchObject({ code: -32601 });
  });

  it('are tasks in the emulation of the framework, which is one process', async () => {
    const { client } = await connect({ ...LAMBDA, IS_OFFLINE: 'true' });
    expect(client.getServerCapabilities()).toHaveProperty('tasks');
  });
});

it.each([
  [new Map(), 'it is not an array. Export the definitions, not what createTasks returns'],
  [[report, { ...report, support: 'maybe' }], 'element 2 was not made by defineTask'],
  [[report, report], 'two tasks have the name "report"'],
])('refuses an export that is not a list of definitions: %j', (exported, message) => {
  expect(() => readExportedTasks(exported, './server.js')).toThrow(TaskDefinitionError);
  expect(() => readExportedTasks(exported, './server.js')).toThrow(
    `./server.js exports "tasks", but ${message}`,
  );
});

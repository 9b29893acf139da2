import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { fixture, MAIN, run, start } from './run.js';

const SERVE = ['serve', '--policy', fixture('rules.yaml'), '--server'];

/** Runs the task of the fixture, answers its question, and returns its result. */
async function follow(client: Client): Promise<unknown> {
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ann' } }));
  const { tools } = await client.listTools();
  expect(tools).toMatchObject([
    { name: 'late', execution: { taskSupport: 'optional' } },
    { name: 'concerns' },
  ]);
  const call = { name: 'late', arguments: {} };
  const stream = client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
    task: { ttl: 60_000 },
  });
  for await (const message of stream) {
    if (message.type === 'result') return message.result.content;
    if (message.type === 'error') throw message.error;
  }
  return undefined;
}

const newClient = () =>
  new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} }, tasks: {} } });

it('serves the tasks that a module exports, over HTTP', async () => {
  const { until, child, ended } = start(...SERVE, fixture('task-server.mjs'), '--port', '0');
  const [url = ''] = /http:\S+/.exec(await until('stdout', /to stop\.\n/)) ?? [];
  const client = newClient();
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  expect(await follow(client)).toEqual([{ type: 'text', text: 'asked Ann' }]);
  await client.close();
  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
});

it('serves the tasks that a module exports, over stdio', async () => {
  const client = newClient();
  const args = [MAIN, ...SERVE, fixture('task-server.mjs'), '--stdio'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  expect(await follow(client)).toEqual([{ type: 'text', text: 'asked Ann' }]);
  await client.close();
});

it('refuses a module whose tasks are not definitions', async () => {
  const { code, stderr } = await run(...SERVE, fixture('wrong-tasks.mjs'));
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /wrong-tasks\.mjs exports "tasks", but element 1 was not made by defineTask\. Wrap it: defineTask/,
  );
});

it('knows the errors of a module that has another copy of this package', async () => {
  const client = newClient();
  const args = [MAIN, ...SERVE, fixture('failing-tasks.mjs'), '--stdio'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  await client.listTools();
  const params = { name: 'report', arguments: { id: 7 }, task: { ttl: 60_000 } };
  const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema);
  await expect.poll(async () => (await client.experimental.tasks.getTask(task.taskId)).status).toBe('failed');
  const result = client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
  await expect(result).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('There is no report 7.'),
  });
  await client.close();
});

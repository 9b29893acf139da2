import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { createHandler, type FetchHandler } from '../../src/core/http/index.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/v2.js';
import { TASKS_EXTENSION } from '../../src/core/wire/messages.js';
import { attachConcerns, createMemoryStore, LivePolicy } from '../../src/index.js';
import {
  createEmbeddedEngine,
  createMemoryRecords,
  createTasks,
  TaskDefinitionError,
  withTasks,
} from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';
import { definitions } from './demo-tasks.js';
import { accept, CAPABILITIES, INFO } from './wire-clients.js';
import { fastTimer } from './worlds.js';

// Clients wait as long as they are told to; poll.test.ts tests the real intervals.
vi.mock('../../src/tasks/wire/poll.js', () => ({ pollInterval: () => 40 }));

const POLICY = `version: 1
concerns:
  audience: { values: [staff, public], set-by: operator, claim: audience, default: public }
settings: { enforcement: enforce, unmapped: show }
primitives:
  tools:
    whole: { audience: staff }
`;
const REPORT = '7+11 rows on snow by Ann, signed by Ann';

const policy = policyOf(POLICY);
const records = createMemoryRecords();
const engine = createEmbeddedEngine({ definitions, records, timer: fastTimer });
const tasks = createTasks({ definitions, records, engine });

const serverV1 = () => {
  const server = new McpServer({ name: 'v1', version: '1.0.0' });
  server.registerTool('own', {}, () => ({ content: [] }));
  return withTasks(server, tasks);
};

/** Calls the report and returns its questions and its result. */
async function follow(client: Client, asked: string[]): Promise<string> {
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    return accept();
  });
  await client.listTools();
  let result = '';
  const call = { name: 'report', arguments: { topic: 'snow' } };
  for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
    task: { ttl: 60_000 },
  })) {
    if (message.type === 'result') result = JSON.stringify(message.result.content);
    if (message.type === 'error') result = message.error.message;
  }
  return result;
}

const newClient = () => new Client(INFO, { capabilities: { elicitation: { form: {} }, tasks: {} } });

describe('withTasks on SDK v1', () => {
  it('serves tasks over a connection, behind a policy', async () => {
    const server = serverV1();
    attachConcerns(server, { policy });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = newClient();
    await Promise.all([server.connect(far), client.connect(near)]);
    expect(client.getServerCapabilities()?.tasks).toMatchObject({ requests: { tools: { call: {} } } });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'own')).toBeDefined();
    expect(tools.find(({ name }) => name === 'report')?.execution).toEqual({ taskSupport: 'required' });
    // Hidden by the policy, and so not callable.
    expect(tools.find(({ name }) => name === 'whole')).toBeUndefined();
    const hidden = { name: 'whole', arguments: {}, task: {} };
    const refused = await client
      .request({ method: 'tools/call', params: hidden }, CallToolResultSchema)
      .catch((error: Error) => error);
    expect(JSON.stringify(refused)).not.toContain('"text":"whole"');
    const asked: string[] = [];
    expect(await follow(client, asked)).toContain(REPORT);
    expect(asked).toEqual(['Who writes?', 'Who signs?']);
    const listed = await client.experimental.tasks.listTasks();
    expect(listed.tasks.map(({ status }) => status)).toEqual(['completed']);
    expect((await client.callTool({ name: 'own', arguments: {} })).content).toEqual([]);
    await client.close();
  });

  it('serves tasks over HTTP, with a new server for each request', async () => {
    const handle = createHandler({ server: serverV1, policy, store: createMemoryStore() });
    const asked: string[] = [];
    const client = newClient();
    const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      fetch: overHandler(handle),
    });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    expect(await follow(client, asked)).toContain(REPORT);
    expect(asked).toEqual(['Who writes?', 'Who signs?']);
    await client.close();
  });

  it('finds no task of a tool that the policy hides since the task started', async () => {
    const live = new LivePolicy(policy);
    const server = serverV1();
    attachConcerns(server, { policy: live });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = newClient();
    let answer: (() => void) | undefined;
    client.setRequestHandler(ElicitRequestSchema, async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return accept();
    });
    await Promise.all([server.connect(far), client.connect(near)]);
    const call = { name: 'report', arguments: { topic: 'snow' }, task: {} };
    const { task } = await client.request({ method: 'tools/call', params: call }, CreateTaskResultSchema);
    const { taskId } = task;
    const get = () => client.experimental.tasks.getTask(taskId);
    await expect
      .poll(async () => {
        await get();
        return answer;
      })
      .toBeDefined();

    live.replace(policyOf(`${POLICY}    report: { audience: staff }\n`));
    await expect(get()).rejects.toThrow('Task not found');
    await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toThrow('Task not found');
    await expect(client.experimental.tasks.getTaskResult(taskId)).rejects.toThrow('Task not found');
    expect((await client.experimental.tasks.listTasks()).tasks).toEqual([]);
    answer?.();
    await new Promise((resolve) => setTimeout(resolve, 100));

    live.replace(policy);
    expect(await get()).toMatchObject({ status: 'input_required' });
    expect((await client.experimental.tasks.listTasks()).tasks).toMatchObject([{ taskId }]);
    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' });
    await client.close();
  });

  it.each(['before', 'after'])(
    'hides tools and their tasks if it is called %s attachConcerns',
    async (order) => {
      const server = new McpServer({ name: 'v1', version: '1.0.0' });
      server.registerTool('own', {}, () => ({ content: [] }));
      const live = new LivePolicy(policyOf(POLICY.replace('    whole:', '    other:')));
      if (order === 'before') withTasks(server, tasks);
      attachConcerns(server, { policy: live });
      if (order === 'after') withTasks(server, tasks);
      const [near, far] = InMemoryTransport.createLinkedPair();
      const client = newClient();
      await Promise.all([server.connect(far), client.connect(near)]);
      const start = (name: string) =>
        client.request(
          { method: 'tools/call', params: { name, arguments: {}, task: {} } },
          CreateTaskResultSchema,
        );
      const { taskId } = (await start('whole')).task;
      live.replace(policy);
      await expect(client.experimental.tasks.getTask(taskId)).rejects.toThrow('Task not found');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('report');
      expect(tools.map(({ name }) => name)).not.toContain('whole');
      await expect(start('whole')).rejects.toThrow();
      await client.close();
    },
  );

  it('answers with an error if the records fail while tasks/result waits', async () => {
    const failing = createMemoryRecords();
    const server = withTasks(
      new McpServer({ name: 'v1', version: '1.0.0' }),
      createTasks({ definitions, records: failing }),
    );
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client(INFO, { capabilities: { elicitation: { form: {} }, tasks: {} } });
    const asked = new Promise<void>((resolve) => {
      client.setRequestHandler(ElicitRequestSchema, () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    await Promise.all([server.connect(far), client.connect(near)]);
    const call = { name: 'ask', arguments: {}, task: {} };
    const { task } = await client.request({ method: 'tools/call', params: call }, CreateTaskResultSchema);
    const result = client.experimental.tasks.getTaskResult(task.taskId);
    result.catch(() => undefined);
    await asked;
    vi.spyOn(failing, 'get').mockRejectedValue(new Error('the table is gone'));
    await expect(result).rejects.toThrow('The task cannot be reached');
    await client.close();
  });

  it('lists the tools of tasks for a server without other tools', async () => {
    const client = newClient();
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = withTasks(new McpServer({ name: 'tasks-only', version: '1.0.0' }), tasks);
    await Promise.all([server.connect(far), client.connect(near)]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(definitions.map(({ name }) => name));
    await expect(client.listPrompts()).rejects.toThrow();
    await expect(client.experimental.tasks.getTask('other')).rejects.toThrow('Task not found');
    await client.close();
  });

  it('refuses a value that is not a server', () => {
    expect(() => withTasks({}, tasks)).toThrow(TaskDefinitionError);
  });
});

describe('withTasks on SDK v2', () => {
  it('serves the Tasks extension over HTTP, behind a policy', async () => {
    const server = () => {
      const created = new McpServerV2({ name: 'v2', version: '1.0.0' }, { capabilities: { tools: {} } });
      return withTasks(created, tasks);
    };
    const handle = createHandlerV2({ server, policy });
    const send = async (method: string, params: object = {}, subject = 'ann', claims: object = {}) => {
      const name = 'name' in params ? params.name : 'taskId' in params ? params.taskId : undefined;
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': INFO,
        'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
      };
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name === undefined ? {} : { 'mcp-name': String(name) }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      });
      const authInfo = {
        token: 't',
        clientId: 'c',
        scopes: [],
        extra: { iss: 'https://login', sub: subject, ...claims },
      };
      const text = await (await handle(request, { authInfo })).text();
      const last = text.startsWith('{') ? text : text.trimEnd().split('\n').at(-1)?.slice('data: '.length);
      const answer: ReturnType<typeof JSON.parse> = JSON.parse(last || '{}');
      return answer;
    };
    expect((await send('server/discover')).result.capabilities.extensions).toHaveProperty([TASKS_EXTENSION]);
    const { tools } = (await send('tools/list')).result;
    expect(tools.map(({ name }: { name: string }) => name)).toContain('report');
    expect(tools.map(({ name }: { name: string }) => name)).not.toContain('whole');
    expect((await send('tools/call', { name: 'whole' })).result?.resultType).not.toBe('task');
    const { taskId } = (await send('tools/call', { name: 'report', arguments: { topic: 'snow' } })).result;
    expect((await send('tasks/get', { taskId }, 'eve')).error.code).toBe(-32602);
    // A tool that only some claims show: without them, its task is not found, even by its owner.
    const staff = { audience: 'staff' };
    const hidden = (await send('tools/call', { name: 'whole' }, 'ann', staff)).result.taskId;
    const unknown = (await send('tasks/get', { taskId: '0'.repeat(44) })).error;
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { error } = await send(method, { taskId: hidden, inputResponses: {} });
      expect(error).toEqual(unknown);
    }
    expect((await send('tasks/get', { taskId: hidden }, 'ann', staff)).result).toMatchObject({
      taskId: hidden,
    });
    for (;;) {
      const { result } = await send('tasks/get', { taskId });
      for (const key of Object.keys(result.inputRequests ?? {})) {
        const updated = await send('tasks/update', { taskId, inputResponses: { [key]: await accept() } });
        expect(updated.result).toMatchObject({ resultType: 'complete' });
      }
      if (result.status === 'completed') {
        expect(JSON.stringify(result.result)).toContain(REPORT);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect((await send('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
    // An id that does not look like ours may be that of a task of the server, which has none here.
    expect((await send('tasks/get', { taskId: 'other' })).error).toEqual(unknown);
    expect((await send('tasks/result', { taskId: 'other' })).error.code).toBe(-32601);
  });
});

/** The `fetch` of a client, over a handler in this process. */
function overHandler(handle: FetchHandler) {
  return (url: string | URL, init?: RequestInit) => handle(new Request(url, init));
}

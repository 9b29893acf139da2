import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { policyOf } from '../gate/gate-harness.js';
import { ask, initialize } from './task-server.js';

const policyWith = (more = '', byDefault = '') =>
  policyOf(`
concerns:
  effect: { values: [read-only, destroys], match: at-most${byDefault} }
primitives:
  tools:
    projects: { effect: any }
    projects(action=delete): { effect: destroys }
    wipe: { effect: any }
    wipe(target=all): { effect: destroys }
    ping: {}
patterns: { tools: { "projects(action=*)": { effect: read-only } } }
settings: { enforcement: enforce${more} }
`);

const tool = (name: string, argument: string, values: readonly string[]) => ({
  name,
  inputSchema: {
    type: 'object' as const,
    properties: { [argument]: { type: 'string', enum: values } },
    required: [argument],
  },
  execution: { taskSupport: 'optional' as const },
});
const TOOLS = [
  tool('projects', 'action', ['list', 'get', 'delete']),
  tool('wipe', 'target', ['all']),
  { name: 'ping', inputSchema: { type: 'object' as const } },
];

const close: (() => void)[] = [];
afterEach(() => {
  for (const each of close.splice(0)) each();
});

/** What a server was asked to do. */
interface Log {
  lists: number;
  readonly calls: unknown[];
}

function serverWith(log: Log): () => Server {
  const taskStore = new InMemoryTaskStore();
  close.push(() => taskStore.cleanup());
  return () => {
    const server = new Server(
      { name: 'projects', version: '1.0.0' },
      {
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore,
      },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => {
      log.lists++;
      return { tools: TOOLS };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { taskStore: tasks }) => {
      log.calls.push(params.arguments);
      const content = [{ type: 'text' as const, text: 'done' }];
      if (params.task === undefined || tasks === undefined) return { content };
      const { taskId } = await tasks.createTask({ ttl: 60_000 });
      await tasks.storeTaskResult(taskId, 'completed', { content });
      return { task: await tasks.getTask(taskId) };
    });
    return server;
  };
}

const READ_ONLY = { _meta: { [EXTENSION_ID]: { concerns: { effect: 'read-only' } } } };
const REFUSED = 'Invalid arguments for tool projects: action must be one of "list", "get".';

const namesOf = (result: unknown): unknown[] =>
  (read(result, 'tools') as object[]).map((each) => read(each, 'name'));
const actionsOf = (result: unknown): unknown => {
  const projects = (read(result, 'tools') as object[]).find((each) => read(each, 'name') === 'projects');
  return read(projects, 'inputSchema', 'properties', 'action', 'enum');
};

describe('known lists, as a function on Lambda has them', () => {
  it('are narrowed without the server, and calls are decided by the schema that is known', async () => {
    const log: Log = { lists: 0, calls: [] };
    const handle = createHandler({
      server: serverWith(log),
      policy: policyWith(),
      catalog: { tools: TOOLS },
    });
    const listed = await ask(handle, {}, 'tools/list', READ_ONLY);
    expect(namesOf(listed.result)).toEqual(['projects', 'ping']);
    expect(actionsOf(listed.result)).toEqual(['list', 'get']);
    const refused = await ask(handle, {}, 'tools/call', {
      name: 'projects',
      arguments: { action: 'delete' },
      ...READ_ONLY,
    });
    expect(refused.result).toEqual({ content: [{ type: 'text', text: REFUSED }], isError: true });
    expect(log.calls).toEqual([]);
    const passed = await ask(handle, {}, 'tools/call', {
      name: 'projects',
      arguments: { action: 'list' },
      ...READ_ONLY,
    });
    expect(read(passed.result, 'isError')).toBeUndefined();
    expect(log.calls).toEqual([{ action: 'list' }]);
  });
});

describe('tasks of a narrowed tool', () => {
  it('begin only for uses that are shown, and are not decided again later', async () => {
    const log: Log = { lists: 0, calls: [] };
    const handle: FetchHandler = createHandler({
      server: serverWith(log),
      policy: policyWith(),
      store: createMemoryStore(),
    });
    const { caller } = await initialize(handle);
    const start = (action: string) =>
      ask(handle, caller, 'tools/call', { name: 'projects', arguments: { action }, task: {}, ...READ_ONLY });
    const refused = await start('delete');
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining(REFUSED) });
    expect(log.calls).toEqual([]);
    const taskId = read((await start('list')).result, 'task', 'taskId');
    expect(taskId).toEqual(expect.any(String));
    expect(log.calls).toEqual([{ action: 'list' }]);
    for (const method of ['tasks/get', 'tasks/result'])
      expect((await ask(handle, caller, method, { taskId, ...READ_ONLY })).error).toBeUndefined();
  });
});

describe('the tool concerns', () => {
  it('counts tools and not uses: one whose every use is hidden is not shown', async () => {
    const handle = createHandler({
      server: serverWith({ lists: 0, calls: [] }),
      policy: policyWith(', panel: on, defaults: always', ', default: read-only'),
      store: createMemoryStore(),
    });
    const { caller } = await initialize(handle);
    const listed = await ask(handle, caller, 'tools/list');
    expect(namesOf(listed.result)).toEqual(['projects', 'ping', 'concerns']);
    const said = await ask(handle, caller, 'tools/call', { name: 'concerns', arguments: {} });
    expect(said.text).toMatch(/2 of 3 tools are shown/);
    expect(said.text).not.toMatch(/delete|\(target/);
    expect(said.text).toContain('effect read-only');
  });
});

import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler } from '../../src/core/http/v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { EXTENSION_ID, TASKS_EXTENSION } from '../../src/core/wire/messages.js';
import { createTasks, defineTask, withTasks } from '../../src/tasks/index.js';
import { policyOf } from '../gate/gate-harness.js';
import { initialize, principal, ask as sendLegacy } from './task-server.js';

const policy = policyOf(`
concerns:
  effect: { values: [read-only, destroys], match: at-most }
  region: { values: [eu, us], set-by: operator, claim: region, default: eu }
primitives:
  tools:
    projects(action=delete): { effect: destroys }
    wipe(target=all): { effect: destroys }
patterns: { tools: { "projects(action=*)": { effect: read-only } } }
bind:
  region: { var: concerns.region }
settings: { enforcement: enforce, unmapped: show }
`);

const ACTIONS = ['list', 'ask', 'delete'] as const;
const QUESTION = {
  method: 'elicitation/create',
  params: {
    message: 'Which?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
} as const;

/** Servers of SDK v2 whose tools are tasks, and what these ran with. */
function taskEndpoint() {
  const ran: unknown[] = [];
  const projects = defineTask({
    name: 'projects',
    inputSchema: z.strictObject({ action: z.enum(ACTIONS), region: z.string() }),
    support: 'optional',
    run: async (args, ctx) => {
      ran.push(args);
      return args.action === 'ask'
        ? JSON.stringify(await ctx.ask('which', QUESTION))
        : `${args.action} is done`;
    },
  });
  const wipe = defineTask({
    name: 'wipe',
    inputSchema: z.strictObject({ target: z.enum(['all']) }),
    run: async (args) => {
      ran.push(args);
      return 'wiped';
    },
  });
  const tasks = createTasks({ definitions: [projects, wipe] });
  const server = () => withTasks(new McpServer({ name: 'projects', version: '1.0.0' }), tasks);
  return { ran, handle: createHandler({ server, policy, store: createMemoryStore() }) };
}

type Json = ReturnType<typeof JSON.parse>;
const EFFECTS = { all: {}, 'read-only': { [EXTENSION_ID]: { concerns: { effect: 'read-only' } } } } as const;
type Effect = keyof typeof EFFECTS;

/** A client of protocol 2026-07-28 that declares the Tasks extension. */
const modernClient =
  (handle: FetchHandler) =>
  async (effect: Effect, method: string, params: object): Promise<Json> => {
    const name = 'name' in params ? params.name : 'taskId' in params ? params.taskId : undefined;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { [TASKS_EXTENSION]: {} },
        elicitation: { form: {} },
      },
      ...EFFECTS[effect],
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
    const response = await handle(request, { authInfo: principal('ann') });
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (text.trimEnd().split('\n').at(-1) ?? '').slice(6));
  };

/** A client of protocol 2025-11-25, the same caller. */
const legacyClient = async (handle: FetchHandler) => {
  const { caller } = await initialize(handle, { authInfo: principal('ann') });
  return (effect: Effect, method: string, params: object): Promise<Json> =>
    sendLegacy(handle, caller, method, { ...params, _meta: EFFECTS[effect] });
};

const call = (action: string, more: object = {}) => ({ name: 'projects', arguments: { action, ...more } });
const REFUSED = 'Invalid arguments for tool projects: action must be one of "list", "ask".';

describe('tasks of a narrowed tool (2026-07-28)', () => {
  it('begin only for uses that are shown, and with the value that is bound', async () => {
    const { handle, ran } = taskEndpoint();
    const send = modernClient(handle);
    const { tools } = (await send('read-only', 'tools/list', {})).result;
    expect(tools).toMatchObject([
      { name: 'projects', inputSchema: { properties: { action: { enum: ['list', 'ask'] } } } },
    ]);
    expect(JSON.stringify(tools)).not.toMatch(/delete|wipe|region/);
    const [hidden, unknown] = [
      await send('read-only', 'tools/call', call('delete')),
      await send('read-only', 'tools/call', call('nope')),
    ];
    expect(hidden.result).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: REFUSED }],
      isError: true,
    });
    expect(hidden).toEqual(unknown);
    expect((await send('read-only', 'tools/call', call('list', { region: 'us' }))).result).toMatchObject({
      resultType: 'complete',
      isError: true,
    });
    expect(ran).toEqual([]);
    const { result } = await send('read-only', 'tools/call', call('list'));
    expect(result).toMatchObject({ resultType: 'task', taskId: expect.any(String) });
    const done = () => send('read-only', 'tasks/get', { taskId: result.taskId });
    await expect.poll(async () => (await done()).result.status).toBe('completed');
    expect((await done()).result.result.content).toEqual([{ type: 'text', text: 'list is done' }]);
    expect(ran).toEqual([{ action: 'list', region: 'eu' }]);
  });

  it('are answered and cancelled like others: nothing after the call is about its arguments', async () => {
    const { handle } = taskEndpoint();
    const send = modernClient(handle);
    const get = async (effect: Effect, taskId: string) =>
      (await send(effect, 'tasks/get', { taskId })).result;
    const { taskId } = (await send('read-only', 'tools/call', call('ask'))).result;
    await expect.poll(async () => (await get('read-only', taskId)).status).toBe('input_required');
    const inputResponses = { which: { action: 'accept', content: { name: 'delete' } } };
    await send('read-only', 'tasks/update', { taskId, inputResponses });
    await expect.poll(async () => (await get('read-only', taskId)).status).toBe('completed');
    expect(JSON.stringify(await get('read-only', taskId))).toContain('accept');
    // It began while the use was shown, and its tool still is.
    const deleting = (await send('all', 'tools/call', call('delete'))).result.taskId;
    await expect.poll(async () => (await get('all', deleting)).status).toBe('completed');
    expect((await get('read-only', deleting)).result.content).toEqual([
      { type: 'text', text: 'delete is done' },
    ]);
    const cancelled = (await send('read-only', 'tools/call', call('ask'))).result.taskId;
    await send('read-only', 'tasks/cancel', { taskId: cancelled });
    expect(await get('read-only', cancelled)).toMatchObject({ status: 'cancelled' });
  });

  it('do not exist while no use of their tool is left, in both eras', async () => {
    const { handle, ran } = taskEndpoint();
    const send = modernClient(handle);
    const legacy = await legacyClient(handle);
    const wipe = { name: 'wipe', arguments: { target: 'all' } };
    const { taskId } = (await send('all', 'tools/call', wipe)).result;
    const { taskId: kept } = (await send('all', 'tools/call', call('list'))).result;
    await expect.poll(() => ran.length).toBe(2);
    const unknown = `${taskId.slice(0, -4)}0000`;
    const ask = async (id: string) => [
      ...(await Promise.all(
        ['tasks/get', 'tasks/cancel', 'tasks/update'].map((method) =>
          send('read-only', method, { taskId: id, inputResponses: {} }),
        ),
      )),
      ...(
        await Promise.all(
          ['tasks/get', 'tasks/cancel', 'tasks/result'].map((method) =>
            legacy('read-only', method, { taskId: id }),
          ),
        )
      ).map(({ result, error }) => ({ result, error })),
    ];
    expect(await ask(taskId)).toEqual(await ask(unknown));
    const listed = async (effect: Effect) =>
      (await legacy(effect, 'tasks/list', {})).result.tasks.map((task: Json) => task.taskId);
    expect((await listed('all')).sort()).toEqual([taskId, kept].sort());
    expect(await listed('read-only')).toEqual([kept]);
    // Neither does the tool, whose call is answered like that of any other name.
    const answers = await Promise.all(
      ['wipe', 'other'].map((name) => send('read-only', 'tools/call', { ...wipe, name })),
    );
    const [hidden, other] = answers.map((each) => JSON.stringify(each));
    expect(hidden).toBe(other?.replaceAll('other', 'wipe'));
    expect(ran).toHaveLength(2);
  });

  it('are refused to a client of 2025-11-25 with the same words', async () => {
    const { handle, ran } = taskEndpoint();
    const legacy = await legacyClient(handle);
    const start = (effect: Effect, action: string) =>
      legacy(effect, 'tools/call', { ...call(action), task: {} });
    expect((await start('read-only', 'delete')).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining(REFUSED),
    });
    expect((await start('read-only', 'nope')).error).toEqual((await start('read-only', 'delete')).error);
    expect((await legacy('read-only', 'tools/call', call('delete'))).result).toEqual({
      content: [{ type: 'text', text: REFUSED }],
      isError: true,
    });
    expect(ran).toEqual([]);
    expect((await start('all', 'delete')).result.task).toMatchObject({ taskId: expect.any(String) });
    await expect.poll(() => ran).toEqual([{ action: 'delete', region: 'eu' }]);
  });
});

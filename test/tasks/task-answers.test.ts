import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createHandler } from '../../src/core/http/v2.js';
import { read } from '../../src/core/wire/messages.js';
import {
  createEmbeddedEngine,
  createMemoryRecords,
  createTasks,
  defineTask,
  TaskProtocolError,
  withTasks,
} from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';
import { CAPABILITIES, INFO } from './wire-clients.js';
import { fastTimer } from './worlds.js';

const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
const work =
  (end: () => string) => async (_args: unknown, ctx: { progress(text: string): Promise<void> }) => {
    await ctx.progress('half');
    return end();
  };
const definitions = [
  defineTask({ name: 'long', inputSchema, run: work(() => 'done') }),
  defineTask({ name: 'either', inputSchema, support: 'optional', run: work(() => 'done') }),
  defineTask({
    name: 'broken',
    inputSchema,
    run: work(() => {
      throw new TaskProtocolError(-32602, 'There is no such row.');
    }),
  }),
];
const records = createMemoryRecords();
const engine = createEmbeddedEngine({ definitions, records, timer: fastTimer });
const tasks = createTasks({ definitions, records, engine });

let plainCalls = 0;
const plain = () => {
  plainCalls++;
  return { content: [] };
};

function serverV1(): McpServer {
  const server = new McpServer({ name: 'v1', version: '1.0.0' });
  server.registerTool('plain', {}, plain);
  return withTasks(server, tasks);
}
function serverV2(): McpServerV2 {
  const server = new McpServerV2({ name: 'v2', version: '1.0.0' });
  server.registerTool('plain', {}, plain);
  return withTasks(server, tasks);
}

/** Connects a client of SDK v1, which speaks 2025-11-25. */
async function legacy(made: McpServer | McpServerV2) {
  const client = new Client(INFO);
  const [near, far] = InMemoryTransport.createLinkedPair();
  // The cast selects one `connect` of the two SDKs.
  await (made as McpServer).connect(far);
  await client.connect(near);
  return (method: string, params: Record<string, unknown>) =>
    client.request({ method, params }, ResultSchema);
}

/** Asks an endpoint of 2026-07-28. Clients of SDK v2 refuse the answers of the Tasks extension, so this is none. */
function modern(capabilities: object) {
  const handle = createHandler({ server: serverV2, policy: policyOf('version: 1\nconcerns: {}\n') });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return async (method: string, params: object): Promise<Record<string, unknown>> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(read(params, 'name') ?? read(params, 'taskId')),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
    const response = await handle(new Request('http://x.test/mcp', { method: 'POST', headers, body }));
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
  };
}

describe.each([
  ['SDK v1', serverV1],
  ['SDK v2', serverV2],
])('a client of 2025-11-25 of a server of %s', (_sdk, server) => {
  it('reads invalid arguments of a task as a tool error that its model can correct', async () => {
    const ask = await legacy(server());
    const inline = await ask('tools/call', { name: 'either', arguments: { n: 'one' } });
    expect(inline).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('arguments') }],
    });
    const created = await ask('tools/call', { name: 'long', arguments: {}, task: {} });
    const taskId = read(created, 'task', 'taskId');
    expect(created).toMatchObject({
      task: { status: 'failed', statusMessage: expect.stringContaining('Invalid arguments for tool long') },
    });
    expect(await ask('tasks/result', { taskId })).toMatchObject({ isError: true });
  });

  it('cannot call a tool as a task that is none, and the tool does not run', async () => {
    const ask = await legacy(server());
    const before = plainCalls;
    for (const name of ['plain', 'unknown']) {
      await expect(ask('tools/call', { name, task: {} })).rejects.toMatchObject({
        code: -32601,
        message: expect.stringContaining(`Tool ${name} cannot be called as a task.`),
      });
    }
    expect(plainCalls).toBe(before);
    await ask('tools/call', { name: 'plain' });
    expect(plainCalls).toBe(before + 1);
  });

  it('reads why a task failed, and no progress of a task that has ended', async () => {
    const ask = await legacy(server());
    const ended = async (name: string) => {
      const created = await ask('tools/call', { name, arguments: { n: 1 }, task: {} });
      const taskId = read(created, 'task', 'taskId');
      const get = () => ask('tasks/get', { taskId });
      await expect.poll(async () => (await get()).status).toMatch(/completed|failed/);
      return get();
    };
    expect(await ended('long')).not.toHaveProperty('statusMessage');
    expect(await ended('broken')).toMatchObject({
      status: 'failed',
      statusMessage: 'There is no such row.',
    });
  });
});

it('leaves a call as a task to a server that has tasks of its own', async () => {
  const server = new McpServer({ name: 'v1', version: '1.0.0' }, { capabilities: { tasks: {} } });
  server.registerTool('plain', {}, plain);
  server.server.setRequestHandler(z.object({ method: z.literal('tasks/get') }), () => ({}));
  const ask = await legacy(withTasks(server, tasks));
  const refused = ask('tools/call', { name: 'plain', task: {} });
  await expect(refused).rejects.not.toThrow('cannot be called as a task');
});

describe('a client of 2026-07-28', () => {
  it('reads invalid arguments of a task as a tool error that its model can correct', async () => {
    for (const capabilities of [{}, CAPABILITIES]) {
      const ask = modern(capabilities);
      const answer = await ask('tools/call', { name: 'either', arguments: { n: 'one' } });
      expect(answer).toMatchObject({ isError: true, content: [{ type: 'text' }] });
      expect(answer).not.toHaveProperty('taskId');
    }
  });

  it('reads why a task failed, and no progress of a task that has ended', async () => {
    const ask = modern(CAPABILITIES);
    for (const [name, statusMessage] of [
      ['long', undefined],
      ['broken', 'There is no such row.'],
    ] as const) {
      const { taskId } = await ask('tools/call', { name, arguments: { n: 1 } });
      const get = () => ask('tasks/get', { taskId });
      await expect.poll(async () => (await get()).status).toMatch(/completed|failed/);
      expect((await get()).statusMessage).toBe(statusMessage);
    }
  });
});

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, describe, expect, it } from 'vitest';
import { createVaultServer, Vault } from '../../../examples/vault/server.js';
import { serveLocally } from '../../../src/core/http/local.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { connectOverHttp, inMeta, post, updateConcerns } from '../../clients.js';

const policy = loadPolicy('policies/vault.yaml');
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((each) => each.close())));

async function serve(store: SessionStore = createMemoryStore(), vault = new Vault()) {
  const endpoint = await serveLocally({ server: () => createVaultServer(vault), policy, store });
  open.push(endpoint);
  return endpoint;
}

interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly createdAt: string;
}

const ask = (client: Client, method: string, params: object = {}) =>
  client.request({ method, params } as never, ResultSchema);

/** Calls the tool that runs as a task, `cost: high` in the policy. */
async function startTask(client: Client): Promise<Task> {
  await ask(client, 'tools/call', {
    name: 'generateKey',
    arguments: { id: 'next', purpose: 'encryption' },
  }).catch(() => undefined);
  const { task } = await ask(client, 'tools/call', {
    name: 'reencryptAll',
    arguments: { keyId: 'next' },
    task: { ttl: 60_000 },
  });
  return task as Task;
}
const listTasks = async (client: Client, params: object = {}): Promise<Task[]> =>
  (await ask(client, 'tasks/list', params)).tasks as Task[];

describe('tasks of 2025-11-25', () => {
  it('declares the filter of the list', async () => {
    const client = await connectOverHttp((await serve()).url);
    expect(client.getServerCapabilities()?.tasks?.list).toMatchObject({
      filter: { methods: ['tools/call'], taskIds: true, order: { by: ['createdAt', 'lastUpdatedAt'] } },
    });
    await client.close();
  });

  it('hides tasks of hidden tools only in tasks/list', async () => {
    const client = await connectOverHttp((await serve()).url);
    const { taskId } = await startTask(client);
    expect((await listTasks(client)).map((task) => task.taskId)).toEqual([taskId]);
    expect(await listTasks(client, inMeta({ cost: 'high' }))).toHaveLength(1);
    expect(await listTasks(client, inMeta({ cost: 'minimal' }))).toEqual([]);
    await updateConcerns(client, { cost: 'minimal' });
    expect(await listTasks(client)).toEqual([]);
    expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({ taskId });
    await updateConcerns(client, {});
    expect(await listTasks(client)).toHaveLength(1);
    await client.close();
  });

  it('reads from the store which tool made a task, also in another process', async () => {
    const [store, vault] = [createMemoryStore(), new Vault()];
    const [first, second] = [await serve(store, vault), await serve(store, vault)];
    const client = await connectOverHttp(first.url);
    await startTask(client);
    const session = { 'mcp-session-id': (client.transport as { sessionId?: string }).sessionId ?? '' };
    const listed = async (params: object): Promise<Task[]> => {
      const response = await post(
        second.url,
        { jsonrpc: '2.0', id: 1, method: 'tasks/list', params },
        session,
      );
      const [, json = ''] = /^data: (.*)$/m.exec(await response.text()) ?? [];
      return JSON.parse(json).result.tasks;
    };
    expect(await listed({})).toHaveLength(1);
    expect(await listed(inMeta({ cost: 'minimal' }))).toEqual([]);
    await client.close();
  });

  it('applies the filters and the order of the client', async () => {
    const client = await connectOverHttp((await serve()).url);
    const [first, second] = [await startTask(client), await startTask(client)];
    const ids = async (params: object) => (await listTasks(client, params)).map(({ taskId }) => taskId);
    expect(await ids({ taskIds: [second.taskId] })).toEqual([second.taskId]);
    expect(await ids({ status: ['cancelled'] })).toEqual([]);
    expect(await ids({ methods: ['sampling/createMessage'] })).toEqual([]);
    expect((await ids({ orderBy: 'createdAt', order: 'asc' })).sort()).toEqual(
      [first.taskId, second.taskId].sort(),
    );
    expect(await ids({ createdBefore: first.createdAt })).toEqual([]);
    await expect(ask(client, 'tasks/list', { createdAfter: 'yesterday' })).rejects.toMatchObject({
      code: -32602,
    });
    await client.close();
  });
});

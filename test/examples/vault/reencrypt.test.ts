import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../examples/vault/limits.js';
import { createVaultServer, Vault } from '../../../examples/vault/server.js';
import { VaultTaskStore } from '../../../examples/vault/task-store.js';

let vault: Vault;
let client: Client;

async function connect(sessionId?: string): Promise<Client> {
  const connected = new Client({ name: 'test', version: '1' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  if (sessionId !== undefined) serverSide.sessionId = sessionId;
  await createVaultServer(vault).connect(serverSide);
  await connected.connect(clientSide);
  return connected;
}

beforeEach(async () => {
  vault = new Vault();
  for (let count = 0; count < 30; count += 1) {
    vault.records.store(
      { id: `r-${count}`, labels: [], content: `${count}`, createdAt: '2026-01-01T00:00:00Z' },
      'default',
    );
  }
  vault.keys.generate('next', 'encryption');
  client = await connect();
});

async function start(from: Client, keyId: string, ttl?: number): Promise<string> {
  const params = { name: 'reencryptAll', arguments: { keyId }, task: { ...(ttl !== undefined && { ttl }) } };
  return (await from.request({ method: 'tools/call', params }, CreateTaskResultSchema)).task.taskId;
}

const resultOf = (from: Client, taskId: string) =>
  from.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);

const keysInUse = () => [
  ...new Set(vault.records.list().map(({ keyId, keyVersion }) => `${keyId}.${keyVersion}`)),
];

describe('reencryptAll', () => {
  it('runs as a task that outlives the server that started it', async () => {
    const taskId = await start(client, 'next');
    await client.close();
    const later = await connect();
    expect((await resultOf(later, taskId)).structuredContent).toEqual({
      keyId: 'next',
      records: 30,
      reencrypted: 30,
    });
    expect(await later.experimental.tasks.getTask(taskId)).toMatchObject({ status: 'completed' });
    expect((await later.experimental.tasks.listTasks()).tasks).toMatchObject([{ taskId }]);
    expect(keysInUse()).toEqual(['next.1']);
    expect(vault.records.fetch('r-7').content).toBe('7');
    vault.deleteKey('default');
  });

  it('returns its result to hosts without tasks, and skips records that are up to date', async () => {
    const call = { name: 'reencryptAll', arguments: {} };
    expect((await client.callTool(call)).structuredContent).toMatchObject({ reencrypted: 0 });
    vault.keys.rotate('default');
    expect((await client.callTool(call)).structuredContent).toMatchObject({ reencrypted: 30 });
    expect(keysInUse()).toEqual(['default.2']);
  });

  it('stops when it is canceled, and every record stays readable', async () => {
    const taskId = await start(client, 'next');
    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' });
    await expect.poll(() => vault.log.read({ limit: 1 }).entries[0]?.message).toContain('was stopped after');
    for (const { id } of vault.records.list()) expect(vault.records.fetch(id).content).toBe(id.slice(2));
    await expect(resultOf(client, taskId)).rejects.toThrow('is cancelled and has no result');
    await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toThrow('terminal');
  });

  it('fails as a task, with a message that says why', async () => {
    const taskId = await start(client, 'gone');
    const result = await resultOf(client, taskId);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no key "gone"') }],
    });
    expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ status: 'failed' });
    expect(await client.callTool({ name: 'reencryptAll', arguments: { keyId: 'signing' } })).toMatchObject({
      isError: true,
    });
  });

  it('belongs to the session that started it', async () => {
    const taskId = await start(await connect('one'), 'next');
    const other = await connect('two');
    await expect(other.experimental.tasks.getTask(taskId)).rejects.toThrow('not found');
    expect((await other.experimental.tasks.listTasks()).tasks).toEqual([]);
    expect((await resultOf(await connect('one'), taskId)).isError).toBeUndefined();
  });
});

describe('the task store', () => {
  const create = (store: VaultTaskStore, ttl?: number) =>
    store.createTask({ ...(ttl !== undefined && { ttl }) }, 1, { method: 'tools/call' });

  it('keeps a task for the requested time, within limits, and again from its end', async () => {
    let now = 0;
    const store = new VaultTaskStore(() => now);
    expect((await create(store)).ttl).toBe(LIMITS.taskSeconds * 1_000);
    expect((await create(store, 1e12)).ttl).toBe(LIMITS.taskSeconds * 1_000);
    expect((await create(store, -1)).ttl).toBe(1_000);
    const { taskId } = await create(store, 5_000);
    now = 4_000;
    await store.storeTaskResult(taskId, 'completed', {});
    now = 8_999;
    expect(await store.getTaskResult(taskId)).toEqual({});
    now = 9_000;
    await expect(store.getTaskResult(taskId)).rejects.toThrow('start it again');
    expect(await store.getTask(taskId)).toBeNull();
  });

  it('removes finished tasks, but never running ones, when it is full', async () => {
    const store = new VaultTaskStore();
    const tasks = [];
    for (let count = 0; count < LIMITS.tasks; count += 1) tasks.push(await create(store));
    await expect(create(store)).rejects.toThrow('wait for one to finish');
    const [, second] = tasks;
    await store.updateTaskStatus(second?.taskId ?? '', 'cancelled');
    await create(store);
    expect(await store.getTask(second?.taskId ?? '')).toBeNull();
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.listTasks(cursor);
      ids.push(...page.tasks.map(({ taskId }) => taskId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(ids).size).toBe(LIMITS.tasks);
    expect(ids).toHaveLength(LIMITS.tasks);
    await expect(store.listTasks('unknown')).rejects.toThrow('list the tasks again');
  });
});

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  CallToolResultSchema,
  type ClientCapabilities,
  CreateTaskResultSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { createVaultServer, Vault } from '../../../../examples/vault/server.js';

let vault: Vault;
let client: Client;

async function connect(sessionId = 'test', capabilities: ClientCapabilities = {}): Promise<Client> {
  const connected = new Client({ name: 'test', version: '1' }, { capabilities });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  serverSide.sessionId = sessionId;
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

  it.each([
    [{ action: 'accept', content: { confirm: true } } as const, 30, 'next.1'],
    [{ action: 'accept', content: { confirm: false } } as const, 0, 'default.1'],
    [{ action: 'decline' } as const, 0, 'default.1'],
  ])('asks a user who answers %j', async (answer, reencrypted, inUse) => {
    const asking = await connect('asking', { elicitation: { form: {} } });
    const asked: string[] = [];
    asking.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return answer;
    });
    const taskId = await start(asking, 'next');
    expect((await resultOf(asking, taskId)).structuredContent).toMatchObject({ records: 30, reencrypted });
    expect(asked).toEqual(['Re-encrypt 30 records under the key "next"?']);
    expect(keysInUse()).toEqual([inUse]);
  });

  it('returns its result to hosts without tasks, and skips records that are up to date', async () => {
    const call = { name: 'reencryptAll', arguments: {} };
    expect((await client.callTool(call)).structuredContent).toMatchObject({ reencrypted: 0 });
    vault.keys.rotate('default');
    expect((await client.callTool(call)).structuredContent).toMatchObject({ reencrypted: 30 });
    expect(keysInUse()).toEqual(['default.2']);
  });

  it('stops when it is canceled, and every record stays readable', async () => {
    const reencrypt = vault.records.reencrypt.bind(vault.records);
    const begun = new Promise<void>((resolve) => {
      vault.records.reencrypt = (...args) => {
        resolve();
        return reencrypt(...args);
      };
    });
    const taskId = await start(client, 'next');
    await begun;
    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' });
    await expect.poll(() => vault.log.read({ limit: 1 }).entries[0]?.message).toContain('was stopped after');
    for (const { id } of vault.records.list()) expect(vault.records.fetch(id).content).toBe(id.slice(2));
    await expect(resultOf(client, taskId)).rejects.toThrow('was cancelled');
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

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer, Vault } from '../../../examples/vault/server.js';
import type { BufferedHandler } from '../../../src/core/lambda/buffered.js';
import { createFunction } from '../../../src/core/lambda/function.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createDynamoStore } from '../../../src/core/session/dynamodb.js';
import { PATIENCE } from '../../patience.js';
import { stopClock } from '../../session/clock.js';
import { type LocalDynamo, startDynamo } from '../../session/dynamo.js';
import { injectFaults, type SentCommand } from '../../session/faults.js';
import { httpEvent, initialize, rpc } from '../events.js';

const MINUTES = 60;
const page = readFileSync('docs/reference/settings.md', 'utf8');
const pass = stopClock();
let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());

const vault = new Vault();
async function environment(): Promise<{
  handler: BufferedHandler;
  another: () => BufferedHandler;
  sent: SentCommand[];
}> {
  const [client, table] = [dynamo.client(), await dynamo.table()];
  const { sent } = injectFaults(client);
  const another = () =>
    createFunction({
      response: 'buffered',
      server: () => createVaultServer(vault),
      policy: loadPolicy('policies/vault.yaml'),
      store: createDynamoStore({ timeoutMs: PATIENCE.wait, table, client }),
      log: () => undefined,
    });
  return { handler: another(), another, sent };
}

const READS = new Set(['GetItemCommand']);
const WRITES = new Set(['UpdateItemCommand', 'PutItemCommand']);
const initialized = {
  jsonrpc: '2.0',
  method: 'notifications/initialized',
  params: { concerns: { security: 'high' } },
};
const update = rpc('updateConcerns', { concerns: { security: 'low' } });
const call = (name: string, args: object, more: object = {}) =>
  rpc('tools/call', { name, arguments: args, ...more });

describe('the reads and writes in docs/reference/settings.md', () => {
  it('are those of each request in a session', async () => {
    const { another, sent } = await environment();
    let handler = another();
    let session = {};
    const costOf = async (method: string, body?: object): Promise<[number, number]> => {
      sent.length = 0;
      const response = await handler(httpEvent(method, body, { headers: session }));
      expect(response.statusCode).toBeLessThan(300);
      const id = response.headers['mcp-session-id'];
      if (id !== undefined) session = { 'mcp-session-id': id };
      const counted = (commands: Set<string>) => sent.filter(({ command }) => commands.has(command)).length;
      expect(counted(READS) + counted(WRITES)).toBe(sent.length);
      return [counted(READS), counted(WRITES)];
    };

    expect(await costOf('POST', initialize())).toEqual([0, 1]);
    expect(await costOf('POST', initialized)).toEqual([1, 1]);
    expect(await costOf('POST', update)).toEqual([1, 1]);
    expect(await costOf('POST', rpc('tools/list'))).toEqual([1, 0]);
    expect(await costOf('POST', call('hashData', { data: 'x' }))).toEqual([1, 0]);
    expect(await costOf('POST', rpc('ping'))).toEqual([0, 0]);
    pass(5 * MINUTES);
    expect(await costOf('POST', rpc('tools/list'))).toEqual([1, 1]);
    expect(await costOf('POST', rpc('tools/list'))).toEqual([1, 0]);
    await costOf('POST', call('generateKey', { id: 'next', purpose: 'encryption' }));
    const task = call('reencryptAll', { keyId: 'next' }, { task: { ttl: 60_000 } });
    expect(await costOf('POST', task)).toEqual([1, 1]);
    await costOf('POST', task);
    // The records of the tasks say whose they are, so another process does not read who created each.
    expect(await costOf('POST', rpc('tasks/list'))).toEqual([1, 0]);
    handler = another();
    expect(await costOf('POST', rpc('tasks/list'))).toEqual([1, 0]);
    expect(await costOf('POST', rpc('tasks/get', { taskId: 'unknown' }))).toEqual([2, 0]);
    expect(await costOf('DELETE')).toEqual([0, 1]);
  });

  it('are none without a session', async () => {
    const { handler, sent } = await environment();
    const headers = { 'mcp-concerns': 'security=high' };
    for (const body of [rpc('tools/list'), call('hashData', { data: 'x' }), rpc('ping')]) {
      const event = httpEvent('POST', body, { headers, rawQueryString: 'concerns=safe' });
      expect((await handler(event)).statusCode).toBe(200);
    }
    expect(sent).toEqual([]);
  });

  it('are the rows that this test counts', () => {
    const [, table = ''] = /\n\| request \|.*\n\|.*\n((?:\|.*\n)+)/.exec(page) ?? [];
    const rows = table.split('\n').slice(0, -1);
    expect(
      rows.map((row) =>
        row
          .split('|')
          .slice(1, 4)
          .map((cell) => cell.trim()),
      ),
    ).toEqual([
      ['`initialize`', '', '1'],
      ['`notifications/initialized` with concerns, `updateConcerns`', '1', '1'],
      ['`ping`', '', ''],
      ['any other request in a session', '1', 'at most one every five minutes'],
      ['a tool call that returns a task', '1', 'one more'],
      [
        '`tasks/list`',
        '1, and one per task that the process did not create, unless the server uses `withTasks`',
        '',
      ],
      ['another request about a task', '1, and one if the process did not create the task', ''],
      ['`DELETE`, which ends the session', '', '1'],
      ['any request without a session: concerns in the URL, the header or `_meta`', '', ''],
    ]);
  });
});

import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoStore } from '../../src/core/session/dynamodb.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { PATIENCE } from '../patience.js';
import { START, stopClock } from './clock.js';
import { type LocalDynamo, startDynamo } from './dynamo.js';
import { injectFaults, type SentCommand } from './faults.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
const advance = stopClock();

describe('the requests', () => {
  let store: SessionStore;
  let sent: SentCommand[];
  let table: string;
  beforeEach(async () => {
    const client = dynamo.client();
    ({ sent } = injectFaults(client));
    table = await dynamo.table();
    store = createDynamoStore({ timeoutMs: PATIENCE.wait, table, client, expiresAfterSeconds: 3600 });
  });
  const seconds = (offset: number) => ({ N: String(START / 1000 + offset) });

  it('use one consistent GetItem for a read', async () => {
    await store.read('a');
    expect(sent).toEqual([
      {
        command: 'GetItemCommand',
        input: { TableName: table, Key: { id: { S: 'a' } }, ConsistentRead: true },
      },
    ]);
  });

  it('use one UpdateItem for an update, with a condition against ended and expired sessions', async () => {
    await store.update('a', { concerns: { security: 'high' } });
    expect(sent).toEqual([
      {
        command: 'UpdateItemCommand',
        input: {
          TableName: table,
          Key: { id: { S: 'a' } },
          UpdateExpression: 'SET #0 = :0, #1 = :1',
          ConditionExpression: 'attribute_not_exists(#1) OR (attribute_not_exists(#2) AND #1 > :2)',
          ExpressionAttributeNames: { '#0': 'record_concerns', '#1': 'expiresAt', '#2': 'ended' },
          ExpressionAttributeValues: {
            ':0': { S: '{"security":"high"}' },
            ':1': seconds(3600),
            ':2': seconds(0),
          },
        },
      },
    ]);
  });

  it('use one PutItem for an end, which removes the record', async () => {
    await store.update('a', { concerns: { security: 'high' } });
    sent.length = 0;
    await store.end('a');
    const Item = { id: { S: 'a' }, expiresAt: seconds(3600), ended: { BOOL: true } };
    expect(sent).toEqual([{ command: 'PutItemCommand', input: { TableName: table, Item } }]);
    expect(await dynamo.item(table, 'a')).toEqual(Item);
  });

  it('extend a session on a read after 300 seconds, and change nothing else', async () => {
    await store.update('a', { concerns: { security: 'high' } });
    sent.length = 0;
    advance(299);
    await store.read('a');
    expect(sent.map(({ command }) => command)).toEqual(['GetItemCommand']);
    advance(1);
    await store.read('a');
    expect(sent.slice(1)).toMatchObject([
      { command: 'GetItemCommand' },
      {
        command: 'UpdateItemCommand',
        input: {
          UpdateExpression: 'SET #0 = :0',
          ConditionExpression: 'attribute_not_exists(#1) AND #0 = :1',
          ExpressionAttributeNames: { '#0': 'expiresAt', '#1': 'ended' },
          ExpressionAttributeValues: { ':0': seconds(3900), ':1': seconds(3600) },
        },
      },
    ]);
    sent.length = 0;
    await store.read('a');
    expect(sent).toHaveLength(1);
  });

  it('can all be aborted', async () => {
    const client = dynamo.client();
    const send = vi.spyOn(client, 'send');
    const spied = createDynamoStore({ timeoutMs: PATIENCE.wait, table, client });
    await spied.read('a');
    await spied.update('a', {});
    await spied.end('a');
    expect(send.mock.calls.map(([, options]) => options)).toEqual([
      { abortSignal: expect.any(AbortSignal) },
      { abortSignal: expect.any(AbortSignal) },
      { abortSignal: expect.any(AbortSignal) },
    ]);
  });
});

describe('extending a session', () => {
  /** Opens a store. `meanwhile` runs between its first read and the UpdateItem that follows. */
  const openWith = async (
    meanwhile: (table: string) => Promise<unknown>,
  ): Promise<[SessionStore, string]> => {
    const table = await dynamo.table();
    await createDynamoStore({
      timeoutMs: PATIENCE.wait,
      table,
      client: dynamo.client(),
      expiresAfterSeconds: 100,
    }).update('a', {
      concerns: {},
    });
    const client = dynamo.client();
    injectFaults(client, async ({ command, attempt }) => {
      if (command === 'UpdateItemCommand' && attempt === 0) await meanwhile(table);
      return undefined;
    });
    advance(50);
    return [createDynamoStore({ timeoutMs: PATIENCE.wait, table, client, expiresAfterSeconds: 100 }), table];
  };
  const other = (table: string): SessionStore =>
    createDynamoStore({ timeoutMs: PATIENCE.wait, table, client: dynamo.client(), expiresAfterSeconds: 100 });

  it('does not bring back a session that ended after the read', async () => {
    const [store, table] = await openWith((name) => other(name).end('a'));
    expect(await store.read('a')).toMatchObject({ state: 'live' });
    expect(await other(table).read('a')).toEqual({ state: 'ended' });
  });

  it('does not bring back an item that was deleted after the read', async () => {
    const [store, table] = await openWith((TableName) =>
      dynamo.client().send(new DeleteItemCommand({ TableName, Key: { id: { S: 'a' } } })),
    );
    await store.read('a');
    expect(await dynamo.item(table, 'a')).toBeUndefined();
  });

  it('does not overwrite a later expiry or an update', async () => {
    const [store, table] = await openWith((name) => {
      advance(20);
      return other(name).update('a', { concerns: { security: 'high' } });
    });
    await store.read('a');
    expect(await dynamo.item(table, 'a')).toMatchObject({
      expiresAt: { N: String(START / 1000 + 170) },
      record_concerns: { S: '{"security":"high"}' },
    });
  });

  it('does not make a read fail', async () => {
    const table = await dynamo.table();
    await other(table).update('a', { concerns: { security: 'high' } });
    const client = dynamo.client();
    injectFaults(client, ({ command }) => (command === 'UpdateItemCommand' ? 'server error' : undefined));
    advance(50);
    const store = createDynamoStore({ timeoutMs: PATIENCE.wait, table, client, expiresAfterSeconds: 100 });
    expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { security: 'high' } } });
  });
});

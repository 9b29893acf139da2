import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoStore } from '../../src/session/dynamodb.js';
import type { SessionStore } from '../../src/session/store.js';
import { START, stopClock } from './clock.js';
import { type LocalDynamo, startDynamo } from './dynamo.js';
import { injectFaults, type Sent } from './faults.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
const pass = stopClock();

describe('the requests', () => {
  let store: SessionStore;
  let sent: Sent[];
  let table: string;
  beforeEach(async () => {
    const client = dynamo.client();
    ({ sent } = injectFaults(client));
    table = await dynamo.table();
    store = createDynamoStore({ table, client, expiresAfterSeconds: 3600 });
  });
  const seconds = (offset: number) => ({ N: String(START / 1000 + offset) });

  it('a read is one GetItem, consistent', async () => {
    await store.read('a');
    expect(sent).toEqual([
      {
        command: 'GetItemCommand',
        input: { TableName: table, Key: { id: { S: 'a' } }, ConsistentRead: true },
      },
    ]);
  });

  it('an update is one UpdateItem of the given fields, kept from what has ended or expired', async () => {
    await store.update('a', { concerns: { security: 'high' } });
    expect(sent).toEqual([
      {
        command: 'UpdateItemCommand',
        input: {
          TableName: table,
          Key: { id: { S: 'a' } },
          UpdateExpression: 'SET #0 = :0, #1 = :1',
          ConditionExpression:
            'attribute_not_exists(#expires) OR (attribute_not_exists(#ended) AND #expires > :now)',
          ExpressionAttributeNames: {
            '#0': 'record_concerns',
            '#1': 'expiresAt',
            '#expires': 'expiresAt',
            '#ended': 'ended',
          },
          ExpressionAttributeValues: {
            ':0': { S: '{"security":"high"}' },
            ':1': seconds(3600),
            ':now': seconds(0),
          },
        },
      },
    ]);
  });

  it('an end is one PutItem that leaves nothing of the record', async () => {
    await store.update('a', { concerns: { security: 'high' } });
    sent.length = 0;
    await store.end('a');
    const Item = { id: { S: 'a' }, expiresAt: seconds(3600), ended: { BOOL: true } };
    expect(sent).toEqual([{ command: 'PutItemCommand', input: { TableName: table, Item } }]);
    expect(await dynamo.item(table, 'a')).toEqual(Item);
  });

  it('a read puts off the expiry after some minutes, and touches nothing else', async () => {
    await store.update('a', { concerns: { security: 'high' } });
    sent.length = 0;
    pass(299);
    await store.read('a');
    expect(sent.map(({ command }) => command)).toEqual(['GetItemCommand']);
    pass(1);
    await store.read('a');
    expect(sent.slice(1)).toMatchObject([
      { command: 'GetItemCommand' },
      {
        command: 'UpdateItemCommand',
        input: {
          UpdateExpression: 'SET #0 = :0',
          ConditionExpression: 'attribute_not_exists(#ended) AND #expires = :before',
          ExpressionAttributeNames: { '#0': 'expiresAt', '#expires': 'expiresAt', '#ended': 'ended' },
          ExpressionAttributeValues: { ':0': seconds(3900), ':before': seconds(3600) },
        },
      },
    ]);
    sent.length = 0;
    await store.read('a');
    expect(sent).toHaveLength(1);
  });

  it('every one gives up in time', async () => {
    const client = dynamo.client();
    const send = vi.spyOn(client, 'send');
    const watched = createDynamoStore({ table, client });
    await watched.read('a');
    await watched.update('a', {});
    await watched.end('a');
    expect(send.mock.calls.map(([, options]) => options)).toEqual([
      { abortSignal: expect.any(AbortSignal) },
      { abortSignal: expect.any(AbortSignal) },
      { abortSignal: expect.any(AbortSignal) },
    ]);
  });
});

describe('putting off the expiry', () => {
  /** A store whose first UpdateItem finds that something happened since the read. */
  const openWith = async (
    meanwhile: (table: string) => Promise<unknown>,
  ): Promise<[SessionStore, string]> => {
    const table = await dynamo.table();
    await createDynamoStore({ table, client: dynamo.client(), expiresAfterSeconds: 100 }).update('a', {
      concerns: {},
    });
    const client = dynamo.client();
    injectFaults(client, async ({ command, attempt }) => {
      if (command === 'UpdateItemCommand' && attempt === 0) await meanwhile(table);
      return undefined;
    });
    pass(50);
    return [createDynamoStore({ table, client, expiresAfterSeconds: 100 }), table];
  };
  const other = (table: string): SessionStore =>
    createDynamoStore({ table, client: dynamo.client(), expiresAfterSeconds: 100 });

  it('does not bring back a session that was ended meanwhile', async () => {
    const [store, table] = await openWith((name) => other(name).end('a'));
    expect(await store.read('a')).toMatchObject({ state: 'live' });
    expect(await other(table).read('a')).toEqual({ state: 'ended' });
  });

  it('does not bring back an item that was deleted meanwhile', async () => {
    const [store, table] = await openWith((TableName) =>
      dynamo.client().send(new DeleteItemCommand({ TableName, Key: { id: { S: 'a' } } })),
    );
    await store.read('a');
    expect(await dynamo.item(table, 'a')).toBeUndefined();
  });

  it('does not undo a later expiry, nor an update', async () => {
    const [store, table] = await openWith((name) => {
      pass(20);
      return other(name).update('a', { concerns: { security: 'high' } });
    });
    await store.read('a');
    expect(await dynamo.item(table, 'a')).toMatchObject({
      expiresAt: { N: String(START / 1000 + 170) },
      record_concerns: { S: '{"security":"high"}' },
    });
  });

  it('fails no read', async () => {
    const table = await dynamo.table();
    await other(table).update('a', { concerns: { security: 'high' } });
    const client = dynamo.client();
    injectFaults(client, ({ command }) => (command === 'UpdateItemCommand' ? 'server error' : undefined));
    pass(50);
    const store = createDynamoStore({ table, client, expiresAfterSeconds: 100 });
    expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { security: 'high' } } });
  });
});

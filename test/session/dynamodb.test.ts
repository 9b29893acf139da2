import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoStore, type DynamoStoreOptions } from '../../src/session/dynamodb.js';
import type { SessionStore } from '../../src/session/index.js';
import { type LocalDynamo, startDynamo } from './dynamo.js';
import { type Fault, injectFaults, type Sent } from './faults.js';
import { describeStore } from './store-suite.js';

const START = Date.UTC(2026, 10, 20, 12);
let dynamo: LocalDynamo;
let clock = START;

beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
beforeEach(() => {
  clock = START;
  vi.spyOn(Date, 'now').mockImplementation(() => clock);
  // The SDK waits a random part of up to seconds before it tries again.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});
const pass = (seconds: number): void => {
  clock += seconds * 1000;
};

describeStore('the DynamoDB store', {
  open: async (options) =>
    createDynamoStore({ ...options, table: await dynamo.table(), client: dynamo.client() }),
  pass,
});

describe.each<[string, readonly Fault[]]>([
  ['requests that do not arrive', ['timeout']],
  ['answers that do not come back', ['lost reply']],
  ['throttling', ['throttled']],
  ['failures of the service', ['server error']],
  ['latency', ['latency']],
  ['all of these', ['timeout', 'lost reply', 'throttled', 'server error', 'latency']],
])('under %s', (_what, faults) => {
  describeStore('the DynamoDB store', {
    open: async (options) => {
      const client = dynamo.client();
      // Each request fails twice, and then works.
      injectFaults(client, ({ request, attempt }) =>
        attempt < 2 ? faults[(request + attempt) % faults.length] : undefined,
      );
      return createDynamoStore({ ...options, table: await dynamo.table(), client });
    },
    pass,
  });
});

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
    const { DeleteItemCommand } = await import('@aws-sdk/client-dynamodb');
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

describe('a lost answer', () => {
  it.each(['update', 'update of what has expired', 'end'])(
    'of an %s leaves what one request leaves',
    async (what) => {
      const table = await dynamo.table();
      const client = dynamo.client();
      if (what.includes('expired')) {
        await createDynamoStore({ table, client: dynamo.client(), expiresAfterSeconds: 100 }).update('a', {
          concerns: { security: 'low' },
        });
        pass(101);
      }
      const { attempts } = injectFaults(client, ({ attempt }) => (attempt === 0 ? 'lost reply' : undefined));
      const store = createDynamoStore({ table, client, expiresAfterSeconds: 100 });
      if (what === 'end') await store.end('a');
      else expect(await store.update('a', { listChanged: ['tools'] })).toBe('stored');
      expect(attempts.length).toBeGreaterThan(1);
      const session = await createDynamoStore({ table, client: dynamo.client() }).read('a');
      expect(session).toEqual(
        what === 'end' ? { state: 'ended' } : { state: 'live', record: { listChanged: ['tools'] } },
      );
    },
  );
});

describe('many environments', () => {
  it('each see what the others were told, or something later', async () => {
    const table = await dynamo.table();
    const stores = Array.from({ length: 5 }, () => createDynamoStore({ table, client: dynamo.client() }));
    const pick = (turn: number): SessionStore => stores[turn % stores.length] as SessionStore;
    for (let turn = 0; turn < 50; turn++) {
      await pick(turn).update('a', { concerns: { turn } });
      const seen = await Promise.all(stores.map((store) => store.read('a')));
      for (const session of seen) expect(session).toEqual({ state: 'live', record: { concerns: { turn } } });
    }
  });

  it('may all begin under one id that has expired', async () => {
    const table = await dynamo.table();
    const stores = Array.from({ length: 8 }, () =>
      createDynamoStore({ table, client: dynamo.client(), expiresAfterSeconds: 100 }),
    );
    await stores[0]?.update('a', { listChanged: ['tools'] });
    pass(101);
    const done = await Promise.all(stores.map((store, turn) => store.update('a', { concerns: { turn } })));
    expect(new Set(done)).toEqual(new Set(['stored']));
    expect(await stores[0]?.read('a')).toEqual({
      state: 'live',
      record: { concerns: { turn: expect.any(Number) } },
    });
  });
});

describe('a table that cannot be used', () => {
  const rejects = async (options: Partial<DynamoStoreOptions>): Promise<Error[]> => {
    const store = createDynamoStore({ table: 'nowhere', client: dynamo.client(2), ...options });
    const calls = [store.read('a'), store.update('a', {}), store.end('a')];
    return Promise.all(
      calls.map((call) =>
        call.then(
          () => expect.unreachable(),
          (error: Error) => error,
        ),
      ),
    );
  };

  it('rejects, and says what is wrong', async () => {
    for (const error of await rejects({})) {
      expect(error).toMatchObject({ name: 'DynamoStoreError', code: 'SESSION_STORE_FAILED' });
      expect(error.message).toBe(
        "The session table nowhere could not be used (ResourceNotFoundException); check its name and the function's permissions.",
      );
      expect(error.cause).toMatchObject({ name: 'ResourceNotFoundException' });
    }
  });

  it('rejects when every attempt fails', async () => {
    const client = dynamo.client(3);
    const { attempts } = injectFaults(client, () => 'throttled');
    for (const error of await rejects({ client })) expect(error.message).toContain('(ThrottlingException)');
    expect(attempts).toHaveLength(9);
  });

  it('rejects in time when nothing answers, whatever the client would wait for', async () => {
    const client = { send: () => new Promise<never>(() => undefined) };
    const started = performance.now();
    for (const error of await rejects({ client, timeoutMs: 50 })) {
      expect(error.message).toBe(
        'The session table nowhere gave no answer within 50 ms; check its region and its load.',
      );
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('rejects when the AWS client is not installed, and says so', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    for (const error of await rejects({ client: { send: () => Promise.reject(missing) } })) {
      expect(error.message).toBe('The session store needs the package @aws-sdk/client-dynamodb; install it.');
    }
  });
});

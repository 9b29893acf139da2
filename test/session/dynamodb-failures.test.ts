import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoStore, type DynamoStoreOptions } from '../../src/session/dynamodb.js';
import type { SessionStore } from '../../src/session/store.js';
import { stopClock } from './clock.js';
import { type LocalDynamo, startDynamo } from './dynamo.js';
import { injectFaults } from './faults.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
const pass = stopClock();

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

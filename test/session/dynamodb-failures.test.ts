import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoStore, type DynamoStoreOptions } from '../../src/core/session/dynamodb.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { PATIENCE } from '../patience.js';
import { stopClock } from './clock.js';
import { type LocalDynamo, startDynamo } from './dynamo.js';
import { injectFaults } from './faults.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
const advance = stopClock();

describe('a lost answer to', () => {
  it.each(['update', 'update of an expired session', 'end'])(
    'an %s has the same effect as one request',
    async (request) => {
      const table = await dynamo.table();
      const client = dynamo.client();
      if (request.includes('expired')) {
        await createDynamoStore({
          timeoutMs: PATIENCE.wait,
          table,
          client: dynamo.client(),
          expiresAfterSeconds: 100,
        }).update('a', {
          concerns: { security: 'low' },
        });
        advance(101);
      }
      const { attempts } = injectFaults(client, ({ attempt }) => (attempt === 0 ? 'lost reply' : undefined));
      const store = createDynamoStore({ timeoutMs: PATIENCE.wait, table, client, expiresAfterSeconds: 100 });
      if (request === 'end') await store.end('a');
      else expect(await store.update('a', { listChanged: ['tools'] })).toBe('stored');
      expect(attempts.length).toBeGreaterThan(1);
      const session = await createDynamoStore({
        timeoutMs: PATIENCE.wait,
        table,
        client: dynamo.client(),
      }).read('a');
      expect(session).toEqual(
        request === 'end' ? { state: 'ended' } : { state: 'live', record: { listChanged: ['tools'] } },
      );
    },
  );
});

describe('several processes', () => {
  it("see each other's updates", async () => {
    const table = await dynamo.table();
    const stores = Array.from({ length: 5 }, () =>
      createDynamoStore({ timeoutMs: PATIENCE.wait, table, client: dynamo.client() }),
    );
    const pick = (round: number): SessionStore => {
      const store = stores[round % stores.length];
      if (store === undefined) throw new Error('There is no store.');
      return store;
    };
    for (let round = 0; round < 50; round++) {
      await pick(round).update('a', { concerns: { round } });
      const seen = await Promise.all(stores.map((store) => store.read('a')));
      for (const session of seen) expect(session).toEqual({ state: 'live', record: { concerns: { round } } });
    }
  });

  it('can all update one expired session at the same time', async () => {
    const table = await dynamo.table();
    const stores = Array.from({ length: 8 }, () =>
      createDynamoStore({
        timeoutMs: PATIENCE.wait,
        table,
        client: dynamo.client(),
        expiresAfterSeconds: 100,
      }),
    );
    await stores[0]?.update('a', { listChanged: ['tools'] });
    advance(101);
    const done = await Promise.all(stores.map((store, round) => store.update('a', { concerns: { round } })));
    expect(new Set(done)).toEqual(new Set(['stored']));
    expect(await stores[0]?.read('a')).toEqual({
      state: 'live',
      record: { concerns: { round: expect.any(Number) } },
    });
  });
});

describe('a table that cannot be used', () => {
  const rejects = async (options: Partial<DynamoStoreOptions>): Promise<Error[]> => {
    const store = createDynamoStore({
      timeoutMs: PATIENCE.wait,
      table: 'nowhere',
      client: dynamo.client(2),
      ...options,
    });
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

  it('rejects with the reason', async () => {
    for (const error of await rejects({})) {
      expect(error).toMatchObject({ name: 'DynamoStoreError', code: 'SESSION_STORE_FAILED' });
      expect(error.message).toBe(
        'The session table nowhere cannot be used (ResourceNotFoundException). Check its name, its region, and the credentials and permissions of this process.',
      );
      expect(error.cause).toMatchObject({ name: 'ResourceNotFoundException' });
    }
  });

  it('rejects if every attempt fails', async () => {
    const client = dynamo.client(3);
    const { attempts } = injectFaults(client, () => 'throttled');
    for (const error of await rejects({ client })) expect(error.message).toContain('(ThrottlingException)');
    expect(attempts).toHaveLength(9);
  });

  it('rejects after the timeout if the client never answers', async () => {
    const client = { send: () => new Promise<never>(() => undefined) };
    for (const error of await rejects({ client, timeoutMs: 50 })) {
      expect(error.message).toBe(
        'The session table nowhere did not answer within 50 ms. Check its region and its load.',
      );
    }
  });

  it('rejects with an install command if the AWS client is not installed', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    for (const error of await rejects({ client: { send: () => Promise.reject(missing) } })) {
      expect(error.message).toBe(
        'The session store needs the package @aws-sdk/client-dynamodb. Run "npm install @aws-sdk/client-dynamodb".',
      );
    }
  });
});

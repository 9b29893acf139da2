import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRedisStore } from '../../src/core/session/redis.js';
import { testSessionStore } from '../../src/core/session/testing.js';
import { PATIENCE } from '../patience.js';
import { REDIS, type RedisServer, startRedis, WITHOUT_REDIS } from './redis-server.js';

describe.skipIf(REDIS === undefined)(`the Redis store (${WITHOUT_REDIS})`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());
  beforeEach(() => redis.empty());

  it('does what every session store must do', async () => {
    await testSessionStore(
      async (options) => {
        await redis.empty();
        return createRedisStore({ timeoutMs: PATIENCE.wait, ...options, url: redis.url });
      },
      (seconds) => redis.advance(seconds),
    );
  });

  it('does so with a client that was passed, too', async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    await testSessionStore(
      async (options) => {
        await redis.empty();
        return createRedisStore({ timeoutMs: PATIENCE.wait, ...options, client });
      },
      (seconds) => redis.advance(seconds),
    );
    client.destroy();
  });

  it('shares sessions among processes, and reads what another wrote last', async () => {
    const [one, other] = [
      createRedisStore({ timeoutMs: PATIENCE.wait, url: redis.url }),
      createRedisStore({ timeoutMs: PATIENCE.wait, url: redis.url }),
    ];
    for (const security of ['low', 'high']) {
      await one.update('a', { concerns: { security } });
      expect(await other.read('a')).toEqual({ state: 'live', record: { concerns: { security } } });
    }
    await other.end('a');
    expect(await one.update('a', {})).toBe('ended');
  });

  it('keeps a session for a day after its last use', async () => {
    const store = createRedisStore({ timeoutMs: PATIENCE.wait, url: redis.url });
    await store.update('a', {});
    await redis.advance(86_000);
    expect(await store.read('a')).toEqual({ state: 'live', record: {} });
    await redis.advance(86_000);
    expect(await store.read('a')).toEqual({ state: 'live', record: {} });
    await redis.advance(86_500);
    expect(await store.read('a')).toEqual({ state: 'unknown' });
  });
});

describe.skipIf(REDIS === undefined)(`while Redis fails, the store (${WITHOUT_REDIS})`, () => {
  const PAUSE_MS = 2100;
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

  it('rejects at once where nothing listens, says where, and hides the password', async () => {
    const store = createRedisStore({ url: 'redis://:hush@127.0.0.1:1' });
    const failed = await store.read('a').catch((cause) => cause);
    expect(failed).toMatchObject({ code: 'REDIS_STORE_FAILED', name: 'RedisStoreError' });
    expect(failed.message).toMatch(/^Redis at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\)\./);
  });

  it('says that the password is wrong', async () => {
    const redis = await startRedis();
    const { port } = new URL(redis.url);
    const admin = createClient({ url: redis.url });
    await admin.connect();
    await admin.configSet('requirepass', 'right');
    const store = createRedisStore({ url: `redis://:wrong@127.0.0.1:${port}` });
    await expect(store.read('a')).rejects.toThrow(/cannot be used \(WRONGPASS\)/);
    admin.destroy();
    await redis.close();
  });

  it('works again after a restart of Redis', async () => {
    const first = await startRedis();
    const store = createRedisStore({ url: first.url });
    await expect.poll(() => store.update('a', {}).catch(String)).toBe('stored');
    await first.close();
    await expect(store.read('a')).rejects.toThrow(/cannot be used/);
    const second = await startRedis(Number(new URL(first.url).port));
    await pause();
    await expect.poll(() => store.read('a').catch(String)).toEqual({ state: 'unknown' });
    await second.close();
  });

  it('gives up a Redis that hangs after its time, and works again when it goes on', async () => {
    const redis = await startRedis();
    const store = createRedisStore({ url: redis.url });
    await expect.poll(() => store.update('a', { listChanged: ['tools'] }).catch(String)).toBe('stored');
    redis.child.kill('SIGSTOP');
    await expect(store.read('a')).rejects.toThrow(/did not answer within 800 ms/);
    redis.child.kill('SIGCONT');
    await pause();
    await expect
      .poll(() => store.read('a').catch(String))
      .toEqual({ state: 'live', record: { listChanged: ['tools'] } });
    await redis.close();
  });
});

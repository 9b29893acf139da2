import { describe, expect, it } from 'vitest';
import { createRedisStore } from '../../src/core/session/redis.js';
import { limitCalls } from '../../src/core/session/table-calls.js';
import { read } from '../../src/core/wire/messages.js';

/** As the client of Redis has it: without a name. */
class SimpleError extends Error {}
class StoreError extends Error {}

const refusedBy = async (write: Promise<unknown>): Promise<unknown> =>
  write.then(
    () => 'stored',
    (cause) => read(cause, 'refused'),
  );
const words = { table: 'The table', user: 'The store', check: 'its region', package: 'a-client' };

describe('a failed write says whether it was refused', () => {
  it.each<[string, Error, boolean]>([
    ['an answer of Redis', new SimpleError('NOPERM this user has no permissions'), true],
    ['a connection of Redis that broke', new Error('Socket closed unexpectedly'), false],
    ['a message of this process that only looks like a code', new Error('NO connection'), false],
  ])('%s', async (_what, cause, expected) => {
    const store = createRedisStore({ client: { eval: () => Promise.reject(cause) } });
    expect(await refusedBy(store.update('a', {}))).toBe(expected);
  });

  it.each<[string, object, boolean]>([
    ['a client that may not write', { name: 'AccessDeniedException', $fault: 'client' }, true],
    ['a service that failed', { name: 'InternalServerError', $fault: 'server' }, false],
    ['a connection that broke', { code: 'ECONNRESET' }, false],
    ['a client that is not installed', { code: 'ERR_MODULE_NOT_FOUND' }, true],
  ])('of AWS: %s', async (_what, members, expected) => {
    const run = limitCalls({ ms: 1000, loadMs: 1000 }, words, StoreError, async () => undefined);
    const cause = Object.assign(new Error('no'), members);
    expect(await refusedBy(run(() => Promise.reject(cause), 'write'))).toBe(expected);
  });

  it('one that was given up may still arrive, and one that was never sent will not', async () => {
    const run = limitCalls({ ms: 20, loadMs: 20 }, words, StoreError, async () => undefined);
    const hang = () => run(() => new Promise(() => undefined), 'write');
    expect(await refusedBy(hang())).toBe(false);
    expect(await refusedBy(hang())).toBe(true);
  });
});

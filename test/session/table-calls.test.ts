import { expect, it } from 'vitest';
import { limitCalls } from '../../src/core/session/table-calls.js';

const words = { table: 'The table t', user: 'The store', check: 'its name', package: 'the-client' };
const limited = (load = async () => {}) => limitCalls({ ms: 50, loadMs: 500 }, words, Error, load);
const failing = (properties: object) => () => Promise.reject(Object.assign(new Error('no'), properties));

it.each([
  ['refuses connections', failing({ code: 'ECONNREFUSED' })],
  ['does not answer an attempt', failing({ name: 'TimeoutError' })],
  ['fails inside', failing({ name: 'InternalServerError', $fault: 'server' })],
  ['is throttled', failing({ name: 'ThrottlingException', $fault: 'client' })],
  ['has no capacity left', failing({ name: 'ProvisionedThroughputExceededException', $fault: 'client' })],
  ['does not answer at all', () => new Promise(() => undefined)],
])('does not ask a table again at once that %s', async (_what, call) => {
  const withLimit = limited();
  await expect(withLimit(call)).rejects.toThrow();
  let asked = false;
  await expect(
    withLimit(async () => {
      asked = true;
    }),
  ).rejects.toThrow(/failed \d+ ms ago, so it was not asked again yet/);
  expect(asked).toBe(false);
});

it('looks once, and shortly, after a write that was not answered', async () => {
  const withLimit = limited();
  const down = failing({ code: 'ECONNRESET' });
  await expect(withLimit(down, 'write')).rejects.toThrow();
  await expect(withLimit(down, 'write')).rejects.toThrow(/was not asked again/);
  expect(await withLimit(async () => 'stored')).toBe('stored');
  await expect(withLimit(down, 'write')).rejects.toThrow();
  await expect(withLimit(() => new Promise(() => undefined))).rejects.toThrow('within 10 ms');
  await expect(withLimit(async () => 'stored')).rejects.toThrow(/was not asked again/);
});

it.each([
  ['answers with an error', failing({ name: 'ValidationException', $fault: 'client', $metadata: {} })],
  ['cannot be asked without its package', failing({ code: 'ERR_MODULE_NOT_FOUND' })],
  ['is written by others meanwhile', failing({})],
])('asks a table again that %s', async (_what, call) => {
  const withLimit = limited();
  await expect(withLimit(call)).rejects.toThrow();
  expect(await withLimit(async () => 'answer')).toBe('answer');
});

it('gives the client time of its own to load, which the first call does not have', async () => {
  const slow = limited(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(await slow(async () => 'stored')).toBe('stored');
  await expect(limited()(() => new Promise(() => undefined))).rejects.toThrow('within 50 ms');
});

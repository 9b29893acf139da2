import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deadlineOf } from '../../src/core/lambda/deadline.js';
import { LATE, substituteResponse } from '../../src/core/lambda/substitute-responses.js';
import { beforeAbort } from '../../src/core/session/before-abort.js';
import { rpc } from './events.js';

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const never = new Promise<never>(() => undefined);

  it('fires half a second before Lambda ends the invocation', async () => {
    const { signal } = deadlineOf({ getRemainingTimeInMillis: () => 29_000 });
    const waiting = beforeAbort(never, signal);
    waiting.catch(() => undefined);
    vi.advanceTimersByTime(28_499);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    await expect(waiting).rejects.toMatchObject({
      name: 'LateError',
      message: 'The server did not answer within the 29 s that the function may run.',
    });
  });

  it('fires immediately if no time is left', async () => {
    const { signal } = deadlineOf({ getRemainingTimeInMillis: () => 100 });
    vi.advanceTimersByTime(0);
    await expect(beforeAbort(never, signal)).rejects.toMatchObject({ code: 'DEADLINE_REACHED' });
  });

  it('does not fire after it was cleared, or if the context does not tell the remaining time', () => {
    const { signal, clear } = deadlineOf({ getRemainingTimeInMillis: () => 1000 });
    clear();
    const none = deadlineOf({});
    none.clear();
    vi.advanceTimersByTime(3_600_000);
    expect([signal.aborted, none.signal.aborted, vi.getTimerCount()]).toEqual([false, false, 0]);
  });

  it('passes on results and errors that arrive in time', async () => {
    const { signal, clear } = deadlineOf({ getRemainingTimeInMillis: () => 1000 });
    expect(await beforeAbort(Promise.resolve('done'), signal)).toBe('done');
    await expect(beforeAbort(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
    clear();
  });
});

describe('the response instead of a late one', () => {
  const error = { code: -32001, message: expect.stringContaining('did not answer in time') };

  it.each<[string, unknown]>([
    [JSON.stringify(rpc('ping', {}, 7)), { jsonrpc: '2.0', id: 7, error }],
    [JSON.stringify(rpc('ping', {}, 'a')), { jsonrpc: '2.0', id: 'a', error }],
    [
      JSON.stringify([rpc('ping', {}, 1), { jsonrpc: '2.0', method: 'x' }, rpc('ping', {}, 2)]),
      [
        { jsonrpc: '2.0', id: 1, error },
        { jsonrpc: '2.0', id: 2, error },
      ],
    ],
  ])(
    'contains a JSON-RPC error for each request, as a batch if they were a batch: %s',
    async (body, sent) => {
      const response = substituteResponse(body, LATE);
      expect([response.status, await response.json()]).toEqual([200, sent]);
    },
  );

  it.each([
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    JSON.stringify({ jsonrpc: '2.0', id: 7, result: {} }),
    JSON.stringify(rpc('ping', {}, { no: 'id' })),
    '[]',
    'null',
    '{',
    '',
  ])('is an HTTP error if there were no requests: %s', async (body) => {
    const response = substituteResponse(body, LATE);
    expect([response.status, await response.json()]).toEqual([504, { jsonrpc: '2.0', id: null, error }]);
  });
});

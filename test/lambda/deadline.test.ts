import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { trackAnswers } from '../../src/lambda/answer-tracker.js';
import { deadlineOf } from '../../src/lambda/deadline.js';
import { LATE, requestIds, substituteResponse } from '../../src/lambda/substitute-responses.js';
import { beforeAbort } from '../../src/session/before-abort.js';
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

describe('the request ids of a body', () => {
  it.each<[string, unknown]>([
    [JSON.stringify(rpc('ping', {}, 7)), 7],
    [JSON.stringify(rpc('ping', {}, 'a')), 'a'],
    [JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), undefined],
    [JSON.stringify({ jsonrpc: '2.0', id: 7, result: {} }), undefined],
    [JSON.stringify(rpc('ping', {}, { no: 'id' })), undefined],
    [JSON.stringify([rpc('ping', {}, 1), { jsonrpc: '2.0', method: 'x' }, rpc('ping', {}, 2)]), [1, 2]],
    ['[]', []],
    ['null', undefined],
    ['{', undefined],
    ['', undefined],
  ])('%s are %j', (body, ids) => {
    expect(requestIds(body)).toEqual(ids);
  });
});

describe('the response instead of a late one', () => {
  it('contains a JSON-RPC error for each request, as a batch if they were a batch', async () => {
    const error = { code: -32001, message: expect.stringContaining('did not answer in time') };
    const one = substituteResponse('a', LATE);
    expect([one.status, await one.json()]).toEqual([200, { jsonrpc: '2.0', id: 'a', error }]);
    expect(await substituteResponse([1, 2], LATE).json()).toEqual([
      { jsonrpc: '2.0', id: 1, error },
      { jsonrpc: '2.0', id: 2, error },
    ]);
  });

  it.each([[undefined], [[]]])('is an HTTP error if there were no requests', (ids) => {
    expect(substituteResponse(ids, LATE).status).toBe(504);
  });
});

describe('the answer tracker of an event stream', () => {
  const stream = (type = 'text/event-stream') => new Response('', { headers: { 'content-type': type } });
  const piece = (message: object) => Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

  it('finds the requests of a batch without an answer', () => {
    const answers = trackAnswers(() => [1, 'a', 3], stream());
    answers.see(piece({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }));
    answers.see(piece({ jsonrpc: '2.0', id: 'a', result: {} }));
    answers.see(piece({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' }));
    answers.see(Buffer.from(': keepalive\n\ndata: {\n\n'));
    expect(answers.missing()).toEqual([1, 3]);
  });

  it('treats a single request as unanswered until the stream ends', () => {
    expect(trackAnswers(() => 1, stream()).missing()).toEqual([1]);
    expect(trackAnswers(() => undefined, stream()).missing()).toEqual([]);
  });

  it('tracks nothing for bodies of other types', () => {
    expect(trackAnswers(() => [1], stream('application/json')).missing()).toEqual([]);
  });
});

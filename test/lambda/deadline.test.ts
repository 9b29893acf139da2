import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerInstead, LATE, requestIds } from '../../src/lambda/substitute-responses.js';
import { deadlineOf, inTime } from '../../src/lambda/deadline.js';
import { unanswered } from '../../src/lambda/answer-tracker.js';
import { rpc } from './events.js';

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const never = new Promise<never>(() => undefined);

  it('comes half a second before the platform cuts', async () => {
    const { signal } = deadlineOf({ getRemainingTimeInMillis: () => 29_000 });
    const waiting = inTime(never, signal);
    waiting.catch(() => undefined);
    vi.advanceTimersByTime(28_499);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    await expect(waiting).rejects.toMatchObject({
      name: 'LateError',
      message: 'No answer within the 29 s that the function may take.',
    });
  });

  it('is over at once where there is no time left', async () => {
    const { signal } = deadlineOf({ getRemainingTimeInMillis: () => 100 });
    vi.advanceTimersByTime(0);
    await expect(inTime(never, signal)).rejects.toMatchObject({ code: 'DEADLINE_REACHED' });
  });

  it('does not come once it was cleared, nor without a context that knows of one', () => {
    const { signal, clear } = deadlineOf({ getRemainingTimeInMillis: () => 1000 });
    clear();
    const none = deadlineOf({});
    none.clear();
    vi.advanceTimersByTime(3_600_000);
    expect([signal.aborted, none.signal.aborted, vi.getTimerCount()]).toEqual([false, false, 0]);
  });

  it('lets through what comes before it', async () => {
    const { signal, clear } = deadlineOf({ getRemainingTimeInMillis: () => 1000 });
    expect(await inTime(Promise.resolve('done'), signal)).toBe('done');
    await expect(inTime(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
    clear();
  });
});

describe('the requests of a body', () => {
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

describe('an answer in the place of one that is late', () => {
  it('is a JSON-RPC error for each request, in the form that they came in', async () => {
    const error = { code: -32001, message: expect.stringContaining('did not answer in time') };
    const one = answerInstead('a', LATE);
    expect([one.status, await one.json()]).toEqual([200, { jsonrpc: '2.0', id: 'a', error }]);
    expect(await answerInstead([1, 2], LATE).json()).toEqual([
      { jsonrpc: '2.0', id: 1, error },
      { jsonrpc: '2.0', id: 2, error },
    ]);
  });

  it.each([[undefined], [[]]])('acknowledges nothing where nothing was asked', (ids) => {
    expect(answerInstead(ids, LATE).status).toBe(504);
  });
});

describe('an event stream', () => {
  const stream = (type = 'text/event-stream') => new Response('', { headers: { 'content-type': type } });
  const piece = (message: object) => Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

  it('leaves unanswered what it did not answer', () => {
    const open = unanswered(() => [1, 'a', 3], stream());
    open.see(piece({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }));
    open.see(piece({ jsonrpc: '2.0', id: 'a', result: {} }));
    open.see(piece({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' }));
    open.see(Buffer.from(': keepalive\n\ndata: {\n\n'));
    expect(open.ids()).toEqual([1, 3]);
  });

  it('of one request that has not ended did not answer it', () => {
    expect(unanswered(() => 1, stream()).ids()).toEqual([1]);
    expect(unanswered(() => undefined, stream()).ids()).toEqual([]);
  });

  it('is the only body that an error fits into', () => {
    expect(unanswered(() => [1], stream('application/json')).ids()).toEqual([]);
  });
});

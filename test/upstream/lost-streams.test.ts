import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LatestEvents, LostCalls } from '../../src/proxy/sessions/lost-streams.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const MINUTE = 60_000;

function lostCalls(...open: number[]) {
  const cancelled: unknown[] = [];
  const lost = new LostCalls({
    isOpen: (id) => open.includes(Number(id)),
    cancel: (ids) => void cancelled.push(...ids),
  });
  return { lost, cancelled };
}

describe('a call whose stream ended before the answer', () => {
  it('is cancelled after five minutes without one', () => {
    const { lost, cancelled } = lostCalls(1);
    lost.streamEnded([1, 2]);
    vi.advanceTimersByTime(5 * MINUTE - 1);
    expect(cancelled).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(cancelled).toEqual([1]);
  });

  it('runs on for as long as its host has a stream, and five minutes more', () => {
    const { lost, cancelled } = lostCalls(1);
    lost.streamEnded([1]);
    const ended = lost.resumed();
    vi.advanceTimersByTime(60 * MINUTE);
    expect(cancelled).toEqual([]);
    ended();
    vi.advanceTimersByTime(5 * MINUTE);
    expect(cancelled).toEqual([1]);
  });

  it('does not cancel anything if all were answered', () => {
    const { lost, cancelled } = lostCalls();
    lost.streamEnded([1]);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(cancelled).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the latest events of a session', () => {
  const message = (text: string) =>
    ({ jsonrpc: '2.0', method: 'notifications/message', params: { text } }) as const;

  it('are sent again in order, and only those of the stream', async () => {
    const events = new LatestEvents();
    const first = await events.storeEvent('a', message('1'));
    await events.storeEvent('b', message('2'));
    await events.storeEvent('a', message('3'));
    await events.storeEvent('a', message('4'));
    const sent: unknown[] = [];
    const send = async (_id: string, each: object) => void sent.push(each);
    expect(await events.replayEventsAfter(first, { send })).toBe('a');
    expect(sent).toEqual([message('3'), message('4')]);
  });

  it('forget the oldest, and never the latest, however long it is', async () => {
    const events = new LatestEvents();
    const half = 'x'.repeat(9 * 1024 * 1024);
    const first = await events.storeEvent('a', message(half));
    const second = await events.storeEvent('a', message(half));
    expect([events.has(first), events.has(second)]).toEqual([false, true]);
  });

  it('are not those of another process', async () => {
    const id = await new LatestEvents().storeEvent('a', message('1'));
    const other = new LatestEvents();
    await other.storeEvent('a', message('2'));
    expect(other.has(id)).toBe(false);
  });
});

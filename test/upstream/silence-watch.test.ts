import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SilenceWatch, type WatchedConnection } from '../../src/proxy/silence-watch.js';

const SILENCE_MS = 6000;
const INTERVALS = 6;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watched connection on which a client waits, and what the watch did with it. */
function watched(seen: Partial<WatchedConnection> = {}, silenceMs = SILENCE_MS) {
  const done: string[] = [];
  const connection: WatchedConnection = {
    isAwaited: () => true,
    isCalled: () => false,
    processorMs: () => undefined,
    ping: () => done.push('ping'),
    end: (reason) => {
      done.push(reason);
      watch.stop();
    },
    ...seen,
  };
  const watch = new SilenceWatch(silenceMs, connection);
  watch.start();
  watch.asked();
  const pass = (intervals: number): void => void vi.advanceTimersByTime((intervals * silenceMs) / INTERVALS);
  return { watch, done, pass };
}

const ended = (seconds: number) => `it sent nothing for ${seconds} s, and did not answer a ping`;

describe('a server that is silent while a client waits', () => {
  it('is pinged first, and given up when it does not answer', () => {
    const { done, pass } = watched();
    pass(3);
    expect(done).toEqual([]);
    pass(1);
    expect(done).toEqual(['ping']);
    pass(2);
    expect(done).toEqual(['ping']);
    pass(1);
    expect(done).toEqual(['ping', ended(7)]);
  });

  it('has its whole time again when it sends anything', () => {
    const { watch, done, pass } = watched();
    pass(6);
    watch.heard();
    pass(6);
    expect(done).toEqual(['ping', 'ping']);
  });

  it('is not judged while nothing is read from it', () => {
    const { watch, done, pass } = watched();
    watch.pause(true);
    pass(100);
    expect(done).toEqual([]);
    watch.pause(false);
    pass(7);
    expect(done).toEqual(['ping', ended(7)]);
  });

  it('has five times as long while a tool runs, and is then given up at once', () => {
    const { done, pass } = watched({ isCalled: () => true });
    pass(30);
    expect(done).toEqual(['ping']);
    pass(1);
    expect(done).toEqual(['ping', ended(31)]);
  });

  it('has thirty times as long while the tool uses the processor', () => {
    let used = 0;
    const { done, pass } = watched({
      isCalled: () => true,
      processorMs: () => {
        used += 50;
        return used;
      },
    });
    pass(180);
    expect(done).toEqual(['ping']);
    pass(1);
    expect(done).toEqual(['ping', ended(181)]);
  });

  it('gets no more time for work that other programs may have done', () => {
    let used = 0;
    const { done, pass } = watched({
      isCalled: () => true,
      processorMs: () => {
        used += 49;
        return used;
      },
    });
    pass(31);
    expect(done).toEqual(['ping', ended(31)]);
  });

  it.each([
    [10, 31],
    [20, 181],
  ])('is not at work for one tick of the clock in a short interval: %i ms', (tick, intervals) => {
    let used = 0;
    const { done, pass } = watched(
      {
        isCalled: () => true,
        processorMs: () => {
          used += tick;
          return used;
        },
      },
      1200,
    );
    pass(intervals - 1);
    expect(done).toEqual(['ping']);
    pass(1);
    expect(done).toEqual(['ping', ended(Math.round(intervals / 5))]);
  });

  it('has its time from when it last used the processor', () => {
    let looks = 0;
    const { done, pass } = watched({
      isCalled: () => true,
      // It works for ten intervals.
      processorMs: () => Math.min(++looks, 10) * 50,
    });
    pass(40);
    expect(done).toEqual(['ping']);
    pass(1);
    expect(done).toEqual(['ping', ended(41)]);
  });
});

describe('a server for which nobody waits', () => {
  it('may be silent for as long as it likes after it was heard', () => {
    const { watch, done, pass } = watched({ isAwaited: () => false });
    watch.heard();
    pass(1000);
    expect(done).toEqual([]);
  });

  it('is still given up if it was silent until its callers left', () => {
    const { done, pass } = watched({ isAwaited: () => false });
    pass(7);
    expect(done).toEqual(['ping', ended(7)]);
  });
});

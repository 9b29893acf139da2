import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/core/once.js';
import {
  type LiveSession,
  LiveSessions,
  type SessionLimits,
} from '../../src/proxy/sessions/live-sessions.js';

/** A session whose state a test sets. */
class Session implements LiveSession {
  usedAt = 0;
  isBusy = false;
  isAnswering = false;
  readonly events: string[] = [];

  async answerAll(waitMs: number): Promise<void> {
    this.events.push(`answer within ${waitMs}`);
  }

  async close(): Promise<void> {
    this.events.push('close');
  }
}

function setUp(limits: Omit<SessionLimits, 'now'> = {}) {
  const clock = { now: 0 };
  const live = new LiveSessions<Session>({ ...limits, now: () => clock.now });
  const evicted: Session[] = [];
  const open = (key: string, state: Partial<Session> = {}): Promise<Session | undefined> =>
    live.open(
      key,
      async () => Object.assign(new Session(), { usedAt: clock.now }, state),
      (session) => evicted.push(session),
    );
  const keys = (...all: string[]): string[] => all.filter((key) => live.get(key) !== undefined);
  return { clock, live, evicted, open, keys };
}

it('does not bring back a session that has ended', async () => {
  const { live, open, keys } = setUp();
  const session = await open('a');
  if (session === undefined) throw new Error('There is room for one.');
  expect(live.use('a', session)).toBe(true);
  live.delete('a');
  expect(live.use('a', session)).toBe(false);
  expect(keys('a')).toEqual([]);
});

describe('a new session that is one too many', () => {
  it('takes the place of the least recently used one', async () => {
    const { live, open, keys, evicted } = setUp({ maxSessions: 2 });
    const [a, b] = [await open('a'), await open('b')];
    if (a === undefined || b === undefined) throw new Error('There is room for two.');
    live.use('a', a);
    await open('c');
    expect(keys('a', 'b', 'c')).toEqual(['a', 'c']);
    expect(evicted).toEqual([b]);
    expect([a.events, b.events]).toEqual([[], ['close']]);
  });

  it('takes that of one with an open stream only if all have one, and of one that answers never', async () => {
    const { open, keys } = setUp({ maxSessions: 3 });
    await open('answers', { isBusy: true, isAnswering: true });
    await open('stream', { isBusy: true });
    await open('quiet');
    await open('first', { isBusy: true, isAnswering: true });
    expect(keys('answers', 'stream', 'quiet', 'first')).toEqual(['answers', 'stream', 'first']);
    await open('second', { isBusy: true, isAnswering: true });
    expect(keys('answers', 'stream', 'first', 'second')).toEqual(['answers', 'first', 'second']);
    expect(await open('third')).toBeUndefined();
    expect(keys('answers', 'first', 'second', 'third')).toEqual(['answers', 'first', 'second']);
  });

  it('is opened after the other one has ended, and what is due for that is done', async () => {
    const live = new LiveSessions<Session>({ maxSessions: 1 });
    const closing = deferred();
    const evicting = deferred();
    const events: string[] = [];
    const make = (name: string) => async (): Promise<Session> => {
      events.push(`opens ${name}`);
      return Object.assign(new Session(), { close: () => closing.promise });
    };
    await live.open('a', make('a'), () => undefined);
    const opened = live.open('b', make('b'), () => evicting.promise);
    expect([live.size, events]).toEqual([0, ['opens a']]);
    evicting.resolve();
    await evicting.promise;
    events.push('closed');
    closing.resolve();
    await opened;
    expect(events).toEqual(['opens a', 'closed', 'opens b']);
  });

  it('counts those that are being opened', async () => {
    const live = new LiveSessions<Session>({ maxSessions: 1 });
    const made = deferred<Session>();
    const first = live.open(
      'a',
      () => made.promise,
      () => undefined,
    );
    const second = live.open(
      'b',
      async () => new Session(),
      () => undefined,
    );
    expect(await second).toBeUndefined();
    made.resolve(new Session());
    await first;
    expect(live.size).toBe(1);
  });

  it('leaves its place if it cannot be opened', async () => {
    const { live, open } = setUp({ maxSessions: 1 });
    const failing = live.open(
      'a',
      () => Promise.reject(new Error('no server')),
      () => undefined,
    );
    await expect(failing).rejects.toThrow('no server');
    expect(await open('b')).toBeInstanceOf(Session);
  });
});

it('ends eight sessions in use to make room, then one in ten seconds, but any that nobody used for ten', async () => {
  const { clock, open } = setUp({ maxSessions: 1 });
  await open('first');
  for (let n = 0; n < 8; n++) expect(await open(`${n}`)).toBeInstanceOf(Session);
  expect(await open('ninth')).toBeUndefined();
  clock.now = 9_999;
  expect(await open('early')).toBeUndefined();
  clock.now = 10_001;
  expect(await open('unused')).toBeInstanceOf(Session);
  expect(await open('in use')).toBeInstanceOf(Session);
  expect(await open('too many')).toBeUndefined();
});

it('ends idle sessions, and none with an open stream', async () => {
  const { clock, live, open, keys } = setUp({ idleMs: 1000 });
  await open('idle');
  await open('stream', { isBusy: true });
  clock.now = 1000;
  live.endIdle();
  expect(keys('idle', 'stream')).toEqual(['idle', 'stream']);
  clock.now = 1001;
  await open('new');
  live.endIdle();
  expect(keys('idle', 'stream', 'new')).toEqual(['stream', 'new']);
});

it('lets all answer before it ends them, also one that is just being opened', async () => {
  const { live, open } = setUp();
  const before = await open('before');
  const made = deferred<Session>();
  const late = new Session();
  const opening = live.open(
    'late',
    () => made.promise,
    () => undefined,
  );
  const closed = live.close(50);
  made.resolve(late);
  await Promise.all([opening, closed]);
  expect(before?.events).toEqual(['answer within 50', 'close']);
  expect(late.events).toEqual(['close']);
  expect(live.size).toBe(0);
});

it('keeps those that a list in the order of use keeps', async () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), does: fc.constantFrom('use', 'end') }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (maxSessions, asked) => {
      const { clock, live, open, keys } = setUp({ maxSessions });
      let order: string[] = [];
      for (const { key, does } of asked) {
        clock.now += 20_000;
        const known = live.get(key);
        order = order.filter((each) => each !== key);
        if (does === 'end') await live.end(key);
        else if (known === undefined) await open(key);
        else live.use(key, known);
        if (does === 'use') order = [...order, key].slice(-maxSessions);
        expect(keys('a', 'b', 'c', 'd', 'e')).toEqual([...order].sort());
      }
    }),
    { numRuns: 300 },
  );
});

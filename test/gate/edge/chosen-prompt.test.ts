import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isChosen } from '../../../src/core/gate/edge/chosen-prompt.js';
import type {
  PrincipalPreferences,
  SessionPreferences,
} from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

const TOGETHER = 200;

interface Connected {
  readonly preferences: SessionPreferences;
  readonly principal: PrincipalPreferences | undefined;
}
const here = (principal?: PrincipalPreferences): Connected => ({
  preferences: { place: 'connection', record: {} },
  principal,
});

/** Asks for prompts at the same time, each on a connection, and returns which of them a person chose. */
async function ask(...asked: readonly (readonly [Connected, string])[]): Promise<boolean[]> {
  const answers = Promise.all(asked.map(([connection, name]) => isChosen(connection, name)));
  await vi.advanceTimersByTimeAsync(TOGETHER);
  return answers;
}

describe('a prompt', () => {
  it('is chosen if it is the only one, also several times, and again', async () => {
    const one = here();
    expect(await ask([one, 'a'])).toEqual([true]);
    expect(await ask([one, 'a'], [one, 'a'])).toEqual([true, true]);
    expect(await ask([one, 'b'])).toEqual([true]);
  });

  it('is not chosen if the host asks for another one at the same time', async () => {
    const one = here();
    expect(await ask([one, 'a'], [one, 'b'], [one, 'a'])).toEqual([false, false, false]);
    expect(await ask([one, 'a'])).toEqual([true]);
  });

  it('is not chosen if the host asks for another one before the first is answered', async () => {
    const one = here();
    const first = isChosen(one, 'a');
    await vi.advanceTimersByTimeAsync(TOGETHER - 1);
    const second = isChosen(one, 'b');
    await vi.advanceTimersByTimeAsync(1);
    expect(await first).toBe(false);
    // The second one still waits, so the burst goes on.
    const third = isChosen(one, 'b');
    await vi.advanceTimersByTimeAsync(TOGETHER);
    expect([await second, await third]).toEqual([false, false]);
  });

  it('is chosen if the first one is answered already', async () => {
    const one = here();
    const first = isChosen(one, 'a');
    await vi.advanceTimersByTimeAsync(TOGETHER);
    expect(await first).toBe(true);
    expect(await ask([one, 'b'])).toEqual([true]);
  });
});

describe('prompts on several connections', () => {
  const store = createMemoryStore();
  const session = (id: string): Connected => ({
    preferences: { place: 'store', store, id },
    principal: undefined,
  });

  it('are apart if each connection keeps its own preferences', async () => {
    expect(await ask([here(), 'a'], [here(), 'b'])).toEqual([true, true]);
    const none = (): Connected => ({ preferences: { place: 'none' }, principal: { place: 'none' } });
    expect(await ask([none(), 'a'], [none(), 'b'])).toEqual([true, true]);
  });

  it('are together if they are of one session in a store', async () => {
    expect(await ask([session('s'), 'a'], [session('s'), 'b'])).toEqual([false, false]);
    expect(await ask([session('s'), 'a'], [session('t'), 'b'])).toEqual([true, true]);
    expect(await ask([session('s'), 'c'])).toEqual([true]);
  });

  it('are apart if they are in different stores', async () => {
    const other: Connected = {
      preferences: { place: 'store', store: createMemoryStore(), id: 's' },
      principal: undefined,
    };
    expect(await ask([session('s'), 'a'], [other, 'b'])).toEqual([true, true]);
  });

  it('are together if they are of one caller, whatever the session', async () => {
    const caller: PrincipalPreferences = { place: 'store', store, id: 'caller' };
    expect(await ask([here(caller), 'a'], [here(caller), 'b'])).toEqual([false, false]);
    const inSession = { ...session('s'), principal: caller };
    expect(await ask([inSession, 'a'], [{ ...session('t'), principal: caller }, 'b'])).toEqual([
      false,
      false,
    ]);
    const unverified: PrincipalPreferences = { place: 'none' };
    const [one, two] = [
      { ...session('s'), principal: unverified },
      { ...session('s'), principal: unverified },
    ];
    expect(await ask([one, 'a'], [two, 'b'])).toEqual([false, false]);
  });
});

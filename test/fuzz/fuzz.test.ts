import { beforeAll, expect, it } from 'vitest';
import { AREAS, type Reached, reach } from './areas.js';
import { makeShelf, play, playBridged } from './play.js';
import { playCallers } from './play-callers.js';
import { playSessions } from './play-sessions.js';
import { makeSeveralShelf, playSeveral } from './several/play.js';

/** `npm run fuzz` plays fifty thousand connections. A sample keeps this test short. */
const CONNECTIONS = 60;
const SESSIONS = 25;
const CALLERS = 25;
const BRIDGED = 16;
const SEVERAL = 40;
const shelf = makeShelf(1, 12);
const reached: Reached = {};

// The gate imports these when they are first needed, and importing waits for timers, which the fuzz stops.
beforeAll(() => import('../../src/core/gate/panel/answer-panel.js'));

it('hides what the policy hides, and answers every request once, whatever client and server do', async () => {
  let messages = 0;
  for (let seed = 1; seed <= CONNECTIONS; seed++) {
    const played = await play(shelf, seed);
    expect(played.findings).toEqual([]);
    messages += played.counts.messages;
    for (const area of AREAS) reach(reached, area, played.reached[area] ?? 0);
  }
  expect(messages).toBeGreaterThan(CONNECTIONS * 50);
});

it('keeps what a session prefers, whatever its store does and whatever ids clients send', async () => {
  for (let seed = 1; seed <= SESSIONS; seed++) {
    const played = await playSessions(shelf, seed);
    expect(played.findings).toEqual([]);
    for (const area of AREAS) reach(reached, area, played.reached[area] ?? 0);
  }
});

it('keeps what callers and models choose apart, in both eras', async () => {
  for (let seed = 1; seed <= CALLERS; seed++) {
    const played = await playCallers(shelf, seed);
    expect(played.findings).toEqual([]);
    for (const area of AREAS) reach(reached, area, played.reached[area] ?? 0);
  }
});

it('does the same with a translation between the gate and the server, for each pair of eras', async () => {
  for (let seed = 1; seed <= BRIDGED; seed++) {
    const played = await playBridged(shelf, seed);
    expect(played.findings).toEqual([]);
    for (const area of AREAS) reach(reached, area, played.reached[area] ?? 0);
  }
});

it('shows of three servers with equal names what each shows alone, whatever they claim to be', async () => {
  const plans = makeSeveralShelf(1);
  for (let seed = 1; seed <= SEVERAL; seed++) {
    const played = await playSeveral(plans, seed);
    expect(played.findings).toEqual([]);
    for (const area of AREAS) reach(reached, area, played.reached[area] ?? 0);
  }
});

it('reaches each part of the product that it says it does', () => {
  expect(AREAS.filter((area) => (reached[area] ?? 0) === 0)).toEqual([]);
});

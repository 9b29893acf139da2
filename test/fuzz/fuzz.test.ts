import { expect, it } from 'vitest';
import { makeShelf, play } from './play.js';

/** `npm run fuzz` plays fifty thousand connections. A sample keeps this test short. */
const CONNECTIONS = 60;

it('hides what the policy hides, and answers every request once, whatever client and server do', async () => {
  const shelf = makeShelf(1, 12);
  let messages = 0;
  for (let seed = 1; seed <= CONNECTIONS; seed++) {
    const { findings, counts } = await play(shelf, seed);
    expect(findings).toEqual([]);
    messages += counts.messages;
  }
  expect(messages).toBeGreaterThan(CONNECTIONS * 50);
});

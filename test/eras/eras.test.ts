import { expect, it } from 'vitest';
import { run, type SetUp } from './set-ups.js';

/** Each pair of eras once, over each kind of connection. "npm run eras" runs all combinations. */
const SET_UPS: readonly (Omit<SetUp, 'isolation'> & Partial<SetUp>)[] = [
  { host: 'modern', server: 'legacy', behind: 'stdio', front: 'http' },
  { host: 'modern', server: 'legacy', behind: 'url', front: 'stdio' },
  { host: 'legacy', server: 'modern', behind: 'url', front: 'http' },
  { host: 'legacy', server: 'modern', behind: 'stdio', front: 'stdio' },
  { host: 'modern', server: 'both', behind: 'url', front: 'http' },
  { host: 'legacy', server: 'legacy', behind: 'stdio', front: 'http' },
  { host: 'legacy', server: 'modern', behind: 'stdio', front: 'http', isolation: 'shared' },
];

it.each(SET_UPS)(
  'a $host host does everything over $front in front of a server that speaks $server over $behind',
  async (setUp) => {
    expect(await run({ isolation: 'per-session', ...setUp })).toEqual([]);
  },
  120_000,
);

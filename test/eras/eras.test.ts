import { expect, it } from 'vitest';
import type { HostKind } from './hosts.js';
import { run, type SetUp } from './set-ups.js';

/** Each pair of eras once, over each kind of connection. "npm run eras" runs all combinations. */
const SET_UPS: readonly (Omit<SetUp, 'mode'> & Partial<SetUp> & { host: HostKind })[] = [
  { host: 'modern', server: 'legacy stdio', front: 'HTTP' },
  { host: 'modern', server: 'legacy URL', front: 'stdio', mode: 'advisory' },
  { host: 'legacy', server: 'modern URL', front: 'HTTP' },
  { host: 'legacy', server: 'modern stdio', front: 'stdio' },
  { host: 'auto', server: 'both URL', front: 'HTTP' },
  { host: 'legacy', server: 'legacy stdio', front: 'HTTP' },
  { host: 'legacy', server: 'modern stdio', front: 'HTTP', isolation: 'shared' },
  { host: 'modern', server: 'v2 module', front: 'HTTP' },
  { host: 'auto', server: 'v1 module', front: 'stdio' },
  { host: 'modern', server: 'attached v2', front: 'stdio' },
  { host: 'legacy', server: 'attached v1', front: 'stdio', mode: 'advisory' },
];

it.each(SET_UPS)(
  'a $host host does everything over $front at the server "$server"',
  async ({ host, ...setUp }) => {
    const failed = await run({ mode: 'enforce', ...setUp }, [host]);
    expect([...failed.values()].flat()).toEqual([]);
  },
);

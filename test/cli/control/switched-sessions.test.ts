import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { markSwitches } from '../../../src/cli/control/switched-sessions.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switched-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const processOf = (maxSessions: number) =>
  markSwitches(createMemoryStore({ maxSessions }), { XDG_STATE_HOME: folder });

/** What `initialize` stores. */
const FIRST = { concerns: { security: 'low' }, listChanged: [] };

it('continues a session in another process that prefers what it preferred first', async () => {
  await processOf(10).update('a', FIRST);
  expect(await processOf(10).read('a')).toEqual({ state: 'unknown' });
});

it.each([10, 1])(
  'does not continue a switched session elsewhere, of %i that its process remembers',
  async (max) => {
    const store = processOf(max);
    await store.update('a', FIRST);
    await store.update('b', FIRST);
    await store.update('a', { concerns: { security: 'high' } });
    expect(await processOf(10).read('a')).toEqual({ state: 'ended' });
  },
);

import { afterEach, expect, it, vi } from 'vitest';
import { isHandle, mintHandle } from '../../src/cli/control/host-handle.js';
import { ModernHosts } from '../../src/cli/serving/modern-hosts.js';
import type { PrincipalPreferences } from '../../src/core/gate/request/kept-preferences.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { getOrMake } from '../../src/core/once.js';
import { policyOf, SECURITY } from '../gate/gate-harness.js';

afterEach(() => vi.useRealTimers());

const KEY = 'a key of this test';
const made = new Map<string, string>();
/** The same name gets the same handle. */
const handleOf = (name: string): string => getOrMake(made, name, () => mintHandle(name, KEY));

const hosts = () =>
  new ModernHosts({
    // The page shows no host whose server does not start. What is kept does not depend on it.
    make: () => Promise.reject(new Error('down')),
    policy: new LivePolicy(policyOf(SECURITY)),
    switched: () => undefined,
    idleMs: 1000,
    key: KEY,
  });

/** Where the preferences are kept of the host whose URL has the handle of this name. */
function kept(known: ModernHosts, name: string): PrincipalPreferences {
  const url = `http://127.0.0.1/mcp?host=${handleOf(name)}`;
  const found = known.of(new Request(url), { method: 'tools/list' });
  if (found === undefined) throw new Error(`nothing is kept for ${name}`);
  return found;
}

const choose = async (kept: PrincipalPreferences) =>
  kept.place === 'store' ? kept.store.update(kept.id, { concerns: { security: 'high' } }) : undefined;
const chosen = async (kept: PrincipalPreferences) =>
  kept.place === 'store' ? kept.store.read(kept.id) : undefined;
const HIGH = { state: 'live', record: { concerns: { security: 'high' } } };

it('keeps what the person of a modern host chose although a hundred other hosts choose, too', async () => {
  const known = hosts();
  await choose(kept(known, 'first'));
  for (let other = 0; other < 100; other++) await choose(kept(known, `host ${other}`));
  expect(await chosen(kept(known, 'first'))).toEqual(HIGH);
});

it('keeps what the person of a modern host chose over a weekend', async () => {
  const known = hosts();
  await choose(kept(known, 'first'));
  vi.useFakeTimers({ toFake: ['performance'], now: performance.now() });
  vi.advanceTimersByTime(72 * 60 * 60 * 1000);
  expect(await chosen(kept(known, 'first'))).toEqual(HIGH);
});

it.each(['', 'claude-code', 'claude-code.4f9a21c0.AAAAAAAAAAAAAAAA', `${mintHandle('a', 'another key')}`])(
  'keeps nothing for a host whose URL has no handle that was made here: %j',
  (handle) => {
    const url = new URL('http://127.0.0.1/mcp');
    if (handle !== '') url.searchParams.set('host', handle);
    const body = {
      method: 'tools/list',
      params: { _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'Some Host', version: '1' } } },
    };
    expect(hosts().of(new Request(url), body)).toBeUndefined();
  },
);

it.each(['Claude Code', '日本', '', 'a'.repeat(500), '../x'])('makes a handle for the host %j', (name) => {
  const handle = mintHandle(name, KEY);
  expect(handle).toMatch(/^[\w.-]{20,80}$/);
  expect(isHandle(handle, KEY)).toBe(true);
  expect(isHandle(handle, 'another key')).toBe(false);
  expect(mintHandle(name, KEY)).not.toBe(handle);
});

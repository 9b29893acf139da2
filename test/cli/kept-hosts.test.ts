import { afterEach, expect, it, vi } from 'vitest';
import { ModernHosts } from '../../src/cli/serving/modern-hosts.js';
import type { PrincipalPreferences } from '../../src/gate/request/kept-preferences.js';
import { LivePolicy } from '../../src/gate/request/live-policy.js';
import { policyOf, SECURITY } from '../gate/gate-harness.js';

afterEach(() => vi.useRealTimers());

const hosts = () =>
  new ModernHosts({
    // The page shows no host whose server does not start. What is kept does not depend on it.
    make: () => Promise.reject(new Error('down')),
    policy: new LivePolicy(policyOf(SECURITY)),
    switched: () => undefined,
    idleMs: 1000,
  });

/** Where the preferences are kept of the host whose URL has this handle. */
function kept(known: ModernHosts, handle: string): PrincipalPreferences {
  const url = `http://127.0.0.1/mcp?host=${encodeURIComponent(handle)}`;
  const found = known.of(new Request(url), { method: 'tools/list' });
  if (found === undefined) throw new Error(`nothing is kept for ${handle}`);
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

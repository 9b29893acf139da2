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

const named = (name: string) => ({
  method: 'tools/list',
  params: { _meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } } },
});
const choose = async (kept: PrincipalPreferences) =>
  kept.place === 'store' ? kept.store.update(kept.id, { concerns: { security: 'high' } }) : undefined;
const chosen = async (kept: PrincipalPreferences) =>
  kept.place === 'store' ? kept.store.read(kept.id) : undefined;
const HIGH = { state: 'live', record: { concerns: { security: 'high' } } };

it('keeps what the person of a modern host chose although a hundred other hosts choose, too', async () => {
  const known = hosts();
  await choose(known.of(named('first')));
  for (let other = 0; other < 100; other++) await choose(known.of(named(`host ${other}`)));
  expect(await chosen(known.of(named('first')))).toEqual(HIGH);
});

it('keeps what the person of a modern host chose over a weekend', async () => {
  const known = hosts();
  await choose(known.of(named('first')));
  vi.useFakeTimers({ toFake: ['performance'], now: performance.now() });
  vi.advanceTimersByTime(72 * 60 * 60 * 1000);
  expect(await chosen(known.of(named('first')))).toEqual(HIGH);
});

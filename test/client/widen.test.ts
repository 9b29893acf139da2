import { describe, expect, it } from 'vitest';
import { policyOf } from '../policy/author.js';
import { LINKS, names } from './hosts.js';

const nested = policyOf(`
version: 1
concerns:
  topic: { values: [money, money.stocks, money.stocks.daily, money.stocks.weekly, money.news, sport], match: within, multiple: true, default: money.stocks.daily }
  world: { values: [here, here.home], match: within }
  security: { values: [low, high], match: exact }
  tier: { values: [a, a.b], match: within, set-by: operator, claim: tier, default: a.b }
presets:
  home: { world: here.home }
primitives:
  tools:
    encrypt: { topic: money.stocks.daily, world: here.home }
    audit: { topic: money.stocks.weekly, world: here }
    log: { topic: money.news }
    draw: { topic: sport, security: high }
    open: { security: low }
settings: { defaults: always }
`);

describe.each(LINKS)('widening: $name', ({ connect }) => {
  it('goes to the value above, the nearest first, and then removes the values', async () => {
    const { concerns } = await connect({ policy: nested, preferences: { security: 'high' } });
    const steps: unknown[] = [];
    const shown: string[][] = [];
    for (;;) {
      shown.push(names(await concerns.listTools()));
      const step = await concerns.widen();
      if (step === undefined) break;
      steps.push(step.concerns);
    }
    // The first value is the default of the policy: the host never chose it.
    expect(steps).toEqual([
      { topic: ['money.stocks'] },
      { topic: ['money'] },
      { topic: null },
      { security: null },
    ]);
    expect(shown).toEqual([
      ['encrypt'],
      ['encrypt', 'audit'],
      ['encrypt', 'audit', 'log'],
      ['encrypt', 'audit', 'log', 'draw'],
      ['encrypt', 'audit', 'log', 'draw', 'open'],
    ]);
    expect(concerns.preferences).toEqual({ security: null, topic: null });
  });

  it('keeps a preset, and the other values of a concern', async () => {
    const { concerns } = await connect({
      policy: nested,
      preferences: { preset: 'home', topic: ['money.stocks', 'sport'] },
    });
    expect((await concerns.widen())?.concerns).toEqual({ topic: ['money', 'sport'] });
    expect((await concerns.widen())?.concerns).toEqual({ world: 'here' });
    expect(concerns.preferences).toEqual({ preset: 'home', topic: ['money', 'sport'], world: 'here' });
    expect((await concerns.widen())?.concerns).toEqual({ topic: null });
    expect((await concerns.widen())?.concerns).toEqual({ world: null });
    expect(await concerns.widen()).toBeUndefined();
  });

  it('removes the values of one concern after the other, and moves bounds last', async () => {
    const policy = policyOf(`
version: 1
concerns:
  effect: { values: [read-only, changes, destroys], match: at-most }
  safety: { values: [low, high], match: at-least }
  price: { values: { min: 0, max: 9 } }
  topic: { values: [news, maps], multiple: true }
`);
    const preferences = { effect: 'read-only', safety: 'high', price: 1, topic: ['news'] };
    const { concerns } = await connect({ policy, preferences });
    const steps: unknown[] = [];
    for (let step = await concerns.widen(); step !== undefined; step = await concerns.widen())
      steps.push(step.concerns);
    expect(steps).toEqual([
      { topic: null },
      { effect: 'changes' },
      { effect: 'destroys' },
      { effect: null },
      { safety: 'low' },
      { safety: null },
      { price: null },
    ]);
  });

  it('widens only the concerns that the host names', async () => {
    const { concerns, sent } = await connect({ policy: nested, preferences: { security: 'high' } });
    expect((await concerns.widen(['security', 'tier', 'unknown']))?.concerns).toEqual({ security: null });
    sent.length = 0;
    expect(await concerns.widen(['security'])).toBeUndefined();
    expect(sent.map(({ method }) => method)).toEqual(['tools/list']);
  });
});

it('does nothing without a declaration', async () => {
  for (const { connect } of LINKS) {
    const { concerns, client } = await connect({ policy: policyOf('version: 1\nconcerns: {}\n') });
    expect(await concerns.widen()).toBeUndefined();
    await client.close();
    expect(await concerns.widen()).toBeUndefined();
  }
});

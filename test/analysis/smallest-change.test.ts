import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { smallestChange } from '../../src/core/analysis/index.js';
import { decide } from '../../src/core/engine/evaluate.js';
import {
  type Caller,
  type Concern,
  mapPrimitive,
  type Policy,
  type Primitive,
  preparePolicy,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { EMPTY, mappingsOf, preferencesFor, smallPolicies } from '../engine/small-policies.js';
import { policyOf, yaml } from '../policy/author.js';
import { sample } from '../sample.js';

function changeOf(
  policy: Policy,
  tool: Primitive,
  concerns: Readonly<Record<string, unknown>>,
  caller: Caller = {},
) {
  const configuration = resolveConfiguration(policy, [{ from: 'session', concerns }], caller);
  return smallestChange(mapPrimitive(policy, 'tools', tool), configuration, caller);
}

describe('the smallest change that reverses a decision', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      level: { values: [low, mid, high], match: at-least }
      price: { values: { min: 0, max: 100 } }
      topic: { values: [maps, code], multiple: true }
      tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
    primitives:
      tools:
        both: { level: low, price: 40 }
        maps: { topic: maps }
        paid: { tier: pro }
        free: {}
    rules:
      - id: window
        hide: [tools]
        when: { and: [{ "===": [{ var: primitive.name }, window] }, { "!": { "<": [20, { var: concerns.price }, 30] } }] }
  `);

  it.each<[string, string, Record<string, unknown>, unknown]>([
    ['changes one concern to the nearest value', 'both', { level: 'high' }, { level: 'low' }],
    ['changes the other concern', 'both', { level: 'low', price: 10 }, { price: 40 }],
    [
      'changes both concerns if one is not enough',
      'both',
      { level: 'high', price: 10 },
      { level: 'low', price: 40 },
    ],
    ['can hide a shown primitive', 'both', { level: 'low' }, { level: 'mid' }],
    ['changes one of several values', 'maps', { topic: ['code'] }, { topic: ['maps'] }],
    ['finds a number that only a rule names', 'window', { price: 90 }, { price: 25 }],
    ['finds nothing if the host cannot show the primitive', 'paid', { level: 'low' }, undefined],
    ['finds nothing if nothing can hide the primitive', 'free', { level: 'low' }, undefined],
  ])('%s', (_name, tool, concerns, change) => {
    expect(changeOf(policy, { name: tool }, concerns)).toEqual(change);
  });

  it("takes the caller's claims as given", () => {
    const claims = new Map([['tier', 'pro']]);
    expect(changeOf(policy, { name: 'paid' }, {}, { claims })).toBeUndefined();
    const configuration = resolveConfiguration(policy, [], { claims });
    expect(decide(mapPrimitive(policy, 'tools', { name: 'paid' }), configuration).effect).toBe('show');
  });

  it('can be null, even against a default', () => {
    const strict = policyOf(yaml`
      version: 1
      concerns:
        level: { values: [low], default: low }
        other: { values: [a] }
      primitives: { tools: { t: { level: any } } }
      rules: [{ id: low, hide: [tools], when: { "===": [{ var: concerns.level }, low] } }]
    `);
    expect(changeOf(strict, { name: 't' }, { level: 'low' })).toEqual({ level: null });
    // Any preference activates the default, and the default makes the rule fire.
    expect(changeOf(strict, { name: 't' }, {})).toEqual({ level: 'low' });
  });

  it('considers that a default applies only while the host states a preference', () => {
    const defaults = policyOf(yaml`
      version: 1
      concerns:
        one: { values: [a, b], default: a }
        two: { values: [a, b], default: a }
        other: { values: [x, y] }
      primitives: { tools: { t: { one: b, two: b } } }
    `);
    expect(changeOf(defaults, { name: 't' }, { other: 'x' })).toEqual({ other: null });
  });

  it('can set one concern and remove the default of another', () => {
    const both = policyOf(yaml`
      version: 1
      concerns:
        one: { values: [a], default: a }
        two: { values: [a] }
      rules: [{ id: r, hide: [tools], when: { and: [{ "===": [{ var: concerns.two }, a] }, { missing: [concerns.one] }] } }]
    `);
    expect(changeOf(both, { name: 't' }, {})).toEqual({ one: null, two: 'a' });
  });

  it('adds or removes one of several values instead of replacing them', () => {
    const topics = policyOf(yaml`
      version: 1
      concerns: { topic: { values: [a, b, c, d], multiple: true } }
      rules:
        - { id: needs-c, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, needs-c] }, { "!": { in: [c, { var: concerns.topic }] } }] } }
        - { id: no-b, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, no-b] }, { in: [b, { var: concerns.topic }] }] } }
    `);
    expect(changeOf(topics, { name: 'needs-c' }, { topic: ['a', 'b'] })).toEqual({ topic: ['a', 'b', 'c'] });
    expect(changeOf(topics, { name: 'no-b' }, { topic: ['a', 'b', 'd'] })).toEqual({ topic: ['a', 'd'] });
    expect(changeOf(topics, { name: 'no-b' }, { topic: ['b'] })).toEqual({ topic: ['a'] });
  });

  it('adds no more values than needed and keeps the preferred ones', () => {
    const topics = policyOf(yaml`
      version: 1
      concerns: { topic: { values: [a, b, c, d], multiple: true } }
      rules:
        - { id: needs-b, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, needs-b] }, { "!": { in: [b, { var: concerns.topic }] } }] } }
        - { id: needs-d, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, needs-d] }, { "!": { in: [d, { var: concerns.topic }] } }] } }
    `);
    expect(changeOf(topics, { name: 'needs-d' }, {})).toEqual({ topic: ['d'] });
    expect(changeOf(topics, { name: 'needs-b' }, { topic: ['a'] })).toEqual({ topic: ['a', 'b'] });
  });

  it('keeps the effect of a default that removing another preference would undo', () => {
    const kept = policyOf(yaml`
      version: 1
      concerns:
        one: { values: [x] }
        two: { values: [a, b, c], default: b }
      rules:
        - id: r
          hide: [tools]
          when: { "!": { and: [{ missing: [concerns.one] }, { "!!": { var: concerns.two } }] } }
    `);
    expect(changeOf(kept, { name: 't' }, { one: 'x' })).toEqual({ one: null, two: 'b' });
  });

  it('considers the value of the range that another range is compared with', () => {
    const equal = policyOf(yaml`
      version: 1
      concerns:
        one: { values: { min: 0, max: 10 } }
        other: { values: { min: 0, max: 10 } }
      rules: [{ id: r, hide: [tools], when: { "!": { "===": [{ var: concerns.one }, { var: concerns.other }] } } }]
    `);
    expect(changeOf(equal, { name: 't' }, { one: 7.3, other: 1.2 })).toEqual({ one: 1.2 });
  });

  it.each<[string, Caller]>([
    ['there are no preferences', {}],
    ['the preferences were lost', { forgotten: true }],
  ])('begins with the number nearest to 0 if %s', (_name, caller) => {
    const signed = policyOf(yaml`
      version: 1
      concerns: { offset: { values: { min: -10, max: 10 } } }
      rules: [{ id: r, hide: [tools], when: { "!": { var: concerns.offset } } }]
    `);
    expect(changeOf(signed, { name: 't' }, {}, caller)).toEqual({ offset: -5 });
  });
});

describe('a search among many changes', () => {
  const base = { multiple: false, setBy: 'host', match: 'exact' } as const;
  const numbered = (count: number, values: readonly string[]): Concern[] =>
    Array.from({ length: count }, (_, index) => ({ ...base, name: `c${index}`, values }));
  const other = { ...base, name: 'other', values: [...'abcdefghijklmnopqrst'] };
  const tier = { ...base, name: 'tier', values: ['a', 'b'], setBy: 'operator', claim: 'tier' } as const;

  /** Hides everything unless all numbered concerns have the value; it also reads the operator concern. */
  function unlessAll(value: string | null, concerns: readonly Concern[], settings = EMPTY.settings): Policy {
    const differ = concerns
      .filter(({ name }) => name.startsWith('c'))
      .map(({ name }) => ({ '!==': [{ var: `concerns.${name}` }, value] }));
    const when = { or: [...differ, { '===': [{ var: 'concerns.tier' }, 'none'] }] };
    const rule = { id: 'r', effect: 'hide', kinds: ['tools'], when, file: 0, line: 1 } as const;
    return preparePolicy({ ...EMPTY, concerns, rules: [rule], settings });
  }
  const allOf = (count: number, value: string | null) =>
    Object.fromEntries(numbered(count, []).map(({ name }) => [name, value]));

  it.each<[string, readonly Concern[], Policy['settings']]>([
    ['of several values', [], EMPTY.settings],
    ['next to one that does not matter', [other], EMPTY.settings],
    [
      'next to one whose default never applies',
      [{ ...other, default: 'a' }],
      { ...EMPTY.settings, defaults: 'never' },
    ],
    [
      'next to one that only the operator sets',
      [{ ...tier, default: 'a' }],
      { ...EMPTY.settings, defaults: 'never' },
    ],
  ])('finds the change that removes seven preferences %s', (_name, more, settings) => {
    const policy = unlessAll(null, [...numbered(7, ['a', 'b', 'c']), ...more], settings);
    expect(changeOf(policy, { name: 't' }, allOf(7, 'a'))).toEqual(allOf(7, null));
  });

  it('finds the change that removes six preferences if another preference activates a default', () => {
    const policy = unlessAll(null, [...numbered(6, ['a', 'b', 'c']), { ...other, default: 'b' }]);
    expect(changeOf(policy, { name: 't' }, allOf(6, 'a'))).toEqual(allOf(6, null));
  });

  it('finds the change that sets eight preferences if there were none', () => {
    const policy = unlessAll('b', numbered(8, ['a', 'b']));
    expect(changeOf(policy, { name: 't' }, {})).toEqual(allOf(8, 'b'));
  });

  it('stops if there are too many changes to try', () => {
    const policy = unlessAll('f', numbered(10, [...'abcdef']));
    expect(changeOf(policy, { name: 't' }, allOf(10, 'a'))).toBeUndefined();
  });
});

const situations = smallPolicies.chain((small) => {
  const host = small.policy.concerns.filter(({ setBy }) => setBy === 'host');
  // Start with integers, so that there are thirds on both sides of each of them.
  const whole = (value: unknown) => typeof value !== 'number' || Number.isInteger(value);
  const preference = (concern: Concern) => fc.constantFrom(...preferencesFor(concern).filter(whole));
  return fc.record({
    small: fc.constant(small),
    preferences: fc.record(Object.fromEntries(host.map((concern) => [concern.name, preference(concern)])), {
      requiredKeys: [],
    }),
    tier: fc.constantFrom(undefined, 'free', 'pro'),
  });
});

/** The smallest number of host concerns to change for another decision, found by trying all of them. */
function fewest(
  policy: Policy,
  shownNow: boolean,
  preferences: object,
  shows: (preferences: object) => boolean,
): number {
  let tried: { preferences: object; changes: number }[] = [{ preferences, changes: 0 }];
  for (const concern of policy.concerns.filter(({ setBy }) => setBy === 'host')) {
    tried = tried.flatMap((each) => [
      each,
      ...preferencesFor(concern).map((value) => ({
        preferences: { ...each.preferences, [concern.name]: value },
        changes: each.changes + 1,
      })),
    ]);
  }
  const flipping = tried.filter((each) => shows(each.preferences) !== shownNow);
  return Math.min(...flipping.map(({ changes }) => changes));
}

it('reverses the decision, and no smaller change does, for any policy', () => {
  fc.assert(
    fc.property(situations, ({ small, preferences, tier }) => {
      const { policy } = small;
      const caller = { claims: new Map(tier === undefined ? [] : [['tier', tier]]) };
      const resolve = (concerns: object) =>
        resolveConfiguration(policy, [{ from: 'session', concerns }], caller);
      for (const mapping of mappingsOf(small)) {
        const shows = (concerns: object) => decide(mapping, resolve(concerns)).effect === 'show';
        const now = shows(preferences);
        const change = smallestChange(mapping, resolve(preferences), caller);
        const least = fewest(policy, now, preferences, shows);
        if (change === undefined) {
          expect(least).toBe(Number.POSITIVE_INFINITY);
          continue;
        }
        expect(shows({ ...preferences, ...change })).toBe(!now);
        expect(Object.keys(change)).toHaveLength(least);
        const [[name, value] = ['', null], ...more] = Object.entries(change);
        const { values, multiple, match } = policy.concerns.find((each) => each.name === name) ?? {
          values: [],
          multiple: false,
        };
        // Values with dots are near each other in a tree, which has its own test.
        if (match === 'within') continue;
        const present = policy.concerns.findIndex((each) => each.name === name);
        const before = resolve(preferences).effective[present];
        if (more.length > 0 || multiple || 'min' in values || typeof before !== 'number') continue;
        const words: readonly string[] = values;
        // For one concern with names as values, no value nearer to the present one reverses the decision.
        const distance = (each: string) => Math.abs(words.indexOf(each) - before);
        const nearer = words.filter((each) => value === null || distance(each) < distance(String(value)));
        expect(nearer.filter((each) => shows({ ...preferences, [name]: each }) !== now)).toEqual([]);
      }
    }),
    { numRuns: sample(1000) },
  );
});

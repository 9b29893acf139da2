import { describe, expect, it } from 'vitest';
import { analyze, canShowWithout } from '../../src/core/analysis/analyze.js';
import { mapPrimitive, type Primitive } from '../../src/core/engine/index.js';
import { listPolicy } from '../engine/small-policies.js';
import { policyOf, shown, yaml } from '../policy/author.js';

const named = (...names: string[]): Primitive[] => names.map((name) => ({ name }));
const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name).sort();

describe('all configurations at once', () => {
  const LEVELS = yaml`
    version: 1
    concerns:
      level: { values: [low, high] }
      price: { values: { min: 0, max: 10 } }
      tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
  `;
  const levels = (more: string) => policyOf(LEVELS + more);

  it('reports a primitive that a rule always hides as never visible, and the rule as always firing', () => {
    const policy = levels(yaml`
rules:
  - { id: gone, hide: [tools], when: { "===": [{ var: primitive.name }, a] } }`);
    const { neverVisible, rules, showsNothing } = analyze(policy, { tools: named('a', 'b') });
    expect(neverVisible).toEqual([{ kind: 'tools', name: 'a' }]);
    expect(rules).toEqual([{ id: 'gone', fires: 'sometimes' }]);
    expect(showsNothing).toBeUndefined();
  });

  it('names every primitive of equal values, in each kind', () => {
    const policy = levels(yaml`
primitives:
  tools: { a: { level: [low, high] }, b: { level: [high, low] }, c: { level: low } }
  prompts: { p: { level: [low, high] } }
  resources: { "vault://r": { level: low } }`);
    const { alwaysVisible, neverVisible } = analyze(policy, {
      tools: named('a', 'b', 'c'),
      prompts: named('p'),
      resources: [{ uri: 'vault://r' }],
    });
    expect(alwaysVisible).toEqual([
      { kind: 'tools', name: 'a' },
      { kind: 'tools', name: 'b' },
      { kind: 'prompts', name: 'p' },
    ]);
    expect(neverVisible).toEqual([]);
  });

  it('does not report a primitive without values as always visible', () => {
    expect(analyze(levels('primitives: { tools: { a: {} } }'), { tools: named('a') }).alwaysVisible).toEqual(
      [],
    );
  });

  it('returns a configuration that shows nothing, in the words of the policy', () => {
    const policy = levels('primitives: { tools: { a: { level: low }, b: { level: low, price: 4 } } }');
    const { showsNothing } = analyze(policy, { tools: named('a', 'b') });
    expect(showsNothing).toEqual({ level: 'high' });
    expect(shown(policy, ['a', 'b'], showsNothing)).toEqual([]);
  });

  it('reports that a caller without a claim can see nothing', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns: { tier: { values: [free, pro], set-by: operator, claim: tier } }
      primitives: { tools: { a: { tier: [free, pro] } } }
    `);
    expect(analyze(policy, { tools: named('a') }).showsNothing).toEqual({ tier: 'no matching claim' });
  });

  it('does not report a configuration that shows nothing if the server lists nothing', () => {
    expect(analyze(levels(''), {}).showsNothing).toBeUndefined();
    expect(analyze(levels(''), { tools: [] })).toMatchObject({ neverVisible: [], alwaysVisible: [] });
  });

  it('counts comparisons of claims as free, and comparisons of the client only if its capabilities are known', () => {
    const policy = levels(yaml`
rules:
  - { id: blocked, hide: [tools], when: { "===": [{ var: claims.blocked }, true] } }
  - { id: sampling, hide: [tools], when: { "!!": { var: client.capabilities.sampling } } }
  - { id: never, hide: [prompts], when: { "===": [{ var: claims.blocked }, true] } }`);
    const analysis = analyze(policy, { tools: named('a') });
    expect(analysis.rules).toEqual([
      { id: 'blocked', fires: 'sometimes' },
      { id: 'sampling', fires: 'sometimes' },
      { id: 'never', fires: 'never' },
    ]);
    // 3 levels; 3 prices (0, between, 10) and none; 2 tiers and a claim that matches none; blocked, known and sampling are true or false.
    expect(analysis.configurations).toBe(3 * 4 * 3 * 32);
  });

  it.each([
    [true, { neverVisible: [], alwaysVisible: ['a'], nothing: undefined }],
    [false, { neverVisible: [], alwaysVisible: [], nothing: { notes: 'read' } }],
  ])('counts primitives as shown whose scope callers can get: obtainable %s', (obtainable, expected) => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        notes: { values: [read, write], multiple: true, set-by: operator, claim: scope, obtainable: ${obtainable} }
        tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
      primitives: { tools: { a: { notes: write }, b: { notes: write, tier: pro } } }
      settings: { enforcement: enforce }
    `);
    const { neverVisible, alwaysVisible, showsNothing } = analyze(policy, { tools: named('a', 'b') });
    expect({ neverVisible, alwaysVisible: names(alwaysVisible), nothing: showsNothing }).toEqual(expected);
  });

  it('names the comparisons that must hold for nothing to be shown', () => {
    const blocked = { '===': [{ var: 'claims.blocked' }, true] };
    const freed = { '!!': { var: 'client.capabilities.freed' } };
    const policy = levels(yaml`
      rules:
        - { id: blocked, hide: [tools], when: { and: [${JSON.stringify(blocked)}, { "!": ${JSON.stringify(freed)} }] } }
    `);
    expect(analyze(policy, { tools: named('a') }).showsNothing).toStrictEqual({
      'client.capabilities is known': true,
      'claims.blocked is not a scalar': true,
      '{"===":[{"var":"claims.blocked"},true]}': false,
      '{"missing":["claims.blocked"]}': false,
      '{"var":"client.capabilities.freed"}': false,
    });
  });

  it('leaves out the comparisons that do not matter for showing nothing', () => {
    const policy = levels(yaml`
rules:
  - { id: gone, hide: [tools], when: { "===": [{ var: primitive.name }, a] } }
  - { id: other, show: [tools], when: { and: [{ "!!": { var: claims.other } }, { "===": [{ var: primitive.name }, b] }] } }`);
    expect(analyze(policy, { tools: named('a') }).showsNothing).toStrictEqual({});
  });

  it('treats a comparison of a claim with a field of the primitive as a separate fact for each primitive', () => {
    const policy = levels(yaml`
rules:
  - { id: own, hide: [tools], when: { "===": [{ var: claims.a }, { var: primitive.name }] } }
  - { id: odd, hide: [tools], when: { "===": [{ var: primitive.annotations.client }, x] } }`);
    const { showsNothing, rules } = analyze(policy, { tools: named('a', 'b') });
    const comparison = '{"===":[{"var":"claims.a"},{"var":"primitive.name"}]}';
    expect(showsNothing).toStrictEqual({
      'claims.a is not a scalar': true,
      [`${comparison} primitive.name="a"`]: false,
      '{"missing":["claims.a"]}': false,
    });
    expect(rules[1]).toEqual({ id: 'odd', fires: 'never' });
  });

  it('treats a comparison of a claim that is written twice as one fact', () => {
    const policy = levels(yaml`
rules:
  - { id: one, hide: [tools], when: { and: [{ "!!": { var: claims.a } }, { "!": { var: claims.a } }] } }
  - { id: two, hide: [tools], when: { or: [{ "!!": { var: claims.a } }, { "!": { var: claims.a } }] } }
  - { id: own, hide: [tools], when: { "===": [{ var: claims.a }, { var: primitive.name }] } }`);
    const { rules } = analyze(policy, { tools: named('a', 'b') });
    expect(rules).toEqual([
      // It fires for callers without the claim.
      { id: 'one', fires: 'sometimes' },
      { id: 'two', fires: 'always' },
      { id: 'own', fires: 'sometimes' },
    ]);
  });

  it('reports that a rule about the client does not fire while its capabilities are not known', () => {
    const policy = levels(yaml`
rules:
  - { id: no-sampling, hide: [tools], when: { or: [{ "!": { var: client.capabilities.sampling } }, { "!!": { var: client.capabilities.sampling } }] } }`);
    expect(analyze(policy, { tools: named('a') }).rules).toEqual([{ id: 'no-sampling', fires: 'sometimes' }]);
  });

  it('tries a number between two numbers', () => {
    const policy = levels(yaml`
rules:
  - { id: between, hide: [tools], when: { "<": [4, { var: concerns.price }, 5] } }
  - { id: outside, hide: [tools], when: { ">": [{ var: concerns.price }, 10] } }`);
    expect(analyze(policy, { tools: named('a') }).rules).toEqual([
      { id: 'between', fires: 'sometimes' },
      { id: 'outside', fires: 'never' },
    ]);
  });

  it('compares a range with fields of the primitive', () => {
    const policy = levels(yaml`
rules:
  - id: too-dear
    hide: [tools]
    when: { "<": [{ var: concerns.price }, { var: primitive.annotations.price }] }
  - id: exactly
    show: [tools]
    when: { "===": [{ var: concerns.price }, { var: primitive.annotations.price }] }`);
    const tools = [{ name: 'a', annotations: { price: 7 } }];
    const { rules, neverVisible } = analyze(policy, { tools });
    expect(rules.map(({ fires }) => fires)).toEqual(['sometimes', 'sometimes']);
    expect(neverVisible).toEqual([]);
  });

  it('compares ranges with each other', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        a: { values: { min: 0, max: 10 } }
        b: { values: { min: 0, max: 10 } }
        c: { values: { min: 5, max: 20 } }
      rules:
        - id: ordered
          hide: [tools]
          when: { and: [{ "<": [5, { var: concerns.a }, { var: concerns.b }] }, { "<": [{ var: concerns.b }, { var: concerns.c }, 10] }] }
        - id: circle
          hide: [tools]
          when: { and: [{ "<": [{ var: concerns.a }, { var: concerns.b }] }, { "<": [{ var: concerns.b }, { var: concerns.a }] }] }
        - id: above
          hide: [tools]
          when: { and: [{ "!!": { var: concerns.a } }, { ">": [{ var: concerns.c }, 10] }, { "===": [{ var: concerns.a }, { var: concerns.c }] }] }
    `);
    expect(analyze(policy, { tools: named('x') }).rules).toEqual([
      { id: 'ordered', fires: 'sometimes' },
      { id: 'circle', fires: 'never' },
      { id: 'above', fires: 'never' },
    ]);
  });

  const several = (count: number) => {
    const values = Array.from({ length: count }, (_, index) => `v${index}`);
    return policyOf(yaml`
      version: 1
      concerns: { topic: { values: [${values}], multiple: true } }
      rules:
        - id: both
          hide: [tools]
          when: { and: [{ in: [v0, { var: concerns.topic }] }, { in: [v1, { var: concerns.topic }] }] }
    `);
  };

  it('tries several values at once if a rule reads the concern', () => {
    const { rules, showsNothing, unanswered } = analyze(several(3), { tools: named('x') });
    expect(rules).toEqual([{ id: 'both', fires: 'sometimes' }]);
    expect(showsNothing).toEqual({ topic: ['v0', 'v1'] });
    expect(unanswered).toEqual([]);
  });

  it('reports a gap if there are too many combinations', () => {
    const { unanswered } = analyze(several(30), { tools: named('x') });
    expect(unanswered).toEqual(['what all combinations of several values of topic do']);
  });

  it('does not report a gap for a concern that takes one value', () => {
    const values = Array.from({ length: 30 }, (_, index) => `v${index}`);
    const when = { '===': [{ var: 'concerns.topic' }, 'v0'] };
    const policy = listPolicy({ topic: values }, {}, [{ id: 'r', effect: 'hide', when }]);
    expect(analyze(policy, { tools: named('x') }).unanswered).toEqual([]);
  });
});

describe('more configurations than can be tried', () => {
  const values = ['a', 'b', 'c', 'd'];
  const concerns = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`c${index}`, values]));

  it('is exact if every configuration shows something', () => {
    // Eleven tools that can each be hidden, and four tools of which one is always shown.
    const tools = {
      ...Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`t${index}`, { [`c${index}`]: 'a' }])),
      ...Object.fromEntries(values.map((value) => [`last-${value}`, { c11: value }])),
    };
    const policy = listPolicy(concerns, tools);
    const analysis = analyze(policy, { tools: named(...Object.keys(tools)) });
    expect(analysis.configurations).toBe(5 ** 12);
    expect(analysis).toMatchObject({ neverVisible: [], alwaysVisible: [], unanswered: [] });
    expect(analysis.showsNothing).toBeUndefined();
  });

  it('finds the one kind of configuration that shows nothing', () => {
    const tools = Object.fromEntries(
      Object.keys(concerns).flatMap((name) =>
        ['a', 'b', 'c'].map((value) => [`${name}-${value}`, { [name]: value }]),
      ),
    );
    const policy = listPolicy(concerns, tools);
    const { showsNothing, unanswered } = analyze(policy, { tools: named(...Object.keys(tools)) });
    expect(unanswered).toEqual([]);
    expect(showsNothing).toEqual(Object.fromEntries(Object.keys(concerns).map((name) => [name, 'd'])));
  });

  it('reports that a rule over twelve concerns fires sometimes, and its contradiction never', () => {
    const all = Object.keys(concerns).map((name) => ({ '===': [{ var: `concerns.${name}` }, 'd'] }));
    const policy = listPolicy(concerns, { t: {} }, [
      { id: 'all', effect: 'hide', when: { and: all } },
      { id: 'never', effect: 'hide', when: { and: [...all, { '===': [{ var: 'concerns.c0' }, 'a'] }] } },
      { id: 'always', effect: 'hide', when: { or: [...all.map((each) => ({ '!': each })), ...all] } },
    ]);
    const { rules, unanswered, neverVisible } = analyze(policy, { tools: named('t') });
    expect(rules.map(({ fires }) => fires)).toEqual(['sometimes', 'never', 'always']);
    expect(neverVisible).toEqual([{ kind: 'tools', name: 't' }]);
    expect(unanswered).toEqual([]);
  });

  describe('a search that reaches its step limit', () => {
    // Nine pigeons in eight holes: a plain search cannot finish.
    const holes = Array.from({ length: 8 }, (_, index) => `h${index}`);
    const pigeons = Array.from({ length: 9 }, (_, index) => `p${index}`);
    const apart = {
      and: [
        ...pigeons.map((pigeon) => ({ '!!': { var: `concerns.${pigeon}` } })),
        ...pigeons.flatMap((one, index) =>
          pigeons
            .slice(index + 1)
            .map((other) => ({ '!==': [{ var: `concerns.${one}` }, { var: `concerns.${other}` }] })),
        ),
      ],
    };
    const houses = Object.fromEntries(pigeons.map((name) => [name, holes]));

    it('is reported, and nothing is claimed to be impossible', () => {
      const policy = listPolicy(houses, { t: {} }, [{ id: 'apart', effect: 'hide', when: apart }]);
      const { rules, unanswered, alwaysVisible, showsNothing } = analyze(policy, { tools: named('t') });
      expect(unanswered).toEqual(['whether a configuration shows nothing', 'whether rule apart can fire']);
      expect(rules).toEqual([{ id: 'apart', fires: 'sometimes' }]);
      expect(alwaysVisible).toEqual([]);
      expect(showsNothing).toBeUndefined();
    });

    it('is reported with all primitives that it is about', () => {
      const policy = listPolicy(houses, {}, [{ id: 'together', effect: 'hide', when: { '!': apart } }]);
      const { neverVisible, unanswered } = analyze(policy, { tools: named('t', 'u') });
      expect(neverVisible).toEqual([]);
      expect(unanswered).toEqual(['whether t, u can be shown', 'whether rule together always fires']);
    });

    it('can be about whether a primitive can be hidden', () => {
      const policy = policyOf(yaml`
        version: 1
        concerns: { ${pigeons.map((name) => `${name}: { values: [${holes}] }`).join(', ')} }
        primitives: { tools: { t: { p0: [${holes}] } } }
        rules: [{ id: apart, hide: [tools], when: ${JSON.stringify(apart)} }]
      `);
      const { alwaysVisible, unanswered } = analyze(policy, { tools: named('t') });
      expect(alwaysVisible).toEqual([]);
      expect(unanswered).toContain('whether t can be hidden');
    });
  });
});

describe('showing one primitive without another', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns: { price: { values: { min: 0, max: 10 } }, exact: { values: { min: 0, max: 10 }, match: exact } }
    primitives: { tools: { five: { price: 5 }, seven: { price: 7 }, odd: { exact: [0, 5, 10] } } }
  `);
  const of = (name: string) => mapPrimitive(policy, 'tools', { name });

  it('tries numbers between the values of both', () => {
    expect(canShowWithout(policy, of('five'), of('seven'))).toBe(true);
    expect(canShowWithout(policy, of('seven'), of('five'))).toBe(false);
  });

  it('tries numbers between the values of one', () => {
    expect(canShowWithout(policy, undefined, of('odd'))).toBe(true);
    expect(canShowWithout(policy, undefined, of('none'))).toBe(false);
  });
});

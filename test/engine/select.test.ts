import { describe, expect, it } from 'vitest';
import {
  bindCatalog,
  evaluate,
  mapPrimitive,
  resolveConfiguration,
  select,
} from '../../src/core/engine/index.js';
import { decideItem } from '../../src/core/engine/select.js';
import { policyOf, requested, shown, yaml } from '../policy/author.js';

const policy = policyOf(yaml`
  version: 1
  concerns:
    security: { values: [low, medium, high], match: at-least }
    cost: { values: [minimal, moderate, high], match: at-most }
    topic: { values: [charts, maps], multiple: true }
    price: { values: { min: 0, max: 100 } }
    tier: { values: [free, pro], set-by: operator, claim: tier, default: pro, match: at-most }
  patterns:
    tools:
      "log*": { security: [low, medium] }
  primitives:
    tools:
      encrypt: { security: high, cost: high }
      hash: { security: high, cost: minimal }
      logData: { cost: high }
      plot:
        topic: [charts, maps]
        price: 50
`);
const named = (...names: string[]) => names.map((name) => ({ name }));
const TOOLS = named('encrypt', 'hash', 'logData', 'plot', 'help');

describe('the order of a selection', () => {
  it("is the server's order, even for tools that are listed twice", () => {
    const names = ['plot', 'hash', 'encrypt', 'help', 'hash', 'logData', 'encrypt'];
    expect(shown(policy, names, { security: 'high' })).toEqual([
      'plot',
      'hash',
      'encrypt',
      'help',
      'hash',
      'encrypt',
    ]);
    expect(shown(policy, names, undefined)).toEqual(names);
  });

  it("returns the server's own objects", () => {
    const { kept } = select(
      bindCatalog(policy, 'tools', TOOLS),
      resolveConfiguration(policy, requested({ price: 0 })),
    );
    expect(kept.map((item) => TOOLS.indexOf(item))).toEqual([0, 1, 2, 4]);
  });

  it('of an empty list is an empty list', () => {
    const selection = select(
      bindCatalog(policy, 'tools', []),
      resolveConfiguration(policy, requested({ price: 0 })),
    );
    expect(selection).toEqual({ kept: [], narrowed: new Map(), total: 0, hidden: {} });
  });
});

describe('the number of primitives that each concern and rule hides', () => {
  const hiddenBy = (concerns: unknown, unmapped = 'show', rules = '[]') => {
    const text = `version: 1
concerns:
  security: { values: [low, high] }
  cost: { values: [minimal, high] }
patterns: { tools: { "s*": { security: low }, "*c": { cost: minimal } } }
rules: ${rules}
settings: { unmapped: ${unmapped} }
`;
    const own = policyOf(text);
    const selection = select(
      bindCatalog(own, 'tools', named('s1', 's2', 'sc', 'c', 'none', 'other')),
      resolveConfiguration(own, requested(concerns)),
    );
    return { ...selection.hidden, of: selection.total, kept: selection.kept.length };
  };

  it.each<[string, unknown, string, object]>([
    ['counts one concern', { security: 'high' }, 'show', { concerns: { security: 3 }, of: 6, kept: 3 }],
    [
      'counts each primitive once, for the concern declared first',
      { cost: 'high', security: 'high' },
      'show',
      { concerns: { security: 3, cost: 1 }, of: 6, kept: 2 },
    ],
    [
      'counts nothing if everything is shown',
      { security: 'low', cost: 'minimal' },
      'show',
      { of: 6, kept: 6 },
    ],
    ['counts unmapped primitives', {}, 'hide', { unmapped: 2, of: 6, kept: 4 }],
    [
      'counts unmapped primitives and others',
      { cost: 'high' },
      'hide',
      { concerns: { cost: 2 }, unmapped: 2, of: 6, kept: 2 },
    ],
  ])('%s', (_name, concerns, unmapped, counts) => {
    expect(hiddenBy(concerns, unmapped)).toEqual(counts);
  });

  it('counts rules before host concerns, each by its id', () => {
    const when = (name: string) => `{ "===": [{ var: primitive.name }, ${name}] }`;
    const rules = `[
      { id: no-s1, hide: [tools], when: ${when('s1')} },
      { id: security, hide: [tools], when: { or: [${when('s1')}, ${when('sc')}] } },
      { id: keep, show: [tools], when: ${when('s2')} },
      { id: never, hide: [tools], when: ${when('s9')} }]`;
    expect(hiddenBy({ security: 'high', cost: 'high' }, 'hide', rules)).toEqual({
      concerns: { cost: 1 },
      rules: { 'no-s1': 1, security: 1 },
      unmapped: 2,
      of: 6,
      kept: 1,
    });
  });
});

it('counts what each rule hides, and separates primitives by the fields that rules read', () => {
  const ruled = policyOf(yaml`
    version: 1
    rules: [{ id: beta, hide: [tools], when: { in: [beta, { var: primitive.tags }] } }]
  `);
  const tools = [{ name: 'a', tags: ['beta'] }, { name: 'b', tags: ['beta'] }, { name: 'c' }];
  const catalog = bindCatalog(ruled, 'tools', tools);
  const { kept, hidden } = select(catalog, resolveConfiguration(ruled, []));
  expect(kept.map(({ name }) => name)).toEqual(['c']);
  expect(hidden).toEqual({ rules: { beta: 2 } });
  expect(catalog.classes).toHaveLength(2);
});

describe('the reason why a primitive is hidden', () => {
  const decisionOn = (name: string, concerns: unknown) => {
    const { effect, reason } = evaluate(
      mapPrimitive(policy, 'tools', {
        name,
        _meta: name === 'help' ? { concerns: { price: 70 } } : undefined,
      }),
      resolveConfiguration(policy, requested(concerns)),
    );
    const source = 'source' in reason ? { source: reason.source.replace(/^.*\//, '') } : {};
    return { shown: effect === 'show', ...reason, ...source };
  };
  const hidden = { shown: false, code: 'concern-mismatch' };

  it.each<[string, string, unknown, Record<string, unknown>]>([
    [
      'is `fits` if the primitive matches',
      'hash',
      { security: 'high', cost: 'minimal' },
      { shown: true, code: 'fits' },
    ],
    ['is `fits` without preferences', 'encrypt', {}, { shown: true, code: 'fits' }],
    [
      'names the entry',
      'encrypt',
      { cost: 'moderate' },
      { ...hidden, concern: 'cost', preferred: ['moderate'], actual: ['high'], source: 'policy.yaml:13' },
    ],
    [
      'names the pattern with all of its values',
      'logData',
      { security: 'high' },
      {
        ...hidden,
        concern: 'security',
        preferred: ['high'],
        actual: ['low', 'medium'],
        source: 'policy.yaml:10',
      },
    ],
    [
      'names the line of the value, and numbers of a range',
      'plot',
      { price: 49.5 },
      { ...hidden, concern: 'price', preferred: [49.5], actual: [50], source: 'policy.yaml:18' },
    ],
    [
      "names the server's own values",
      'help',
      { price: 1 },
      { ...hidden, concern: 'price', preferred: [1], actual: [70], source: '_meta.concerns' },
    ],
    [
      'names the concern declared first, in any order of preferences',
      'logData',
      { cost: 'minimal', security: 'high' },
      {
        ...hidden,
        concern: 'security',
        preferred: ['high'],
        actual: ['low', 'medium'],
        source: 'policy.yaml:10',
      },
    ],
  ])('%s', (_name, tool, concerns, expected) => {
    expect(decisionOn(tool, concerns)).toEqual(expected);
  });

  it('names every preferred value of a concern that takes several', () => {
    const maps = policyOf(yaml`
      version: 1
      concerns: { topic: { values: [charts, maps, code], multiple: true } }
      primitives: { tools: { build: { topic: code } } }
    `);
    const configuration = resolveConfiguration(maps, requested({ topic: ['maps', 'charts'] }));
    expect(evaluate(mapPrimitive(maps, 'tools', { name: 'build' }), configuration)).toMatchObject({
      reason: { preferred: ['charts', 'maps'], actual: ['code'] },
    });
  });

  it('has no preferred value for an operator concern without a claim', () => {
    const operated = policyOf(yaml`
      version: 1
      concerns: { tier: { values: [free, pro], set-by: operator, claim: tier } }
      primitives: { tools: { export: { tier: pro } } }
    `);
    const mapping = mapPrimitive(operated, 'tools', { name: 'export' });
    expect(evaluate(mapping, resolveConfiguration(operated, []))).toMatchObject({
      effect: 'hide',
      reason: { code: 'concern-mismatch', concern: 'tier', preferred: [], actual: ['pro'] },
    });
  });

  it('is `unmapped` if the policy does not map the primitive', () => {
    const hiding = policyOf('version: 1\nsettings: { unmapped: hide }\n');
    const mapping = mapPrimitive(hiding, 'tools', { name: 'new' });
    expect(evaluate(mapping, resolveConfiguration(hiding, []))).toEqual({
      effect: 'hide',
      reason: { code: 'unmapped' },
    });
  });
});

describe('unmapped: hide', () => {
  const hiding = policyOf(yaml`
    version: 1
    concerns: { security: { values: [low, high] } }
    patterns: { tools: { "log*": {} } }
    primitives: { tools: { hash: {}, encrypt: { security: any } } }
    settings: { unmapped: hide }
  `);

  it('hides a primitive without an entry or a pattern, whatever values the server gives it', () => {
    const own = (concerns: unknown) => ({ name: 'own', _meta: { concerns } });
    expect(shown(hiding, ['hash', 'encrypt', 'logData', 'new', own({ security: 'low' })], undefined)).toEqual(
      ['hash', 'encrypt', 'logData'],
    );
    expect(shown(hiding, [own('low'), own(null)], undefined)).toEqual([]);
  });

  it('does not show a mapped primitive that does not match', () => {
    expect(
      shown(hiding, [{ name: 'own', _meta: { concerns: { security: 'low' } } }, 'hash'], {
        security: 'high',
      }),
    ).toEqual(['hash']);
  });
});

describe('a bound list', () => {
  it('cannot be read with a configuration of another policy, even with equal concerns', () => {
    const text = 'version: 1\nconcerns: { level: { values: [low, high] } }\n';
    const [bound, other] = [policyOf(text), policyOf(text)];
    const catalog = bindCatalog(bound, 'tools', TOOLS);
    expect(select(catalog, resolveConfiguration(bound, [])).kept).toEqual(TOOLS);
    expect(decideItem(catalog, 0, resolveConfiguration(bound, [])).effect).toBe('show');
    expect(() => select(catalog, resolveConfiguration(other, []))).toThrow(RangeError);
    expect(() => decideItem(catalog, 0, resolveConfiguration(other, []))).toThrow(RangeError);
  });

  it('remembers a selection for the same configuration', () => {
    const catalog = bindCatalog(policy, 'tools', TOOLS);
    const selectFor = (concerns: unknown) =>
      select(catalog, resolveConfiguration(policy, requested(concerns)));
    expect(selectFor({ topic: ['maps', 'charts'] })).toBe(selectFor({ topic: ['charts', 'maps', 'maps'] }));
    expect(selectFor({ topic: 'maps' })).not.toBe(selectFor({ topic: 'charts' }));
    expect(catalog.memo.size).toBe(3);
  });

  it('bounds its memory, however many configurations it gets', () => {
    const catalog = bindCatalog(policy, 'tools', TOOLS);
    let largest = 0;
    for (let index = 0; index < 100_000; index++) {
      const price = index / 1000;
      const { kept } = select(catalog, resolveConfiguration(policy, requested({ price })));
      if (kept.length !== (price < 50 ? 4 : 5)) expect.fail(`price ${price} keeps ${kept.length}`);
      largest = Math.max(largest, catalog.memo.size);
    }
    expect(largest).toBeGreaterThan(1);
    expect(largest).toBeLessThanOrEqual(256);
  });

  it('keeps fewer selections of a long list', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => ({ name: `tool${index}` }));
    const catalog = bindCatalog(policy, 'tools', long);
    for (let price = 0; price < 100; price++)
      select(catalog, resolveConfiguration(policy, requested({ price })));
    expect(catalog.memo.size * long.length).toBeLessThanOrEqual(200_000);
    expect(catalog.memo.size).toBeGreaterThan(0);
  });

  it('selects from a list that is too long to remember', () => {
    const long = Array.from({ length: 250_000 }, (_, index) => ({
      name: index % 2 === 0 ? 'encrypt' : 'help',
    }));
    const catalog = bindCatalog(policy, 'tools', long);
    const configuration = resolveConfiguration(policy, requested({ cost: 'minimal' }));
    expect(select(catalog, configuration).kept).toHaveLength(125_000);
    const all = resolveConfiguration(policy, []);
    expect(select(catalog, all).kept).toHaveLength(250_000);
    expect(select(catalog, all).kept).toHaveLength(250_000);
  });

  it('reports the first few values that the policy does not declare', () => {
    const odd = Array.from({ length: 30 }, (_, index) => ({
      name: `tool${index}`,
      _meta: { concerns: { security: `level${index}`, color: 'red', size: 1 } },
    }));
    const { unknown } = bindCatalog(policy, 'tools', odd);
    expect(unknown.slice(0, 4)).toEqual([
      'security: "level0"',
      'color: "red"',
      'size: 1',
      'security: "level1"',
    ]);
    expect(unknown.length).toBeLessThanOrEqual(10);
  });
});

import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { Primitive } from '../../../src/core/engine/mapping.js';
import type { Kind, Policy } from '../../../src/core/engine/policy.js';
import { ONE_SERVER } from '../../../src/core/engine/servers/outside-names.js';
import { filterList, withWarnings } from '../../../src/core/gate/lists/filter-list.js';
import { wholeListOf } from '../../../src/core/gate/request/whole-list.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  security: { values: [low, high] }
  topic: { values: [charts, maps, news], multiple: true }
primitives:
  tools:
    open: { security: high, topic: [charts, maps] }
    weak: { security: low }
    faint: { security: low }
    news: { security: high, topic: news }
rules:
  - { id: no-rule, hide: [tools], when: { "===": [{ var: primitive.name }, ruled] } }
  - { id: no-other, hide: [tools], when: { in: [{ var: primitive.name }, [other, another]] } }
`;

interface Given {
  readonly settings?: string;
  readonly concerns?: object;
  readonly kind?: Kind;
  readonly result?: Record<string, unknown>;
  readonly narrow?: (shown: readonly Primitive[]) => readonly Primitive[];
}

const policies = new Map<string, Policy>();

/** Loads each policy once. */
function policyWith(settings: string): Policy {
  const policy = policies.get(settings) ?? policyOf(`${POLICY}settings: ${settings}\n`);
  policies.set(settings, policy);
  return policy;
}

const WARNING = { code: 'w', message: 'A warning.' };
const all = (shown: readonly Primitive[]) => shown;

/** Filters a list of tools with these names. */
function filtered(
  names: readonly string[],
  { settings = '{}', concerns = {}, kind = 'tools', result = {}, narrow = all }: Given = {},
  warnings: readonly (typeof WARNING)[] = [],
) {
  const policy = policyWith(settings);
  const items = names.map((name) => ({ name }));
  const list = wholeListOf(policy, kind, [{ [kind]: items, ...result }], ONE_SERVER);
  return filterList(list, resolveConfiguration(policy, [{ from: 'request', concerns }]), warnings, narrow);
}

const named = (...names: string[]) => names.map((name) => ({ name }));
const metaOf = (own: object) => ({ _meta: { [EXTENSION_ID]: own } });
const HIGH = { security: 'high' };

describe('a filtered list', () => {
  it('is the list of the server if no preference is in effect', () => {
    expect(filtered(['open', 'weak'])).toEqual({
      kept: named('open', 'weak'),
      shown: 2,
      items: named('open', 'weak'),
      total: 2,
      hidden: {},
      rest: {},
      meta: {},
      warnings: [],
    });
  });

  it('says what is in effect and how much is shown', () => {
    expect(filtered(['open', 'weak', 'news'], { concerns: HIGH })).toEqual({
      kept: named('open', 'news'),
      shown: 2,
      items: named('open', 'news'),
      total: 3,
      hidden: { concerns: { security: 1 } },
      rest: {},
      meta: metaOf({ concerns: HIGH, shown: 2, total: 3 }),
      warnings: [],
    });
  });

  it('does not say under enforce how much is hidden', () => {
    const { meta, total } = filtered(['open', 'weak'], {
      settings: '{ enforcement: enforce }',
      concerns: HIGH,
    });
    expect(meta).toEqual(metaOf({ concerns: HIGH, shown: 1 }));
    expect(total).toBe(2);
  });

  it('keeps everything under shadow, and counts what would be hidden', () => {
    expect(
      filtered(['open', 'weak'], { settings: '{ enforcement: shadow }', concerns: HIGH }, [WARNING]),
    ).toEqual({
      kept: named('open', 'weak'),
      shown: 1,
      items: named('open', 'weak'),
      total: 2,
      hidden: { concerns: { security: 1 } },
      rest: {},
      meta: metaOf({ warnings: [WARNING] }),
      warnings: [WARNING],
    });
  });

  it('keeps the other members of the result, and adds to its _meta', () => {
    const { rest, meta } = filtered(['open'], {
      concerns: HIGH,
      result: { extra: 1, _meta: { trace: 'x', [EXTENSION_ID]: 'old' }, nextCursor: 'more' },
    });
    expect(rest).toEqual({ extra: 1, _meta: { trace: 'x', [EXTENSION_ID]: 'old' } });
    expect(meta).toEqual({
      _meta: { trace: 'x', [EXTENSION_ID]: { concerns: HIGH, shown: 1, total: 1 } },
    });
  });
});

describe("the client's own filter", () => {
  const narrow = (shown: readonly Primitive[]) => shown.filter(({ name }) => name !== 'news');

  it('leaves out more, and is counted as a reason of its own', () => {
    expect(filtered(['open', 'weak', 'news'], { concerns: HIGH, narrow })).toMatchObject({
      kept: named('open', 'news'),
      shown: 1,
      items: named('open'),
      total: 3,
      hidden: { concerns: { security: 1 }, filter: 1 },
      meta: metaOf({ concerns: HIGH, shown: 1, total: 3 }),
    });
  });

  it('is not a reason if it leaves out nothing', () => {
    expect(filtered(['open', 'weak'], { concerns: HIGH, narrow }).hidden).toEqual({
      concerns: { security: 1 },
    });
  });

  it('counts under shadow only what would be shown', () => {
    expect(
      filtered(['open', 'weak', 'news'], {
        settings: '{ enforcement: shadow }',
        concerns: HIGH,
        narrow,
      }),
    ).toMatchObject({
      kept: named('open', 'weak', 'news'),
      shown: 1,
      items: named('open', 'weak'),
      hidden: { concerns: { security: 1 }, filter: 1 },
    });
  });

  it('does not make a list empty in the sense of a warning', () => {
    const { items, warnings } = filtered(['news'], { concerns: HIGH, narrow });
    expect(items).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

describe('an empty list', () => {
  const empty = (reason: string, kind = 'tools') => ({
    code: 'empty-list',
    message: `The list of ${kind} is empty: ${reason}.`,
  });

  it.each<[string, readonly string[], Given, string]>([
    ['a concern', ['weak', 'faint'], { concerns: HIGH }, 'security hides most of them'],
    [
      'the concern that hides more than another one',
      ['open', 'weak', 'faint'],
      { concerns: { security: 'high', topic: ['news'] } },
      'security hides most of them',
    ],
    [
      'a rule, beside a concern',
      ['weak', 'other', 'another'],
      { concerns: HIGH },
      'rule no-other hides most of them',
    ],
    [
      'a concern, beside a rule',
      ['weak', 'faint', 'ruled'],
      { concerns: HIGH },
      'security hides most of them',
    ],
    ['a rule', ['ruled', 'other', 'another'], {}, 'rule no-other hides most of them'],
    [
      'no entry',
      ['a', 'b', 'weak'],
      { settings: '{ unmapped: hide }', concerns: HIGH },
      'the policy maps none of them',
    ],
    [
      'a concern, beside some without an entry',
      ['a', 'weak', 'faint'],
      { settings: '{ unmapped: hide }', concerns: HIGH },
      'security hides most of them',
    ],
  ])('has the reason that hides most: %s', (_what, names, given, reason) => {
    const { meta, warnings, items } = filtered(names, given, [WARNING]);
    expect(items).toEqual([]);
    expect(warnings).toEqual([WARNING, empty(reason)]);
    expect(meta).toMatchObject(metaOf({ warnings: [WARNING, empty(reason)] }));
  });

  it('has its reason only in the log under enforce', () => {
    const { meta, warnings } = filtered(['weak'], {
      settings: '{ enforcement: enforce }',
      concerns: HIGH,
    });
    expect(meta).toEqual(metaOf({ concerns: HIGH, shown: 0 }));
    expect(warnings).toEqual([empty('security hides most of them')]);
  });

  it.each<[string, readonly string[], Given]>([
    ['of a server that lists nothing', [], { concerns: HIGH }],
    [
      'under shadow, where it is not empty',
      ['weak'],
      { settings: '{ enforcement: shadow }', concerns: HIGH },
    ],
    ['with one item', ['open', 'weak'], { concerns: HIGH }],
  ])('has no reason %s', (_what, names, given) => {
    expect(filtered(names, given).warnings).toEqual([]);
  });

  it('names its kind', () => {
    const { warnings } = filtered([], {
      kind: 'resources',
      settings: '{ unmapped: hide }',
      result: { resources: [{ uri: 'file:///a' }] },
    });
    expect(warnings).toEqual([empty('the policy maps none of them', 'resources')]);
  });
});

describe('a value of the server that the policy does not declare', () => {
  it('is a warning for the log only', () => {
    const tools = [{ name: 'a', _meta: { concerns: { security: 'secret' } } }];
    const { warnings, meta } = filtered([], { result: { tools } });
    const message =
      'A value in _meta.concerns of the server\'s tools is ignored, because the policy does not declare it (security: "secret").';
    expect(warnings).toEqual([{ code: 'unknown-meta-value', message }]);
    expect(meta).toEqual({});
  });
});

describe('transparency', () => {
  it('adds the values of each primitive, one alone or several as a list', () => {
    const tools = [
      { name: 'open', title: 'Open', _meta: { trace: 'x', concerns: 'of the server' } },
      { name: 'weak' },
      { name: 'free' },
    ];
    const { items, kept } = filtered([], { settings: '{ transparency: true }', result: { tools } });
    expect(items).toEqual([
      {
        name: 'open',
        title: 'Open',
        _meta: { trace: 'x', concerns: { security: 'high', topic: ['charts', 'maps'] } },
      },
      { name: 'weak', _meta: { concerns: { security: 'low' } } },
      { name: 'free', _meta: { concerns: {} } },
    ]);
    expect(kept).toEqual(tools);
  });
});

describe('warnings of a result', () => {
  it('are added to its _meta', () => {
    expect(withWarnings({ tools: [], _meta: { trace: 'x' } }, [WARNING])).toEqual({
      tools: [],
      _meta: { trace: 'x', [EXTENSION_ID]: { warnings: [WARNING] } },
    });
    expect(withWarnings({ tools: [] }, [WARNING])).toEqual({
      tools: [],
      ...metaOf({ warnings: [WARNING] }),
    });
  });

  it('that are none leave the same object', () => {
    const result = { tools: [], _meta: { trace: 'x' } };
    expect(withWarnings(result, [])).toBe(result);
  });
});

import jsonLogic, { type RulesLogic } from 'json-logic-js';
import { describe, expect, it } from 'vitest';
import { compileExpression, isTruthy, readPath } from '../../src/core/engine/expression/evaluate.js';
import { parseExpression } from '../../src/core/engine/expression/parse.js';
import { SlotTable } from '../../src/core/engine/expression/slots.js';
import { bindCatalog, resolveConfiguration, select } from '../../src/core/engine/index.js';
import { policyOf, yaml } from '../policy/author.js';

const ofTool = { '===': [{ var: 'primitive.name' }, 'a'] };
const ofHost = { '===': [{ var: 'concerns.level' }, 'low'] };
const data = { primitive: { name: 'a', tags: ['x'] }, concerns: { level: 'low' } };
const hostOnly = { concerns: { level: 'low' } };

const compile = (json: unknown, slots?: SlotTable) =>
  compileExpression(parseExpression(json).expression, slots);

/** Compiles an expression with slots; `evaluate` fills them and evaluates the rest. */
function slotted(logic: unknown, slots = new SlotTable()) {
  const rule = compile(logic, slots);
  return { slots, evaluate: (given: object, tool: object) => rule.evaluate(given, slots.fill(tool)) };
}

describe('slots', () => {
  it('hold the parts that depend only on the primitive, computed once per primitive', () => {
    const { slots, evaluate } = slotted({ and: [ofTool, ofHost] });
    expect(slots.parts).toHaveLength(1);
    expect(slots.fill({ name: 'a' })).toEqual([true]);
    expect(slots.fill({ name: 'b' })).toEqual([false]);
    // The primitive itself is no longer read.
    expect(evaluate(hostOnly, { name: 'a' })).toBe(true);
    expect(evaluate(hostOnly, { name: 'b' })).toBe(false);
  });

  it('hold a whole rule that reads only the primitive', () => {
    const { slots, evaluate } = slotted({ or: [ofTool, { in: ['x', { var: 'primitive.tags' }] }] });
    expect(slots.parts).toHaveLength(1);
    expect(evaluate({}, { name: 'b', tags: ['x'] })).toBe(true);
    expect(evaluate({}, { name: 'b', tags: [] })).toBe(false);
  });

  it('hold a part that reads the primitive as a whole', () => {
    expect(slotted({ '!!': { var: 'primitive' } }).slots.parts).toHaveLength(1);
    expect(slotted({ '!!': { var: 'primitives' } }).slots.parts).toHaveLength(0);
  });

  it('hold the largest part instead of its operands', () => {
    const { slots } = slotted({
      and: [ofHost, { or: [ofTool, { '!': [ofTool] }, { in: ['x', { var: 'primitive.tags' }] }] }],
    });
    expect(slots.parts).toHaveLength(1);
    expect(slots.fill({ name: 'b', tags: [] })).toEqual([true]);
  });

  it('are shared by rules that share a part', () => {
    const slots = new SlotTable();
    const first = slotted({ and: [ofTool, ofHost] }, slots);
    const second = slotted({ or: [ofHost, ofTool, { var: 'primitive.title' }] }, slots);
    expect(slots.parts).toHaveLength(2);
    expect(first.evaluate(hostOnly, { name: 'a' })).toBe(true);
    expect(second.evaluate({}, { name: 'b', title: 'T' })).toBe('T');
  });

  it('are empty for constants and for parts that do not read the primitive', () => {
    const { slots, evaluate } = slotted({ and: [ofHost, true, { in: ['a', ['a', 'b']] }] });
    expect(slots.parts).toEqual([]);
    expect(evaluate(hostOnly, {})).toBe(true);
  });

  it('hold one operand of a mixed comparison, and the item of a mixed list', () => {
    const compares = slotted({ '===': [{ var: 'primitive.name' }, { var: 'claims.tool' }] });
    expect(compares.slots.parts).toHaveLength(1);
    expect(compares.evaluate({ claims: { tool: 'a' } }, { name: 'a' })).toBe(true);
    expect(compares.evaluate({ claims: { tool: 'b' } }, { name: 'a' })).toBe(false);
    const member = slotted({
      in: [{ var: 'claims.tool' }, ['z', { var: 'primitive.name' }, { var: 'claims.other' }]],
    });
    expect(member.slots.parts).toHaveLength(1);
    expect(member.evaluate({ claims: { tool: 'a' } }, { name: 'a' })).toBe(true);
  });

  it('hold each missing path of the primitive', () => {
    const missing = slotted({ missing: ['primitive.title', 'claims.role', 'primitive.name'] });
    expect(missing.slots.parts).toHaveLength(2);
    expect(missing.evaluate({ claims: {} }, { name: 'a' })).toEqual(['primitive.title', 'claims.role']);
    expect(missing.evaluate({ claims: { role: 'x' } }, { name: 'a', title: 'T' })).toEqual([]);
  });

  it('hold a quantifier, whose condition reads items instead of the data', () => {
    const items = { '===': [{ var: 'primitive' }, 'x'] };
    const some = slotted({ and: [ofHost, { some: [{ var: 'primitive.tags' }, items] }] });
    expect(some.slots.parts).toHaveLength(1);
    expect(some.evaluate(hostOnly, { tags: [{ primitive: 'x' }] })).toBe(true);
    expect(some.evaluate(hostOnly, { tags: ['x'] })).toBe(false);
    // The caller's lists are not known when slots are filled.
    const caller = slotted({ some: [{ var: 'claims.groups' }, { '===': [{ var: '' }, 'x'] }] });
    expect(caller.slots.parts).toEqual([]);
    expect(caller.evaluate({ claims: { groups: ['x'] } }, {})).toBe(true);
  });

  it('do not separate primitives that differ only in fields that no rule reads', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns: { level: { values: [low, high] } }
      rules: [{ id: a, hide: [tools], when: { and: [{ "===": [{ var: primitive.title }, T] }, { "===": [{ var: concerns.level }, low] }] } }]
    `);
    const tools = [
      { name: 'a' },
      { name: 'b' },
      { name: 'c', title: 'T' },
      { name: 'd', title: 'T' },
      { name: 'e', title: 'U' },
    ];
    const catalog = bindCatalog(policy, 'tools', tools);
    expect(catalog.classOf).toEqual([0, 0, 1, 1, 0]);
    const { kept, hidden } = select(
      catalog,
      resolveConfiguration(policy, [{ from: 'request', concerns: { level: 'low' } }]),
    );
    expect(kept.map(({ name }) => name)).toEqual(['a', 'b', 'e']);
    expect(hidden).toEqual({ rules: { a: 2 } });
  });
});

it('primitives in which a rule reads no number, null or a text are in different classes', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns: { level: { values: [low, high] } }
    rules: [{ id: a, hide: [tools], when: { "===": [{ var: primitive.meta.value }, { var: concerns.level }] } }]
  `);
  const { NaN: none, POSITIVE_INFINITY: most } = Number;
  const values = [none, null, 'NaN', none, null, most, -most, 'null', [none], [null], [most], 'true', true];
  const tools = values.map((value, index) => ({ name: `tool${index}`, _meta: { value } }));
  expect(bindCatalog(policy, 'tools', tools).classOf).toEqual([0, 1, 2, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10]);
});

it('primitives in which a rule reads what nests too deeply to compare are in classes of their own', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns: { level: { values: [low, high] } }
    rules: [{ id: a, hide: [tools], when: { "===": [{ var: primitive.meta.value }, { var: concerns.level }] } }]
  `);
  const deep = (): unknown => JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  const tools = [deep(), 'text', deep(), 'text'].map((value) => ({ name: 'tool', _meta: { value } }));
  expect(bindCatalog(policy, 'tools', tools).classOf).toEqual([0, 1, 2, 1]);
});

describe('the fallback of a path', () => {
  const named = { var: ['primitive.title', { var: ['claims.name', { var: 'primitive.name' }] }] };

  it('can be any expression, as in json-logic-js', () => {
    for (const [primitive, claims] of [
      [{ title: 'T', name: 'n' }, { name: 'c' }],
      [{ name: 'n' }, { name: 'c' }],
      [{ name: 'n' }, {}],
      [{}, {}],
    ] as const) {
      const expected = jsonLogic.apply(named as RulesLogic, { primitive, claims });
      expect(compile(named).evaluate({ primitive, claims }, [])).toBe(expected);
      expect(slotted(named).evaluate({ claims }, primitive)).toBe(expected);
    }
  });

  it('adds its own paths to the paths of the rule', () => {
    expect(compile(named).paths).toEqual(['primitive.title', 'claims.name', 'primitive.name']);
    expect(slotted({ var: ['primitive.title', { var: 'primitive.name' }] }).slots.parts).toHaveLength(1);
  });
});

describe('the paths of a rule', () => {
  it('are the paths that it reads, once each, in order, without the paths of items', () => {
    const { paths } = compile({
      and: [
        { '!!': { var: 'concerns.level' } },
        { missing: ['claims.role', 'concerns.level'] },
        { some: [{ var: 'claims.groups' }, { '===': [{ var: 'name' }, { var: 'kind' }] }] },
        { if: [{ in: [{ var: ['primitive.name', 'x'] }, [{ var: 'client.capabilities.roots' }]] }, 1] },
      ],
    });
    expect(paths).toEqual([
      'concerns.level',
      'claims.role',
      'claims.groups',
      'primitive.name',
      'client.capabilities.roots',
    ]);
  });

  it('read only own properties and indexes', () => {
    expect(readPath(data, 'primitive.tags.0')).toBe('x');
    expect(readPath(data, 'primitive.name.length')).toBe(1);
    expect(readPath(data, 'primitive.tags.1')).toBeUndefined();
    expect(readPath(data, 'primitive.tags.map')).toBeUndefined();
    expect(readPath(data, 'primitive.none.deeper')).toBeUndefined();
    expect(readPath(null, 'primitive')).toBeUndefined();
    expect(readPath({ a: null }, 'a.b')).toBeUndefined();
    expect(readPath(data, '')).toBe(data);
    for (const whole of ['', null, []]) expect(compile({ var: whole }).evaluate(data, [])).toBe(data);
  });
});

describe('truth', () => {
  it.each([
    [true, true],
    ['0', true],
    [[0], true],
    [{}, true],
    [[], false],
    ['', false],
    [0, false],
    [null, false],
    [undefined, false],
  ])('%j is %j', (value, truth) => {
    expect(isTruthy(value)).toBe(truth);
  });
});

describe('results beyond the reference', () => {
  it.each<[string, unknown, unknown]>([
    ['in does not search a text', { in: ['a', 'abc'] }, false],
    ['in an unset list', { in: ['a', { var: 'none' }] }, false],
    ['some of an unset list', { some: [{ var: 'none' }, true] }, false],
    ['all of a text', { all: ['abc', true] }, false],
    ['none of an unset list', { none: [{ var: 'none' }, true] }, true],
    ['between with null as the upper bound', { '<': [1, 2, { var: ['none', null] }] }, false],
    ['between with an undefined upper bound', { '<': [1, 2, { and: [] }] }, true],
    ['> compares two operands', { '>': [3, 2, 5] }, true],
    ['>= compares two operands', { '>=': [3, 2, 5] }, true],
    ['a mapping of several keys is data', { a: 1, b: 2 }, { a: 1, b: 2 }],
    ['a fallback', { var: ['none', 'x'] }, 'x'],
    ['a fallback does not replace null', { var: ['nothing', 'x'] }, null],
    ['an empty text is missing', { missing: ['empty', 'name'] }, ['empty']],
    ['missing with a nested list of paths', { missing: [['empty', 'none']] }, ['empty', 'none']],
  ])('are defined: %s', (_name, logic, value) => {
    expect(compile(logic).evaluate({ nothing: null, empty: '', name: 'n' }, [])).toEqual(value);
  });

  it.each([
    ['<', [false, false, true]],
    ['<=', [false, true, true]],
    ['>', [true, false, false]],
    ['>=', [true, true, false]],
  ])('%s compares in its direction', (operator, [above, equal, below]) => {
    const holds = (a: number, b: number) => compile({ [operator]: [a, b] }).evaluate({}, []);
    expect([holds(2, 1), holds(1, 1), holds(1, 2)]).toEqual([above, equal, below]);
  });
});

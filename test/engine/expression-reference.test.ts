import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import jsonLogic from 'json-logic-js';
import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../src/core/engine/expression/evaluate.js';
import { OPERAND_COUNTS } from '../../src/core/engine/expression/expression.js';
import { parseExpression } from '../../src/core/engine/expression/parse.js';
import { SlotTable } from '../../src/core/engine/expression/slots.js';
import { sample } from '../sample.js';

interface Case {
  readonly description: string;
  readonly rule: unknown;
  readonly data?: unknown;
  readonly result: unknown;
}

const SHARED = '../shared/json-logic/compatible.json';

/** Whether an expression uses only our operators, and `in` only with a list as its right operand. */
function usesOnlyOurs(rule: unknown, data: unknown): boolean {
  if (Array.isArray(rule)) return rule.every((each) => usesOnlyOurs(each, data));
  if (typeof rule !== 'object' || rule === null) return true;
  return Object.entries(rule).every(([operator, operands]) => {
    if (!Object.hasOwn(OPERAND_COUNTS, operator)) return false;
    const [, right] = Array.isArray(operands) ? operands : [operands];
    if (operator === 'in' && !Array.isArray(jsonLogic.apply(right as never, data))) return false;
    return usesOnlyOurs(operands, data);
  });
}

const compile = (rule: unknown, slots?: SlotTable) =>
  compileExpression(parseExpression(rule).expression, slots);
const evaluate = (rule: unknown, data: unknown): unknown => compile(rule).evaluate(data, []);

describe('the operators compared with json-logic-js', () => {
  const own: readonly Case[] = [
    { description: 'equal', rule: { '===': [1, 1] }, result: true },
    { description: 'no coercion', rule: { '===': [1, '1'] }, result: false },
    { description: 'unequal', rule: { '!==': [1, '1'] }, result: true },
    { description: 'a missing path is null', rule: { var: 'a.b' }, data: { a: 1 }, result: null },
    { description: 'a fallback', rule: { var: ['a', 7] }, data: {}, result: 7 },
    { description: 'the whole data', rule: { var: '' }, data: 5, result: 5 },
    { description: 'an index', rule: { var: 'a.1' }, data: { a: [1, 2] }, result: 2 },
    { description: 'and returns the first false value', rule: { and: [1, 0, 3] }, result: 0 },
    { description: 'and returns the last value', rule: { and: [1, 2] }, result: 2 },
    { description: 'or returns the first true value', rule: { or: [0, 'a', 1] }, result: 'a' },
    { description: 'an empty list is false', rule: { '!': [[]] }, result: true },
    { description: 'the text 0 is true', rule: { '!!': ['0'] }, result: true },
    { description: 'if without else', rule: { if: [false, 1] }, result: null },
    { description: 'else if', rule: { if: [false, 1, true, 2, 3] }, result: 2 },
    { description: 'between', rule: { '<': [1, 2, 3] }, result: true },
    { description: 'not between', rule: { '<=': [1, 4, 3] }, result: false },
    { description: 'in a list', rule: { in: ['a', ['b', 'a']] }, result: true },
    { description: 'missing', rule: { missing: ['a', 'b'] }, data: { a: 1 }, result: ['b'] },
    { description: 'an empty text is missing', rule: { missing: ['a'] }, data: { a: '' }, result: ['a'] },
    { description: 'all of an empty list', rule: { all: [[], true] }, result: false },
    { description: 'none of an empty list', rule: { none: [[], true] }, result: true },
    {
      description: 'some',
      rule: { some: [{ var: 'a' }, { '>': [{ var: 'n' }, 1] }] },
      data: { a: [{ n: 1 }, { n: 2 }] },
      result: true,
    },
  ];

  it.each(own)('agree: $description', ({ rule, data, result }) => {
    expect(evaluate(rule, data)).toEqual(result);
    expect(jsonLogic.apply(rule as never, data)).toEqual(result);
  });

  const shared: readonly Case[] = existsSync(SHARED)
    ? (JSON.parse(readFileSync(SHARED, 'utf8')) as (Case | string)[]).filter(
        (each) => typeof each !== 'string',
      )
    : [];
  it.skipIf(shared.length === 0)(
    `all cases of the compatible suite that use only these${shared.length === 0 ? ` (skipped: ${SHARED} is not here)` : ''}`,
    () => {
      const ours = shared.filter(({ rule, data }) => usesOnlyOurs(rule, data));
      expect(ours.length).toBeGreaterThan(150);
      for (const { rule, data, result } of ours) {
        expect.soft(evaluate(rule, data), JSON.stringify({ rule, data })).toEqual(result);
      }
    },
  );
});

/** Data in the shape that rules get, with values that are difficult to compare. */
const scalar = fc.constantFrom<unknown>('a', 'b', '', '1', 0, 1, 2, -3, true, false, null);
const list = fc.array(fc.constantFrom<unknown>('a', 'b', 1, null), { maxLength: 3 });
const dataOf = fc.record(
  {
    primitive: fc.record({
      name: scalar,
      tags: list,
      annotations: fc.record({ hint: scalar }, { requiredKeys: [] }),
    }),
    concerns: fc.record({ one: scalar, many: list }, { requiredKeys: [] }),
    claims: fc.record({ role: scalar, groups: list }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const paths = [
  'primitive.name',
  'primitive.tags',
  'primitive.annotations.hint',
  'concerns.one',
  'concerns.many',
  'claims.role',
  'claims.groups',
];
const { expression } = fc.letrec<{ expression: unknown }>((tie) => {
  const read = fc.constantFrom(...paths).map((path) => ({ var: path }));
  const sub = tie('expression');
  const item = fc.oneof(
    fc.constant({ '===': [{ var: '' }, 'a'] }),
    fc.constant({ '!!': [{ var: '' }] }),
    fc.constant({ in: [{ var: '' }, ['a', 1]] }),
  );
  const lists = fc.constantFrom(
    { var: 'primitive.tags' },
    { var: 'concerns.many' },
    { var: 'claims.groups' },
    ['a', 1],
  );
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'rule' },
      scalar,
      read,
      fc.tuple(fc.constantFrom(...paths), scalar).map((given) => ({ var: given })),
      fc.subarray(paths, { minLength: 1 }).map((given) => ({ missing: given })),
      fc
        .tuple(fc.constantFrom('===', '!==', '<', '<=', '>', '>='), sub, sub)
        .map(([op, a, b]) => ({ [op]: [a, b] })),
      fc.tuple(fc.constantFrom('<', '<='), sub, sub, sub).map(([op, ...given]) => ({ [op]: given })),
      fc.tuple(fc.constantFrom('!', '!!'), sub).map(([op, a]) => ({ [op]: [a] })),
      fc
        .tuple(fc.constantFrom('and', 'or', 'if'), fc.array(sub, { minLength: 1, maxLength: 4 }))
        .map(([op, given]) => ({
          [op]: given,
        })),
      fc.tuple(sub, lists).map(([a, b]) => ({ in: [a, b] })),
      fc.tuple(fc.constantFrom('some', 'all', 'none'), lists, item).map(([op, a, b]) => ({ [op]: [a, b] })),
    ),
  };
});

it('agrees with json-logic-js on random rules and data, with slots and without', () => {
  fc.assert(
    fc.property(expression, dataOf, (rule, data) => {
      const expected = jsonLogic.apply(rule as never, data);
      const slots = new SlotTable();
      const slotted = compile(rule, slots);
      const values = slots.fill((data as { primitive?: unknown }).primitive);
      expect(evaluate(rule, data)).toEqual(expected);
      // Once the slots are filled, the primitive itself is no longer read.
      expect(slotted.evaluate({ ...data, primitive: undefined }, values)).toEqual(expected);
    }),
    { numRuns: sample(10_000) },
  );
});

it('reads own properties only', () => {
  for (const path of [
    'constructor',
    'toString',
    '__proto__',
    'claims.constructor',
    'claims.hasOwnProperty',
  ]) {
    expect(evaluate({ var: path }, { claims: {} })).toBeNull();
  }
});

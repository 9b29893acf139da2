import { describe, expect, it } from 'vitest';
import type { Expression } from '../../src/core/engine/expression/expression.js';
import { exceedsLimits, type ParseProblem, parseExpression } from '../../src/core/engine/expression/parse.js';
import { preparePolicy } from '../../src/core/engine/index.js';
import { EMPTY } from './small-policies.js';

/** The expression without the JSON and the place of each part. */
function bare(expression: Expression): unknown {
  const { json: _json, place: _place, ...node } = expression;
  switch (node.type) {
    case 'list':
      return node.items.map(bare);
    case 'literal':
      return node.value;
    case 'read':
      return { ...node, fallback: node.fallback && bare(node.fallback) };
    case 'missing':
      return node;
    case 'quantified':
      return { ...node, list: bare(node.list), condition: bare(node.condition) };
    case 'operation':
      return { ...node, operands: node.operands.map(bare) };
  }
}

describe('a parsed expression', () => {
  it.each<[string, unknown, unknown]>([
    ['a constant', 'text', 'text'],
    ['a list', [1, null], [1, null]],
    ['a path', { var: 'claims.a' }, { type: 'read', path: 'claims.a', fallback: undefined }],
    ['a path with a fallback', { var: ['claims.a', 7] }, { type: 'read', path: 'claims.a', fallback: 7 }],
    ['one missing path', { missing: 'claims.a' }, { type: 'missing', paths: ['claims.a'] }],
    ['missing paths in a list', { missing: [['a', 'b']] }, { type: 'missing', paths: ['a', 'b'] }],
    [
      'an operand without a list',
      { '!': { var: 'claims.a' } },
      {
        type: 'operation',
        operator: '!',
        operands: [{ type: 'read', path: 'claims.a', fallback: undefined }],
      },
    ],
    [
      'a quantifier, in which the empty path is the item',
      { some: [['a'], { var: '' }] },
      {
        type: 'quantified',
        operator: 'some',
        list: ['a'],
        condition: { type: 'read', path: '', fallback: undefined },
      },
    ],
  ])('represents %s', (_name, json, expected) => {
    const { expression, problems, invalid } = parseExpression(json);
    expect(bare(expression)).toEqual(expected);
    expect(expression.json).toBe(json);
    expect([problems, invalid.size]).toEqual([[], 0]);
  });

  it('knows the place of each part', () => {
    const { expression } = parseExpression({ and: [true, { '!': { in: ['a', ['b']] } }] });
    const places: unknown[] = [];
    const visit = (part: Expression): void => {
      places.push(part.place.join('/'));
      if (part.type === 'operation') part.operands.forEach(visit);
      if (part.type === 'list') part.items.forEach(visit);
    };
    visit(expression);
    expect(places).toEqual([
      '',
      'and/0',
      'and/1',
      'and/1/!',
      'and/1/!/in/0',
      'and/1/!/in/1',
      'and/1/!/in/1/0',
    ]);
  });
});

describe('the problems of an expression', () => {
  it.each<[string, unknown, ParseProblem[]]>([
    ['an object without keys', {}, [{ code: 'not-an-operation', place: [], keys: 0 }]],
    ['several keys', { '!': [{ a: 1, b: 2 }] }, [{ code: 'not-an-operation', place: ['!', 0], keys: 2 }]],
    [
      'an operator',
      { '!': { toString: 1 } },
      [{ code: 'unknown-operator', place: ['!'], operator: 'toString' }],
    ],
    [
      'too many operands',
      { '!': [1, 2] },
      [{ code: 'operand-count', place: ['!'], operator: '!', count: 2 }],
    ],
    ['a computed path', { var: { var: 'a' } }, [{ code: 'computed-path', place: ['var'] }]],
    ['an empty path', { var: '' }, [{ code: 'computed-path', place: ['var'] }]],
    ['a computed missing path', { missing: ['a', 1] }, [{ code: 'computed-path', place: ['missing'] }]],
    [
      'several problems',
      { and: [{ cat: [] }, { '<': [1] }] },
      [
        { code: 'unknown-operator', place: ['and', 0], operator: 'cat' },
        { code: 'operand-count', place: ['and', 1, '<'], operator: '<', count: 1 },
      ],
    ],
  ])('have a place: %s', (_name, json, problems) => {
    expect(parseExpression(json).problems).toEqual(problems);
  });

  it('do not include the operands of an operation that has the wrong number of them', () => {
    expect(parseExpression({ '===': [{ cat: [] }] }).problems).toEqual([
      { code: 'operand-count', place: ['==='], operator: '===', count: 1 },
    ]);
  });

  it('do not include a number as the path of an item', () => {
    expect(parseExpression({ some: [{ var: 'claims.a' }, { var: 1 }] }).problems).toEqual([]);
  });
});

it('bounds the depth and the number of parts', () => {
  const nested = (depth: number): unknown => (depth === 0 ? true : { '!': nested(depth - 1) });
  expect([exceedsLimits(nested(32)), exceedsLimits(nested(33)), exceedsLimits(nested(5000))]).toEqual([
    false,
    true,
    true,
  ]);
  // The operator and its list count as a part each.
  expect(exceedsLimits({ or: new Array(998).fill(true) })).toBe(false);
  expect(exceedsLimits({ or: new Array(999).fill(true) })).toBe(true);
});

it('rejects a compiled policy with an operator that this version does not know', () => {
  const rule = { id: 'r', effect: 'show', kinds: ['tools'], when: { cat: ['a'] }, file: 0, line: 1 } as const;
  expect(() => preparePolicy({ ...EMPTY, rules: [rule] })).toThrow(
    new TypeError('The condition of rule "r" has an unknown operator, "cat".'),
  );
  const assign = { when: { '!': { cat: ['a'] } }, file: 0, line: 3, values: {} };
  expect(() => preparePolicy({ ...EMPTY, files: ['policy.yaml'], assign: [assign] })).toThrow(
    new TypeError('The condition of "assign" in policy.yaml:3 has an unknown operator, "cat".'),
  );
});

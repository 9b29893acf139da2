import { expect, it } from 'vitest';
import { quoted } from '../../src/core/engine/match/quoted.js';

const round: { self?: unknown } = {};
round.self = round;

it.each([
  ['low', '"low"'],
  [7, '7'],
  [['a', null], '["a",null]'],
  [undefined, 'undefined'],
  ['x'.repeat(78), `"${'x'.repeat(78)}"`],
  ['x'.repeat(79), `"${'x'.repeat(78)}…`],
  ['x'.repeat(1_000_000), `"${'x'.repeat(78)}…`],
  [['x'.repeat(100)], `["${'x'.repeat(77)}…`],
  [7n, 'a value of type bigint'],
  [round, 'a value of type object'],
])('a value of a client is quoted in a message: case %#', (value, expected) => {
  expect(quoted(value)).toBe(expected);
});

import { expect, it } from 'vitest';
import { joined, partOf, quantity } from '../../src/cli/terminal/quantities.js';

it.each([
  [quantity(0, 'error'), '0 errors'],
  [quantity(1, 'error'), '1 error'],
  [quantity(1234, 'error'), '1,234 errors'],
  [partOf(1, 1, 'line', ['has', 'have']), '1 of 1 line has'],
  [partOf(1, 4, 'line', ['has', 'have']), '1 of 4 lines has'],
  [partOf(2, 4, 'line', ['has', 'have']), '2 of 4 lines have'],
  [partOf(0, 4, 'line', ['has', 'have']), '0 of 4 lines have'],
  [joined(['a']), 'a'],
  [joined(['a', 'b', 'c'], 'or'), 'a, b or c'],
])('%s', (text, expected) => {
  expect(text).toBe(expected);
});

import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/core/gate/lists/wildcard-pattern.js';

it.each([
  ['?', '\uffff', true],
  ['?', '😀', true],
  ['??', '😀', false],
  ['a?b', 'a😀b', true],
  ['?a', '\ud83da', true],
])('matches whole characters: %j and %j', (pattern, text, expected) => {
  expect(compilePattern(pattern)([...text])).toBe(expected);
});

describe('a part between stars', () => {
  const matches = (pattern: string, text: string) => compilePattern(pattern)([...text]);

  it.each([31, 32, 33, 40, 64, 65])('of %d characters is found as a whole only', (length) => {
    const part = `${'a'.repeat(length - 1)}b`;
    expect(matches(`*${part}*`, `xx${part}yy`)).toBe(true);
    expect(matches(`*${part}*`, part)).toBe(true);
    expect(matches(`*${part}*`, `xx${part.slice(1)}yy`)).toBe(false);
    expect(matches(`*${part}*`, `xx${part.slice(0, -1)}yy`)).toBe(false);
    expect(matches(`*${'a'.repeat(length)}*`, 'a'.repeat(length - 1))).toBe(false);
    expect(matches(`*${'a'.repeat(length)}*`, 'a'.repeat(length))).toBe(true);
  });

  it.each([
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['ab*c*ba', 'abba', false],
    ['ab*c*ba', 'abcba', true],
    ['a*?b', 'ab', false],
    ['a*?b', 'axb', true],
    ['a?*b', 'ab', false],
    ['*a*a*', 'a', false],
    ['*a*a*', 'aa', true],
    ['*a*??', 'ab', false],
    ['*a*??', 'abc', true],
  ])('%s and %s: parts do not overlap', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });
});

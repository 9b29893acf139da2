import { describe, expect, it } from 'vitest';
import { codePointsOf, compilePattern } from '../../../src/gate/lists/wildcard-pattern.js';

describe('the code points of a text', () => {
  it.each<[string, readonly number[]]>([
    ['', []],
    ['ab', [97, 98]],
    ['\uffffa', [0xffff, 97]],
    ['\u{10000}a', [0x10000, 97]],
    ['a😀b', [97, 0x1f600, 98]],
    ['\ud83da', [0xd83d, 97]],
  ])('of %j', (text, points) => {
    expect(codePointsOf(text)).toEqual(points);
  });
});

describe('a part between stars', () => {
  const matches = (pattern: string, text: string) => compilePattern(pattern)(codePointsOf(text));

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

import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../src/core/engine/match/glob.js';

describe('a pattern', () => {
  it.each([
    ['*', ['', 'a', 'log/data', 'log\ndata'], []],
    ['log*', ['log', 'logData'], ['lo', 'Log', 'blog', '']],
    ['*log', ['log', 'blog'], ['logs', 'lo']],
    ['*log*', ['log', 'blogs'], ['lg', 'l-o-g']],
    ['a*b*c', ['abc', 'a--b--c', 'abbc', 'abcbc'], ['ac', 'acb', 'ab', 'bc']],
    ['a*a', ['aa', 'aba', 'aaa'], ['a', '']],
    ['ab*ba', ['abba', 'abxba'], ['aba']],
    ['*a*', ['a', 'ba', 'ab'], ['', 'b']],
    ['a*b*b', ['abb', 'axbxb'], ['ab', 'axb']],
    ['*ab*ab', ['abab', 'xabyab'], ['ab', 'aab']],
    ['**', ['', 'a'], []],
    ['a**b', ['ab', 'axb'], ['a']],
    ['vault://keys/*', ['vault://keys/7', 'vault://keys/7/public', 'vault://keys/'], ['vault://keys']],
  ])('matches the names of %s and no others', (pattern, matching, others) => {
    const matches = compileGlob(pattern);
    expect(matching.filter((text) => !matches(text))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });

  it('without a star matches only the name itself', () => {
    const matches = compileGlob('logData');
    expect(['logData', 'logdata', 'logData2', 'xlogData', ''].filter(matches)).toEqual(['logData']);
    expect(compileGlob('')('')).toBe(true);
    expect(compileGlob('')('a')).toBe(false);
  });

  it.each(['a.c', 'a?c', '[abc]', '^a$', '(a|b)', 'a+', '\\w', '{a,b}', '$&'])(
    'treats every other character as literal text: %s',
    (literal) => {
      const matches = compileGlob(`${literal}*`);
      expect(matches(`${literal}d`)).toBe(true);
      expect(['abc', 'a', 'b', 'ac', 'aac', 'aad'].filter(matches)).toEqual([]);
    },
  );

  it('matches texts that cut a character in two', () => {
    expect(compileGlob('🔐*')('🔐 vault')).toBe(true);
    expect(compileGlob('*🔐')('vault 🔐')).toBe(true);
  });
});

// A matcher that backtracks needs years for these, so a failure shows as a timeout.
describe('many stars', () => {
  it('match 64 characters in time', () => {
    const matches = compileGlob('*_*_*_*_*_*_*_*_*_*!');
    expect(matches('_'.repeat(64))).toBe(false);
    expect(matches(`${'_'.repeat(63)}!`)).toBe(true);
  });

  it('match a megabyte in time', () => {
    const matches = compileGlob(`${'*a'.repeat(16)}*b`);
    expect(matches('a'.repeat(1_000_000))).toBe(false);
    expect(matches(`${'a'.repeat(1_000_000)}b`)).toBe(true);
  });
});

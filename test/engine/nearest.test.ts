import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/engine/match/nearest.js';

describe('the nearest known name', () => {
  it.each<[string, string, string[], string | undefined]>([
    ['has a letter more', 'higgh', ['low', 'high'], 'high'],
    ['has two letters swapped', 'hihg', ['low', 'high'], 'high'],
    ['is another word', 'cheap', ['low', 'high'], undefined],
    ['is as near as a third of the longer name', 'product', ['production'], 'production'],
    ['is further than that', 'produc', ['production'], undefined],
    ['differs by one of three letters', 'lox', ['low'], 'low'],
    ['differs by two of three letters', 'lwo', ['low'], undefined],
    ['is the nearest of several', 'level', ['lapel', 'levels', 'bevels'], 'levels'],
    ['is the first of several that are as near', 'lever', ['level', 'never'], 'level'],
    ['is among none', 'lever', [], undefined],
  ])('%s', (_name, written, known, meant) => {
    expect(nearest(written, known)).toBe(meant);
  });

  it('is not searched for a text that is too long to be a typing error', () => {
    expect(nearest('a'.repeat(128), ['a'.repeat(127)])).toBe('a'.repeat(127));
    expect(nearest('a'.repeat(129), ['a'.repeat(128)])).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/core/engine/match/nearest.js';

describe('the nearest known name', () => {
  it.each<[string, string, string[], string | undefined]>([
    ['is found with an additional letter', 'higgh', ['low', 'high'], 'high'],
    ['is found with two letters swapped', 'hihg', ['low', 'high'], 'high'],
    ['is not found for another word', 'cheap', ['low', 'high'], undefined],
    ['is found at a distance of a third of the longer name', 'product', ['production'], 'production'],
    ['is not found at a larger distance', 'produc', ['production'], undefined],
    ['is found with one of three letters different', 'lox', ['low'], 'low'],
    ['is not found with two of three letters different', 'lwo', ['low'], undefined],
    ['is the nearest of several', 'level', ['lapel', 'levels', 'bevels'], 'levels'],
    ['is the first of several at the same distance', 'lever', ['level', 'never'], 'level'],
    ['is not found among no names', 'lever', [], undefined],
  ])('%s', (_name, written, known, meant) => {
    expect(nearest(written, known)).toBe(meant);
  });

  it('is not searched for a text that is too long to be a typing error', () => {
    expect(nearest('a'.repeat(128), ['a'.repeat(127)])).toBe('a'.repeat(127));
    expect(nearest('a'.repeat(129), ['a'.repeat(128)])).toBeUndefined();
  });
});

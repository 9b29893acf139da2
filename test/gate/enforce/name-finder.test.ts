import { describe, expect, it } from 'vitest';
import { NameFinder, replaceParts } from '../../../src/core/gate/enforce/name-finder.js';

/** What a finder of these names finds, each as the text that it covers. */
const found = (names: readonly string[], text: string): string[] =>
  new NameFinder(names).find(text).map(({ start, end }) => text.slice(start, end));

describe('finding names in a text', () => {
  it('gives the name and its place', () => {
    expect(new NameFinder(['logData']).find('Tool logData failed')).toEqual([
      { name: 'logData', start: 5, end: 12 },
    ]);
  });

  it.each<[string, readonly string[], string, readonly string[]]>([
    ['the whole text', ['a'], 'a', ['a']],
    ['every occurrence', ['a'], 'a, (a) a', ['a', 'a', 'a']],
    ['no name inside a word', ['log', 'a'], 'catalog logs blogger 7a a7', []],
    ['a word between marks', ['log'], '"log"-log.', ['log', 'log']],
    ['a name of several words', ['get log'], 'get log get', ['get log']],
    ['no part of a name', ['get log data'], 'get log, log data', []],
    ['a name that begins and ends with a mark', ['[a]'], 'x[a]x', ['[a]']],
    ['a mark alone', ['-'], 'a-b--', ['-', '-', '-']],
    ['a name at a digit', ['a1', '2'], 'a1 12 2', ['a1', '2']],
    ['names in any script', ['schlüssel', 'ключ', '鍵'], 'schlüssel ключ 鍵', ['schlüssel', 'ключ', '鍵']],
    ['only the same capitals', ['Log'], 'log LOG Log', ['Log']],
    ['no name in an empty text', ['a'], '', []],
    ['nothing without names', [], 'any text', []],
    ['nothing for an empty name', [''], 'any text', []],
    ['nothing for an empty name among others', ['', 'a b'], 'b a b', ['a b']],
    ['a word next to the last character of its plane', ['a'], '\uffffa\uffff', ['a']],
  ])('finds %s', (_what, names, text, expected) => {
    expect(found(names, text)).toEqual(expected);
  });

  it('finds the longest of the names that end at a place, in any order of the names', () => {
    for (const names of [
      ['data', 'log data', 'get log data'],
      ['get log data', 'log data', 'data'],
    ]) {
      expect(found(names, 'get log data; set log data; the data')).toEqual([
        'get log data',
        'log data',
        'data',
      ]);
    }
  });

  it('finds names that overlap', () => {
    expect(found(['get log', 'log data', 'log'], 'get log data')).toEqual(['get log', 'log data']);
  });

  it.each([
    ['inside the begin of a longer name', ['a b c d', 'b c x', 'c'], 'a b c', ['c']],
    ['after longer names that fail one after the other', ['a b c d', 'b c e', 'c f'], 'a b c f', ['c f']],
    ['after a begin that repeats', ['a a b'], 'a a a b', ['a a b']],
    ['after a begin that an unknown word ends', ['a b'], 'a x b a b', ['a b']],
    [
      'of which one is the begin of the other',
      ['a', 'a b', 'a b c'],
      'a b x a b c',
      ['a', 'a b', 'a', 'a b', 'a b c'],
    ],
  ])('finds a name %s', (_where, names, text, expected) => {
    expect(found(names, text)).toEqual(expected);
  });

  it('gives the name in normalization form C, and finds it in both forms', () => {
    const decomposed = 'cle\u0301';
    const finder = new NameFinder([decomposed]);
    expect(finder.find(`${decomposed} clé clés`)).toEqual([
      { name: 'clé', start: 0, end: 4 },
      { name: 'clé', start: 5, end: 8 },
    ]);
    expect(new NameFinder(['clé']).find(`clé ${decomposed}`)).toEqual([{ name: 'clé', start: 0, end: 3 }]);
  });
});

describe('characters of two code units', () => {
  it.each<[string, readonly string[], string, readonly string[]]>([
    ['a symbol', ['😀'], 'a😀b😀', ['😀', '😀']],
    ['a word next to a symbol', ['a'], '😀a😀', ['a']],
    ['a letter as a part of a word', ['𝒳', 'a'], 'a𝒳 𝒳a 𝒳', ['𝒳']],
    ['the first letter of its plane', ['𐀀', 'a'], 'a𐀀 𐀀a 𐀀', ['𐀀']],
    ['a word of such letters', ['𝒳𝒴'], '𝒳𝒴 𝒳𝒳 𝒳', ['𝒳𝒴']],
    ['each of two letters with one first half', ['𝒳', '𝒴'], '𝒴 𝒳 𝒵', ['𝒴', '𝒳']],
    ['no other letter with the same first half', ['𝒳'], '𝒴', []],
    ['no symbol with the same first half', ['😀'], '😁', []],
    ['half of a pair only where it is alone', ['\ud835'], '𝒳 \ud835', ['\ud835']],
    ['the second half of a pair only where it is alone', ['\ude00'], '😀 \ude00', ['\ude00']],
  ])('are found: %s', (_what, names, text, expected) => {
    expect(found(names, text)).toEqual(expected);
  });
});

describe('replacing parts of a text', () => {
  const parts = (...ends: readonly [number, number][]) =>
    ends.map(([start, end]) => ({ name: '', start, end }));

  it.each([
    ['none', 'abcdef', parts(), 'abcdef'],
    ['the begin', 'abcdef', parts([0, 2]), '*cdef'],
    ['the end', 'abcdef', parts([4, 6]), 'abcd*'],
    ['all', 'abcdef', parts([0, 6]), '*'],
    ['several', 'abcdef', parts([0, 1], [2, 3], [5, 6]), '*b*de*'],
    ['parts that touch', 'abcdef', parts([1, 3], [3, 4]), 'a**ef'],
    ['parts that overlap', 'abcdef', parts([1, 3], [2, 5]), 'a*f'],
    ['a part inside a later one', 'abcdef', parts([2, 3], [1, 5]), 'a*f'],
    ['parts that a later one joins', 'abcdef', parts([0, 1], [2, 3], [3, 4], [2, 5]), '*b*f'],
    ['parts that a later one covers', 'abcdef', parts([0, 1], [2, 3], [4, 5], [0, 6]), '*'],
    ['a chain', 'abcdef', parts([0, 2], [1, 4], [3, 5]), '*f'],
  ])('%s', (_what, text, given, expected) => {
    expect(replaceParts(text, given, '*')).toBe(expected);
  });
});

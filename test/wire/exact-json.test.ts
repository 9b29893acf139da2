import { describe, expect, it } from 'vitest';
import { changedText, ExactNumber, KEEPS_NUMBERS, numberOf, parseExact } from '../../src/core/exact-json.js';
import { Random } from '../fuzz/random.js';
import { growth, LINEAR } from '../growth.js';

const NUMBERS: readonly [string, ...string[]] = [
  '1',
  '-7',
  '0.5',
  '20000000000000003',
  '1.0',
  '1e400',
  '-0',
  '1E5',
  '0.10',
  '9007199254740993',
];

/** Writes a random text of JSON, with the texts of its numbers in order. */
function randomText(random: Random): { readonly text: string; readonly numbers: readonly string[] } {
  const numbers: string[] = [];
  const space = (): string => random.pick(['', '', ' ', '\n\t']);
  const string = (): string =>
    random.pick(['""', '"a"', '"\\\\"', '"x\\"[1.0"', '"€ 1e400"', '"𝄞"', '"__proto__"', '":1.0"']);
  const value = (depth: number): string => {
    const kind = random.below(10) / 10;
    if (kind < 0.4) {
      const number = random.pick(NUMBERS);
      numbers.push(number);
      return number;
    }
    if (kind < 0.6 || depth === 0) return random.pick([string(), 'true', 'null', '{}', '[]']);
    const items = Array.from({ length: random.below(4) }, (_each, at) => {
      const name = kind < 0.8 ? `"k${at}${random.pick(['', '€', '1.0'])}"${space()}:${space()}` : '';
      return `${space()}${name}${value(depth - 1)}${space()}`;
    });
    return kind < 0.8 ? `{${items.join()}}` : `[${items.join()}]`;
  };
  const text = `${space()}${value(5)}${space()}`;
  return { text, numbers };
}

const numbersIn = (text: string): readonly string[] =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? [];

describe('numbers of JSON', () => {
  it('have the values that JSON.parse gives them, in random texts', () => {
    const random = new Random(7);
    for (let round = 0; round < 3000; round++) {
      const { text } = randomText(random);
      const plain = JSON.stringify(parseExact(text), (_key, each) => numberOf(each));
      expect(JSON.stringify(JSON.parse(plain))).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  it.skipIf(!KEEPS_NUMBERS)('are written with their text (skipped before Node.js 22, which cannot)', () => {
    const random = new Random(8);
    for (let round = 0; round < 3000; round++) {
      const { text, numbers } = randomText(random);
      expect(numbersIn(JSON.stringify(parseExact(text)))).toEqual(numbers);
    }
  });

  it('keep their text in memory in every version of Node.js', () => {
    const { id } = Object(parseExact('{"id":20000000000000003}'));
    expect(id).toBeInstanceOf(ExactNumber);
    expect(String(id)).toBe('20000000000000003');
  });

  it.each([
    ['1.0', undefined],
    ['100e-2', undefined],
    ['-0', undefined],
    ['0.10', undefined],
    ['1E5', undefined],
    ['9007199254740993', '9007199254740993'],
    ['1e400', '1e400'],
    ['0.1000000000000000000001', '0.1000000000000000000001'],
  ])('tell %s from a number that only looks different', (text, changed) => {
    expect(changedText(parseExact(text))).toBe(changed);
  });

  it('leave a member named __proto__ a member', () => {
    const value = Object(parseExact('{"__proto__":{"a":1.0}}'));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__']);
  });

  it.each(['', '{', '01', '1.', '[1,]', '{"a":1.0', '1e', 'NaN'])('refuse %j as JSON.parse does', (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it('are read in a time that grows with the text', async () => {
    const read = (size: number) => {
      const text = `[${'{"a":1.0,"b":[20000000000000003]},'.repeat(size)}1]`;
      return () => parseExact(text);
    };
    expect(await growth(read, 2000)).toBeLessThan(LINEAR);
  });
});

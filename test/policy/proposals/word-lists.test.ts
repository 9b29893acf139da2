import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const lists = new Map<string, readonly string[]>(
  Object.entries(parse(readFileSync('src/core/policy/propose/words/word-lists.yaml', 'utf8'))).flatMap(
    ([name, words]) => (typeof words === 'string' ? [[name, words.split(' ')] as const] : []),
  ),
);
const wordsOf = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => lists.get(name) ?? []);
const repeatedIn = (words: readonly string[]): readonly string[] =>
  words.filter((word, index) => words.indexOf(word) < index);

it.each([...lists])('the list %s of known words has no word twice', (_name, words) => {
  expect(repeatedIn(words)).toEqual([]);
});

it('gives each known verb one effect', () => {
  expect(repeatedIn(wordsOf('READS', 'CHANGES', 'DESTROYS'))).toEqual([]);
});

it.each(['NOUNS_TOO', 'WRITES', 'READ_OR_WRITE', 'CARRIES_OUT', 'ADDITIONS', 'ACTIONS'])(
  'knows the effect of each verb in the list %s',
  (name) => {
    const verbs = wordsOf('READS', 'CHANGES', 'DESTROYS');
    expect(wordsOf(name).length).toBeGreaterThan(0);
    expect(wordsOf(name).filter((verb) => !verbs.includes(verb))).toEqual([]);
  },
);

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameFinder, replaceParts } from '../../src/core/gate/enforce/name-finder.js';
import { sample } from '../sample.js';

const unit = fc.constantFrom(
  ...['a', 'a', 'b', 'bc', '7', ' ', '-', '.', '/', ':', '$', '[', 'é', 'e', '\u0301', 'ſ'],
  ...['😀', '\ud83d', '\ude00', '𝒳', '\ufe0f'],
);
const text = fc.string({ unit, maxLength: 30 });
const names = fc.array(fc.string({ unit, maxLength: 4 }), { maxLength: 6 });

/** Marks every UTF-16 code unit that is part of a name, with one regular expression per form of each name. */
function marksOf(names: readonly string[], text: string): readonly boolean[] {
  const marks: boolean[] = new Array(text.length).fill(false);
  for (const form of names.flatMap((name) => [name, name.normalize('NFC')])) {
    if (form === '') continue;
    const escaped = form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const before = /^[\p{L}\p{N}]/u.test(form) ? '(?<![\\p{L}\\p{N}])' : '';
    const after = /[\p{L}\p{N}]$/u.test(form) ? '(?![\\p{L}\\p{N}])' : '';
    const alone = new RegExp(`${before}${escaped}${after}`, 'gu');
    for (let match = alone.exec(text); match !== null; match = alone.exec(text)) {
      marks.fill(true, match.index, match.index + form.length);
      // Occurrences may overlap. With the flag "u", a match cannot start inside a surrogate pair.
      alone.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
    }
  }
  return marks;
}

describe('the name finder', () => {
  it('covers exactly what one regular expression per name finds', () => {
    let hits = 0;
    fc.assert(
      fc.property(names, text, (names, text) => {
        const expected = marksOf(names, text);
        const found = new NameFinder(names).find(text);
        const marks: boolean[] = new Array(text.length).fill(false);
        for (const { start, end } of found) marks.fill(true, start, end);
        expect(marks).toEqual(expected);
        expect(found.map(({ end }) => end)).toEqual(found.map(({ end }) => end).sort((a, b) => a - b));
        const known = new Set(names.map((name) => name.normalize('NFC')));
        expect(found.filter(({ name }) => !known.has(name))).toEqual([]);
        if (found.length > 0) hits++;
      }),
      { numRuns: Number(process.env.FINDER_RUNS ?? sample(3_000)) },
    );
    expect(hits).toBeGreaterThan(sample(100));
  });

  it('leaves the rest of the text as it is when the names are replaced', () => {
    fc.assert(
      fc.property(names, text, (names, text) => {
        const marks = marksOf(names, text);
        const replaced = replaceParts(text, new NameFinder(names).find(text), '\0');
        const kept = Array.from({ length: text.length }, (_, at) => (marks[at] === true ? '' : text[at]));
        expect(replaced.replaceAll('\0', '')).toBe(kept.join(''));
        if (!marks.includes(true)) expect(replaced).toBe(text);
      }),
      { numRuns: sample(3_000) },
    );
  });

  it('finds the longest name that ends at a position', () => {
    const finder = new NameFinder(['log', 'get log', 'log data', '']);
    expect(finder.find('get log data, catalog')).toEqual([
      { name: 'get log', start: 0, end: 7 },
      { name: 'log data', start: 4, end: 12 },
    ]);
  });

  it('finds nothing without names', () => {
    expect(new NameFinder([]).find('any text')).toEqual([]);
    expect(new NameFinder(['']).find('any text')).toEqual([]);
  });

  it('takes a time that does not depend on the number of names', () => {
    const text = 'Tool read_row_17 failed: no access. '.repeat(28_000);
    const finders = [10, 10_000].map(
      (count) => new NameFinder(Array.from({ length: count }, (_, index) => `read_row_x${index}`)),
    );
    const times = finders.map((finder) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const started = performance.now();
          expect(finder.find(text)).toEqual([]);
          return performance.now() - started;
        }),
      ),
    );
    // A search name by name takes a thousand times longer for a thousand times as many names.
    expect((times[1] ?? 0) / (times[0] ?? 1)).toBeLessThan(5);
  });
});

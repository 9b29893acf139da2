import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileGlob } from '../../src/core/engine/match/glob.js';
import { sample } from '../sample.js';

/** A slow reference implementation: it tracks which prefixes of the text match the pattern so far. */
function reference(pattern: string, text: string): boolean {
  const ends = [...Array(text.length + 1).keys()];
  let reached = ends.map((end) => end === 0);
  for (const token of pattern) {
    const before = reached;
    reached = [];
    for (const end of ends) {
      const longer =
        end > 0 && (token === '*' ? reached[end - 1] : before[end - 1] && text[end - 1] === token);
      reached.push(Boolean(longer) || (token === '*' && before[end] === true));
    }
  }
  return reached[text.length] === true;
}

// Two letters and many stars, because a random pattern over more letters almost never matches.
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '*'), maxLength: 14 });
const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 20 });

it('matches the same texts as the reference implementation', () => {
  let matching = 0;
  fc.assert(
    fc.property(pattern, text, (glob, name) => {
      const expected = reference(glob, name);
      if (expected) matching += 1;
      expect(compileGlob(glob)(name)).toBe(expected);
    }),
    { numRuns: sample(20_000) },
  );
  expect(matching).toBeGreaterThan(sample(2000));
});

it('matches every text that fills the stars of the pattern', () => {
  const parts = fc.array(
    fc.string({ maxLength: 4 }).filter((part) => !part.includes('*')),
    { minLength: 1 },
  );
  const fillings = fc.infiniteStream(fc.string({ maxLength: 4 }));
  fc.assert(
    fc.property(parts, fillings, (literals, fill) => {
      const [first = '', ...rest] = literals;
      const name = rest.reduce((made, part) => made + String(fill.next().value) + part, first);
      expect(compileGlob(literals.join('*'))(name)).toBe(true);
    }),
    { numRuns: sample(2000) },
  );
});

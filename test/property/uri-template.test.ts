import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileUriTemplate } from '../../src/core/engine/match/uri-template.js';
import { sample } from '../sample.js';

/** Templates of literals and `{x}`, as a list of parts: `undefined` stands for an expression. */
const parts = fc.array(fc.option(fc.constantFrom('a', 'b', '/', '?', '.', 'ab', '/a'), { nil: undefined }), {
  maxLength: 7,
});
const uri = fc.string({ unit: fc.constantFrom('a', 'b', '/', '?', '.', '#'), maxLength: 8 });

/** A slow reference implementation: an expression covers one or more characters of a segment; every length is tried. */
function coversFrom([first, ...rest]: readonly (string | undefined)[], text: string): boolean {
  if (first !== undefined) return text.startsWith(first) && covers(rest, text.slice(first.length));
  for (let length = 1; length <= text.length && !'/?#'.includes(text.charAt(length - 1)); length++) {
    if (covers(rest, text.slice(length))) return true;
  }
  return false;
}
const covers = (rest: readonly (string | undefined)[], text: string) =>
  rest.length === 0 ? text === '' : coversFrom(rest, text);

it('matches the same URIs as the reference implementation', () => {
  let covering = 0;
  fc.assert(
    fc.property(parts, uri, (template, text) => {
      const expected = covers(template, text);
      if (expected) covering += 1;
      const written = template.map((part, index) => part ?? `{x${index}}`).join('');
      expect(compileUriTemplate(written).matches(text)).toBe(expected);
    }),
    { numRuns: sample(20_000) },
  );
  expect(covering).toBeGreaterThan(sample(200));
});

it('matches every URI that is expanded from the template', () => {
  const segment = fc.string({
    unit: fc.constantFrom('a', 'b', '.', ':', '€', '🔑'),
    minLength: 1,
    maxLength: 4,
  });
  const fillings = fc.infiniteStream(segment);
  fc.assert(
    fc.property(parts, fillings, (template, fill) => {
      const written = template.map((part, index) => part ?? `{x${index}}`).join('');
      const made = template.map((part) => part ?? String(fill.next().value)).join('');
      expect(compileUriTemplate(written).matches(made)).toBe(true);
    }),
    { numRuns: sample(2000) },
  );
});

it('matches any text with an operator, including the empty text', () => {
  const operator = fc.constantFrom('{+x}', '{#x}', '{/x}', '{?x}', '{&x}', '{x*}', '{/x*}', '{?x,y}');
  fc.assert(
    fc.property(operator, uri, uri, uri, (expression, before, filling, after) => {
      expect(compileUriTemplate(before + expression + after).matches(before + filling + after)).toBe(true);
    }),
    { numRuns: sample(2000) },
  );
});

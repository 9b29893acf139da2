import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonRewriting, rewriteJson } from '../../src/core/wire/rewrite-json.js';

const hidden = (text: string): string => text.replaceAll('x', '[hidden]');
const both: JsonRewriting = { text: hidden, key: hidden };

/** The same by recursion. */
function reference(value: unknown): unknown {
  if (typeof value === 'string') return hidden(value);
  if (Array.isArray(value)) return value.filter((each) => !isDropped(each)).map(reference);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, each]) => !isDropped(each));
  return Object.fromEntries(members.map(([key, each]) => [hidden(key), reference(each)]));
}

const isDropped = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'drop');

const json = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('x', 'axb', 'a', '', 0, true, null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'x', 'ax', 'drop', '__proto__', '1'), tie('any')), {
        maxLength: 4,
      })
      .map((members) => Object.fromEntries(members)),
  ),
})).any;

describe('rewriting JSON', () => {
  it('agrees with a recursive walk, and does not change the value', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        const rewritten = rewriteJson(value, { ...both, drop: isDropped });
        const expected = isDropped(value) ? reference({ ...Object(value) }) : reference(value);
        expect(JSON.stringify(rewritten)).toBe(JSON.stringify(expected));
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns: 4_000 },
    );
  });

  it('returns the very same object if nothing changes, and the same parts where nothing changes', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(rewriteJson(value, {})).toBe(value);
        expect(rewriteJson(value, { text: (text) => text, key: (key) => key, drop: () => false })).toBe(
          value,
        );
      }),
    );
    const same = { deep: ['a'] };
    const changed = rewriteJson({ same, other: ['x'] }, both);
    expect(changed).toEqual({ same: { deep: ['a'] }, other: ['[hidden]'] });
    expect(Object.entries(Object(changed))[0]?.[1]).toBe(same);
  });

  it('keeps members that are named __proto__', () => {
    const rewritten = rewriteJson(JSON.parse('{"__proto__": {"admin": "x"}, "a": "x"}'), both);
    expect(JSON.stringify(rewritten)).toBe('{"__proto__":{"admin":"[hidden]"},"a":"[hidden]"}');
    expect(Object.getPrototypeOf(rewritten)).toBe(Object.prototype);
  });

  it('rewrites member names', () => {
    expect(rewriteJson({ x: { ax: 1 } }, both)).toEqual({ '[hidden]': { 'a[hidden]': 1 } });
    expect(rewriteJson({ x: { ax: 'x' } }, { text: hidden })).toEqual({ x: { ax: '[hidden]' } });
  });

  it('passes the member name of a string, also of one in an array', () => {
    const keys: unknown[] = [];
    const text = (value: string, key: string | undefined): string => {
      keys.push([value, key]);
      return value;
    };
    rewriteJson({ a: 'one', b: ['two', ['three']], c: [{ d: 'four' }] }, { text });
    rewriteJson(['five'], { text });
    rewriteJson('six', { text });
    expect(keys).toEqual([
      ['one', 'a'],
      ['two', 'b'],
      ['three', 'b'],
      ['four', 'd'],
      ['five', undefined],
      ['six', undefined],
    ]);
  });

  it.each<[string, (inner: unknown) => unknown]>([
    ['arrays', (inner) => [inner]],
    ['objects', (inner) => ({ a: inner })],
  ])('walks %s 200,000 levels deep', (_name, wrap) => {
    const nest = (text: string): unknown => {
      let value: unknown = text;
      for (let level = 0; level < 200_000; level++) value = wrap(value);
      return value;
    };
    const same = nest('a');
    expect(rewriteJson(same, both) === same).toBe(true);
    let inner = rewriteJson(nest('x'), both);
    for (let level = 0; level < 200_000; level++) inner = Object.values(Object(inner))[0];
    expect(inner).toBe('[hidden]');
  });
});

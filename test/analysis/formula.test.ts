import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { and, atom, type Formula, not, or, satisfy } from '../../src/core/analysis/formula.js';
import { growth, LINEAR } from '../growth.js';

describe('the search for an assignment', () => {
  const sizes = [2, 3, 2];
  const atoms = fc
    .tuple(fc.subarray([0, 1, 2], { minLength: 1, maxLength: 2 }), fc.infiniteStream(fc.boolean()))
    .map(([dimensions, stream]): Formula => {
      const table = [...stream.take(9)];
      return {
        op: 'atom',
        dimensions,
        holds: (values) => table[(values[0] ?? 0) * 3 + (values[1] ?? 0)] === true,
      };
    });
  const { formula } = fc.letrec<{ formula: Formula }>((tie) => ({
    formula: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'formula' },
      atoms,
      fc.boolean(),
      tie('formula').map(not),
      fc.record({ op: fc.constantFrom('and', 'or'), parts: fc.array(tie('formula'), { maxLength: 4 }) }),
    ),
  }));
  const truth = (given: Formula, values: readonly number[]): boolean => {
    if (typeof given === 'boolean') return given;
    if (given.op === 'atom') return given.holds(given.dimensions.map((dimension) => values[dimension] ?? 0));
    return given.op === 'and'
      ? given.parts.every((part) => truth(part, values))
      : given.parts.some((part) => truth(part, values));
  };
  const all = [0, 1].flatMap((a) => [0, 1, 2].flatMap((b) => [0, 1].map((c) => [a, b, c])));

  it('finds an assignment exactly if there is one, and its unset dimensions do not matter', () => {
    fc.assert(
      fc.property(formula, (given) => {
        const search = satisfy(given, sizes);
        const found = all.filter((values) => truth(given, values));
        expect(search.found).toBe(found.length > 0);
        if (!search.found) {
          expect(search.exhausted).toBe(false);
          return;
        }
        const { assignment } = search;
        const covered = all.filter((values) =>
          values.every((value, index) => (assignment[index] ?? value) === value),
        );
        expect(covered.length).toBeGreaterThan(0);
        expect(covered.every((values) => truth(given, values))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds the opposite of a formula exactly where the formula is false', () => {
    fc.assert(
      fc.property(formula, (given) => {
        expect(all.map((values) => truth(not(given), values))).toEqual(
          all.map((values) => !truth(given, values)),
        );
      }),
    );
  });

  it('reports whether it reached its step limit', () => {
    const only = (dimension: number, only: number): Formula => ({
      op: 'atom',
      dimensions: [dimension],
      holds: ([value]) => value === only,
    });
    expect(satisfy(only(1, 7), sizes, 3)).toEqual({ found: false, exhausted: false });
    expect(satisfy(only(1, 7), sizes, 2)).toEqual({ found: false, exhausted: true });
    expect(satisfy(only(1, 2), sizes, 3)).toMatchObject({ found: true });
    expect(satisfy(only(1, 2), sizes, 2)).toEqual({ found: false, exhausted: true });
  });

  describe('in few steps', () => {
    const ten = new Array(12).fill(10);
    const upTo = (dimension: number, most: number): Formula => ({
      op: 'atom',
      dimensions: [dimension],
      holds: ([value = 0]) => value <= most,
    });
    const atLeast = (dimension: number, least: number): Formula => not(upTo(dimension, least - 1));
    // The unconstrained parts have many solutions. They must not all be tried because the last part has none.
    const free = Array.from({ length: 10 }, (_, index) => upTo(index, 4));
    const none = [upTo(11, 3), atLeast(11, 5)];

    it('solves connected components one after the other', () => {
      const nested = and([and(free), ...none]);
      const negated = not(or([...free, ...none].map(not)));
      for (const given of [nested, negated]) {
        expect(satisfy(given, ten, 100)).toEqual({ found: false, exhausted: false });
      }
    });

    it('begins with the most constrained variable', () => {
      const wide: Formula = { op: 'atom', dimensions: [0, 1, 2], holds: ([, , last]) => last === 0 };
      for (const parts of [
        [wide, atLeast(2, 9)],
        [atLeast(2, 9), wide],
      ]) {
        expect(satisfy(and(parts), ten, 300)).toEqual({ found: false, exhausted: false });
      }
    });
  });
});

describe('formulas', () => {
  it('are constants if no choice matters', () => {
    expect(atom(0, 3, () => true)).toBe(true);
    expect(atom(0, 3, () => false)).toBe(false);
    expect(atom(0, 3, (value) => value === 1)).toMatchObject({ op: 'atom', dimensions: [0] });
  });

  it('take time that grows with the number of conditions that share choices, and not faster', async () => {
    const chain = (size: number) => () => {
      const conditions = Array.from({ length: size }, (_, index) =>
        or([atom(index, 2, (value) => value === 1), atom(index + 1, 2, (value) => value === 0)]),
      );
      return satisfy(and(conditions), new Array(size + 1).fill(2), 1_000_000);
    };
    // The search is quadratic: eight times as large takes 64 times as long. A cubic one takes 512 times as long.
    expect(await growth(chain, 40)).toBeLessThan(10 * LINEAR);
  });

  it('are as short as possible', () => {
    const some = atom(0, 2, (value) => value === 1);
    expect(and([true, some])).toBe(some);
    expect(or([some, false])).toBe(some);
    expect(and([])).toBe(true);
    expect(or([])).toBe(false);
    expect(and([some, false])).toBe(false);
    expect(or([some, true])).toBe(true);
    expect(not(true)).toBe(false);
  });
});

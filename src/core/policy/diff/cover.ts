/** One part of a cover: the choices of each dimension. A point belongs to the cube if each of its choices belongs to it. */
export type Cube = readonly (readonly number[])[];

/**
 * @param sizes the number of choices of each dimension
 * @param number the number of a combination, the last dimension changes fastest
 * @returns the choice in each dimension
 */
export function combinationAt(sizes: readonly number[], number: number): number[] {
  const point: number[] = new Array(sizes.length);
  let rest = number;
  for (let dimension = sizes.length - 1; dimension >= 0; dimension--) {
    const size = sizes[dimension] ?? 1;
    point[dimension] = rest % size;
    rest = Math.floor(rest / size);
  }
  return point;
}

/**
 * Finds a short cover: few cubes that together hold every point of the set. Each cube starts at a point that no cube
 * covers yet, and grows while it holds only points of the set and of the don't-care set. The search is greedy, so a
 * shorter cover may exist.
 *
 * @param sizes the number of choices of each dimension. A point is one combination of choices
 * @param has which points belong to the set, by their number, see `combinationAt`
 * @param dontCare the don't-care set: points that a cover may include if that makes it shorter
 * @param mayUseDontCare for each dimension, whether a cube may grow along it by adding points of the don't-care set
 * @returns the cubes, and how many points they hold
 * @example
 * findCover([2, 2], [false, false, true, true], [], [true, true]).cubes; // [[[1], [0, 1]]]
 */
export function findCover(
  sizes: readonly number[],
  has: readonly boolean[],
  dontCare: readonly boolean[],
  mayUseDontCare: readonly boolean[],
): { readonly cubes: readonly Cube[]; readonly size: number } {
  const covered = new Set<number>();
  const cubes: Cube[] = [];
  for (let number = 0; number < has.length; number++) {
    if (!has[number] || covered.has(number)) continue;
    let sides: Cube = combinationAt(sizes, number).map((choice) => [choice]);
    const grow = (dimension: number, choices: readonly number[]): void => {
      const added = [...numbersIn(sides.with(dimension, choices), sizes)];
      const isAllowed = (each: number) => has[each] || (mayUseDontCare[dimension] && dontCare[each]);
      if (added.every(isAllowed) && added.some((each) => has[each])) {
        sides = sides.with(dimension, [...new Set([...(sides[dimension] ?? []), ...choices])]);
      }
    };
    // Dimensions that must not use the don't-care set go first, before any point of it is added. Whole dimensions go
    // before single choices, because a condition with fewer terms is shorter than one with more values.
    for (const useDontCare of [false, true]) {
      const dimensions = [...sizes.entries()]
        .filter(([dimension]) => mayUseDontCare[dimension] === useDontCare)
        .map(([dimension, size]) => ({ dimension, choices: [...Array(size).keys()] }));
      for (const { dimension, choices } of dimensions) grow(dimension, choices);
      for (const { dimension, choices } of dimensions) {
        for (const choice of choices) grow(dimension, [choice]);
      }
    }
    for (const each of numbersIn(sides, sizes)) covered.add(each);
    cubes.push(sides);
  }
  return { cubes: withoutOverlap(cubes, sizes), size: covered.size };
}

/**
 * Removes cubes, and choices from a cube, if other cubes cover all points that would be lost. This shortens conditions:
 * "(a or b) and c; or b" becomes "a and c; or b".
 */
function withoutOverlap(cubes: readonly Cube[], sizes: readonly number[]): Cube[] {
  // How many cubes hold each point.
  const counts = new Map<number, number>();
  const count = (sides: Cube, change: number) => {
    for (const each of numbersIn(sides, sizes)) counts.set(each, (counts.get(each) ?? 0) + change);
  };
  const isCovered = (part: Cube) => [...numbersIn(part, sizes)].every((each) => (counts.get(each) ?? 0) > 1);
  for (const sides of cubes) count(sides, 1);
  return cubes.flatMap((sides) => {
    if (isCovered(sides)) {
      count(sides, -1);
      return [];
    }
    let reduced = sides;
    sides.forEach((side, dimension) => {
      if (side.length === sizes[dimension]) return;
      for (const choice of side) {
        const kept = reduced[dimension]?.filter((each) => each !== choice) ?? [];
        const slice = reduced.with(dimension, [choice]);
        if (kept.length === 0 || !isCovered(slice)) continue;
        count(slice, -1);
        reduced = reduced.with(dimension, kept);
      }
    });
    return [reduced];
  });
}

/** Lists the numbers of all points in a cube. */
function* numbersIn(sides: Cube, sizes: readonly number[], dimension = 0, number = 0): Generator<number> {
  const side = sides[dimension];
  if (side === undefined) yield number;
  else {
    for (const choice of side) {
      yield* numbersIn(sides, sizes, dimension + 1, number * (sizes[dimension] ?? 1) + choice);
    }
  }
}

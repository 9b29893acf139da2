/**
 * One part of a cover. For each dimension it holds the choices that belong to it, or `undefined` if all choices do. A
 * point belongs to the cube if each of its choices belongs to it.
 */
export type Cube = readonly (ReadonlySet<number> | undefined)[];

/** A set of points. A point is one combination of choices, one choice for each dimension. */
export interface Points {
  /** The number of choices of each dimension. */
  readonly sizes: readonly number[];
  /** Which points belong to the set, by their number: the last dimension changes fastest. */
  readonly has: readonly boolean[];
  /** The don't-care set: points that a cover may include if that makes it shorter. By number, as `has`. */
  readonly dontCare: readonly boolean[];
}

/**
 * Lists all combinations of choices.
 *
 * @param sizes the number of choices of each dimension
 * @returns every combination, in the order of `Points.has`
 */
export function* combinationsOf(sizes: readonly number[]): Generator<number[]> {
  const total = productOfSizes(sizes);
  for (let number = 0; number < total; number++) yield combinationAt(sizes, number);
}

const productOfSizes = (sizes: readonly number[]): number =>
  sizes.reduce((product, size) => product * size, 1);

function combinationAt(sizes: readonly number[], number: number): number[] {
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
 * Removes every dimension that makes no difference to which points belong to the set.
 *
 * @param points the points
 * @param mayUseDontCare whether a dimension may also be removed if that adds points of the don't-care set
 * @returns the indexes of the remaining dimensions, and the points over them
 */
export function project(
  points: Points,
  mayUseDontCare: (dimension: number) => boolean,
): { dimensions: readonly number[]; points: Points } {
  let dimensions = points.sizes.map((_, dimension) => dimension);
  let { sizes, has, dontCare } = points;
  const removeIfPossible = (position: number, useDontCare: boolean): void => {
    const remaining = sizes.filter((_, each) => each !== position);
    const total = productOfSizes(remaining);
    // For each point of the remaining dimensions: whether some, not all, or only don't-care points fall on it.
    const someBelong: boolean[] = new Array(total).fill(false);
    const someDoNot: boolean[] = new Array(total).fill(false);
    const allDontCare: boolean[] = new Array(total).fill(true);
    for (let number = 0; number < has.length; number++) {
      const point = combinationAt(sizes, number);
      let projected = 0;
      point.forEach((choice, each) => {
        if (each !== position) projected = projected * (sizes[each] ?? 1) + choice;
      });
      if (has[number]) someBelong[projected] = true;
      else if (!(useDontCare && dontCare[number])) someDoNot[projected] = true;
      if (!dontCare[number]) allDontCare[projected] = false;
    }
    if (someBelong.some((each, number) => each && someDoNot[number])) return;
    [sizes, has, dontCare] = [remaining, someBelong, allDontCare];
    dimensions = dimensions.filter((_, each) => each !== position);
  };
  // Dimensions that may use the don't-care set go first, so that the dimensions of the change itself remain.
  for (const useDontCare of [true, false]) {
    for (const dimension of [...dimensions]) {
      if (useDontCare && !mayUseDontCare(dimension)) continue;
      removeIfPossible(dimensions.indexOf(dimension), useDontCare);
    }
  }
  return { dimensions, points: { sizes, has, dontCare } };
}

/**
 * Finds a short cover: few cubes that together hold every point of the set. Each cube starts at a point that no cube
 * covers yet, and grows while it holds only points of the set and of the don't-care set. The search is greedy, so a
 * shorter cover may exist.
 *
 * @param points the points
 * @param mayUseDontCare whether a cube may grow along a dimension by adding points of the don't-care set
 * @returns the cubes
 * @example
 * findCover({ sizes: [2, 2], has: [false, false, true, true], dontCare: [] }); // [[Set { 1 }, undefined]]
 */
export function findCover(
  { sizes, has, dontCare }: Points,
  mayUseDontCare: (dimension: number) => boolean = () => true,
): Cube[] {
  const order = sizes.map((_, dimension) => dimension);
  const covered = new Set<number>();
  const cubes: Sides[] = [];
  for (let number = 0; number < has.length; number++) {
    if (!has[number] || covered.has(number)) continue;
    let sides: Sides = combinationAt(sizes, number).map((choice) => [choice]);
    const grow = (dimension: number, choices: readonly number[]): void => {
      const added = [...numbersIn(sides.with(dimension, choices), sizes)];
      const isAllowed = (each: number) => has[each] || (mayUseDontCare(dimension) && dontCare[each]);
      if (added.every(isAllowed) && added.some((each) => has[each])) {
        sides = sides.with(dimension, [...new Set([...(sides[dimension] ?? []), ...choices])]);
      }
    };
    // Dimensions that must not use the don't-care set go first, before any point of it is added. Whole dimensions go
    // before single choices, because a condition with fewer terms is shorter than one with more values.
    for (const useDontCare of [false, true]) {
      const dimensions = order.filter((dimension) => mayUseDontCare(dimension) === useDontCare);
      const choicesOf = (dimension: number) =>
        Array.from({ length: sizes[dimension] ?? 0 }, (_, choice) => choice);
      for (const dimension of dimensions) grow(dimension, choicesOf(dimension));
      for (const dimension of dimensions) {
        for (const choice of choicesOf(dimension)) grow(dimension, [choice]);
      }
    }
    for (const each of numbersIn(sides, sizes)) covered.add(each);
    cubes.push(sides);
  }
  return withoutOverlap(cubes, sizes).map((sides) =>
    sides.map((side, dimension) =>
      side.length === sizes[dimension] ? undefined : new Set(side.toSorted((a, b) => a - b)),
    ),
  );
}

/**
 * Removes choices from a cube if other cubes cover all points that the cube would lose. This shortens conditions:
 * "(a or b) and c; or b" becomes "a and c; or b".
 */
function withoutOverlap(cubes: readonly Sides[], sizes: readonly number[]): Sides[] {
  // How many cubes hold each point.
  const counts = new Map<number, number>();
  const count = (sides: Sides, change: number) => {
    for (const each of numbersIn(sides, sizes)) counts.set(each, (counts.get(each) ?? 0) + change);
  };
  for (const sides of cubes) count(sides, 1);
  return cubes.map((sides) => {
    let reduced = sides;
    sides.forEach((side, dimension) => {
      if (side.length === sizes[dimension]) return;
      for (const choice of side) {
        const kept = reduced[dimension]?.filter((each) => each !== choice) ?? [];
        const slice = reduced.with(dimension, [choice]);
        const isCovered = () => [...numbersIn(slice, sizes)].every((each) => (counts.get(each) ?? 0) > 1);
        if (kept.length === 0 || !isCovered()) continue;
        count(slice, -1);
        reduced = reduced.with(dimension, kept);
      }
    });
    return reduced;
  });
}

/** A cube while it grows: for each dimension the list of its choices. */
type Sides = readonly (readonly number[])[];

/** Lists the numbers of all points in a cube. */
function* numbersIn(sides: Sides, sizes: readonly number[], dimension = 0, number = 0): Generator<number> {
  const side = sides[dimension];
  if (side === undefined) yield number;
  else {
    for (const choice of side) {
      yield* numbersIn(sides, sizes, dimension + 1, number * (sizes[dimension] ?? 1) + choice);
    }
  }
}

/** For each dimension the choices that belong to it; nothing where all do. */
export type Box = readonly (ReadonlySet<number> | undefined)[];

/** A set of points: which of all combinations of choices belong to it. */
export interface Points {
  readonly sizes: readonly number[];
  /** By the number of the combination, the last dimension changing fastest. */
  readonly has: readonly boolean[];
  /** Points that may be added, if that makes it simpler to say which belong to it. */
  readonly open: readonly boolean[];
}

/**
 * @param sizes the number of choices of each dimension
 * @returns every combination, in the order of `Points.has`
 */
export function* combinationsOf(sizes: readonly number[]): Generator<number[]> {
  const total = sizes.reduce((product, size) => product * size, 1);
  for (let number = 0; number < total; number++) yield combinationAt(sizes, number);
}

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
 * Takes away dimensions that do not matter, `free` ones also where that only adds points that nobody cares about.
 *
 * @param points the points
 * @param free whether a dimension may be taken away by adding open points
 * @returns which dimensions are left, and the points over them
 */
export function project(
  points: Points,
  free: (dimension: number) => boolean,
): { dimensions: readonly number[]; points: Points } {
  let dimensions = points.sizes.map((_, dimension) => dimension);
  let { sizes, has, open } = points;
  const drop = (position: number, lenient: boolean): boolean => {
    const left = sizes.filter((_, each) => each !== position);
    const total = left.reduce((product, size) => product * size, 1);
    const some: boolean[] = new Array(total).fill(false);
    const none: boolean[] = new Array(total).fill(false);
    const all: boolean[] = new Array(total).fill(true);
    for (let number = 0; number < has.length; number++) {
      const point = combinationAt(sizes, number);
      let target = 0;
      point.forEach((choice, each) => {
        if (each !== position) target = target * (sizes[each] ?? 1) + choice;
      });
      if (has[number]) some[target] = true;
      else if (!(lenient && open[number])) none[target] = true;
      if (!open[number]) all[target] = false;
    }
    if (some.some((each, number) => each && none[number])) return false;
    [sizes, has, open] = [left, some, all];
    dimensions = dimensions.filter((_, each) => each !== position);
    return true;
  };
  // Free ones first: what is left is what changed.
  for (const lenient of [true, false]) {
    for (const dimension of [...dimensions]) {
      if (lenient && !free(dimension)) continue;
      drop(dimensions.indexOf(dimension), lenient);
    }
  }
  return { dimensions, points: { sizes, has, open } };
}

/**
 * Covers points with few boxes: each grows from a point that no box covers yet, as far as it holds nothing else than
 * points and open ones.
 *
 * @param points the points
 * @param free whether it may grow along a dimension by adding open points
 * @returns boxes that hold all of them
 * @example
 * coverWithBoxes({ sizes: [2, 2], has: [false, false, true, true], open: [] }); // [[Set { 1 }, undefined]]
 */
export function coverWithBoxes(
  { sizes, has, open }: Points,
  free: (dimension: number) => boolean = () => true,
): Box[] {
  const order = sizes.map((_, dimension) => dimension);
  const covered = new Set<number>();
  const boxes: Sides[] = [];
  for (let number = 0; number < has.length; number++) {
    if (!has[number] || covered.has(number)) continue;
    let sides: Sides = combinationAt(sizes, number).map((choice) => [choice]);
    const grow = (dimension: number, choices: readonly number[]): void => {
      const grown = [...numbersIn(sides.with(dimension, choices), sizes)];
      const fits = (each: number) => has[each] || (free(dimension) && open[each]);
      if (grown.every(fits) && grown.some((each) => has[each])) {
        sides = sides.with(dimension, [...new Set([...(sides[dimension] ?? []), ...choices])]);
      }
    };
    // Strict dimensions first, while nothing was added; and whole ones: a condition less is better than a value more.
    for (const lenient of [false, true]) {
      const dimensions = order.filter((dimension) => free(dimension) === lenient);
      const every = (dimension: number) =>
        Array.from({ length: sizes[dimension] ?? 0 }, (_, choice) => choice);
      for (const dimension of dimensions) grow(dimension, every(dimension));
      for (const dimension of dimensions) {
        for (const choice of every(dimension)) grow(dimension, [choice]);
      }
    }
    for (const each of numbersIn(sides, sizes)) covered.add(each);
    boxes.push(sides);
  }
  return withoutOverlap(boxes, sizes).map((sides) =>
    sides.map((side, dimension) =>
      side.length === sizes[dimension] ? undefined : new Set(side.toSorted((a, b) => a - b)),
    ),
  );
}

/** What a box says that others say too makes its condition longer: "a or b while c; or b" is "a while c; or b". */
function withoutOverlap(boxes: readonly Sides[], sizes: readonly number[]): Sides[] {
  const times = new Map<number, number>();
  const count = (sides: Sides, by: number) => {
    for (const each of numbersIn(sides, sizes)) times.set(each, (times.get(each) ?? 0) + by);
  };
  for (const sides of boxes) count(sides, 1);
  return boxes.map((sides) => {
    let left = sides;
    sides.forEach((side, dimension) => {
      if (side.length === sizes[dimension]) return;
      for (const choice of side) {
        const kept = left[dimension]?.filter((each) => each !== choice) ?? [];
        const slice = left.with(dimension, [choice]);
        if (kept.length === 0 || ![...numbersIn(slice, sizes)].every((each) => (times.get(each) ?? 0) > 1))
          continue;
        count(slice, -1);
        left = left.with(dimension, kept);
      }
    });
    return left;
  });
}

type Sides = readonly (readonly number[])[];

/** The numbers of all combinations in a box. */
function* numbersIn(sides: Sides, sizes: readonly number[], dimension = 0, number = 0): Generator<number> {
  const side = sides[dimension];
  if (side === undefined) yield number;
  else {
    for (const choice of side) {
      yield* numbersIn(sides, sizes, dimension + 1, number * (sizes[dimension] ?? 1) + choice);
    }
  }
}

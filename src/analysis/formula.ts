/**
 * Boolean formulas over dimensions with finitely many values each, for questions about all configurations at once.
 */
export type Formula =
  | boolean
  | { readonly op: 'and' | 'or'; readonly parts: readonly Formula[] }
  | { readonly op: 'not'; readonly part: Formula }
  | Atom;

/** True for some values of some dimensions. */
export interface Atom {
  readonly op: 'atom';
  readonly dimensions: readonly number[];
  readonly holds: (values: readonly number[]) => boolean;
}

/** For each dimension the number of one of its values; nothing where it is not chosen yet. */
export type Assignment = readonly (number | undefined)[];

export const and = (parts: readonly Formula[]): Formula => join('and', parts);
export const or = (parts: readonly Formula[]): Formula => join('or', parts);

export function not(part: Formula): Formula {
  if (typeof part === 'boolean') return !part;
  return part.op === 'not' ? part.part : { op: 'not', part };
}

function join(op: 'and' | 'or', parts: readonly Formula[]): Formula {
  const neutral = op === 'and';
  const open = parts.filter((part) => part !== neutral);
  if (open.includes(!neutral)) return !neutral;
  const [only] = open;
  if (only === undefined) return neutral;
  return open.length === 1 ? only : { op, parts: open };
}

/**
 * Makes an atom of one dimension; one that holds for all of its values, or for none, is a constant.
 *
 * @param dimension the dimension
 * @param size the number of its values
 * @param holds for each value whether it holds
 */
export function atom(dimension: number, size: number, holds: (value: number) => boolean): Formula {
  const table = Array.from({ length: size }, (_, value) => holds(value));
  if (table.every((each) => each === table[0])) return table[0] ?? true;
  return { op: 'atom', dimensions: [dimension], holds: ([value = 0]) => table[value] === true };
}

/** @returns the formula with everything decided that the choices so far decide */
function simplify(formula: Formula, assignment: Assignment): Formula {
  if (typeof formula === 'boolean') return formula;
  if (formula.op === 'atom') return narrow(formula, assignment);
  if (formula.op === 'not') return not(simplify(formula.part, assignment));
  return join(
    formula.op,
    formula.parts.map((part) => simplify(part, assignment)),
  );
}

/** An atom of the dimensions that are still open. */
function narrow(atom: Atom, assignment: Assignment): Formula {
  const { dimensions, holds } = atom;
  const open = dimensions.filter((dimension) => assignment[dimension] === undefined);
  if (open.length === dimensions.length) return atom;
  // The choices are those of now: the assignment goes on changing.
  const chosen = dimensions.map((dimension) => assignment[dimension]);
  const completed = (values: readonly number[]): boolean =>
    holds(dimensions.map((dimension, at) => chosen[at] ?? values[open.indexOf(dimension)] ?? 0));
  return open.length === 0 ? completed([]) : { op: 'atom', dimensions: open, holds: completed };
}

/** What came of looking for an assignment; `exhausted`: there may be one, the search was given up. */
export type Search =
  | { readonly found: true; readonly assignment: Assignment }
  | { readonly found: false; readonly exhausted: boolean };

/**
 * Looks for an assignment under which a formula is true: exact, and quick where the formula falls apart into conditions
 * that share few dimensions. It chooses in the tightest condition first, and solves conditions without a dimension in
 * common one after the other instead of all their combinations.
 *
 * @param formula the formula
 * @param sizes the number of values of each dimension
 * @param steps how many choices to try at the most
 * @returns one assignment; dimensions that do not matter are left open
 * @example
 * satisfy(and([a, not(b)]), [2, 2], 1000);
 */
export function satisfy(formula: Formula, sizes: readonly number[], steps = 100_000): Search {
  const assignment: (number | undefined)[] = new Array(sizes.length).fill(undefined);
  const chosen: number[] = [];
  let left = steps;

  const solve = (given: Formula): boolean => {
    if (typeof given === 'boolean') return given;
    const before = chosen.length;
    if (islandsOf(given).every(solveIsland)) return true;
    for (const dimension of chosen.splice(before)) assignment[dimension] = undefined;
    return false;
  };
  const solveIsland = ({ conditions, dimensions }: Island): boolean => {
    const dimension = tightest(dimensions);
    const island = and(conditions);
    chosen.push(dimension);
    for (let value = 0; value < (sizes[dimension] ?? 0); value++) {
      if (left-- <= 0) return false;
      assignment[dimension] = value;
      if (solve(simplify(island, assignment))) return true;
    }
    return false;
  };
  const found = solve(simplify(formula, assignment));
  return found ? { found, assignment } : { found, exhausted: left < 0 };
}

/** Conditions that share dimensions, directly or through others; with the dimensions of each. */
interface Island {
  readonly conditions: readonly Formula[];
  readonly dimensions: readonly (readonly number[])[];
}

function islandsOf(formula: Formula): Island[] {
  const conditions = conditionsOf(formula);
  const dimensions = conditions.map((condition) => [...dimensionsOf(condition)]);
  // Dimensions of one condition point, through each other, to one that stands for their island.
  const next = new Map<number, number>();
  const rootOf = (dimension: number): number => {
    const pointed = next.get(dimension);
    if (pointed === undefined) return dimension;
    const root = rootOf(pointed);
    next.set(dimension, root);
    return root;
  };
  for (const [first = 0, ...others] of dimensions) {
    for (const other of others) {
      const [from, to] = [rootOf(other), rootOf(first)];
      if (from !== to) next.set(from, to);
    }
  }
  const islands = new Map<number, { conditions: Formula[]; dimensions: number[][] }>();
  conditions.forEach((condition, index) => {
    const own = dimensions[index] ?? [];
    const root = rootOf(own[0] ?? 0);
    const island = islands.get(root) ?? { conditions: [], dimensions: [] };
    island.conditions.push(condition);
    island.dimensions.push(own);
    islands.set(root, island);
  });
  return [...islands.values()];
}

/** The parts that must all hold. */
function conditionsOf(formula: Formula): Formula[] {
  if (typeof formula === 'boolean') return [formula];
  if (formula.op === 'and') return formula.parts.flatMap(conditionsOf);
  if (formula.op === 'not' && typeof formula.part === 'object' && formula.part.op === 'or') {
    return formula.part.parts.flatMap((each) => conditionsOf(not(each)));
  }
  return [formula];
}

/** A dimension of the condition that has the fewest. */
function tightest(conditions: readonly (readonly number[])[]): number {
  const [first = [], ...rest] = conditions;
  const least = rest.reduce((best, each) => (each.length < best.length ? each : best), first);
  return least[0] ?? 0;
}

function dimensionsOf(formula: Formula, found = new Set<number>()): Set<number> {
  if (typeof formula === 'boolean') return found;
  if (formula.op === 'not') return dimensionsOf(formula.part, found);
  if (formula.op === 'atom') for (const dimension of formula.dimensions) found.add(dimension);
  else for (const part of formula.parts) dimensionsOf(part, found);
  return found;
}

import { getOrMake } from '../once.js';

/** A Boolean formula over dimensions that have finitely many values each. Only conditions are negated: see `not`. */
export type Formula = boolean | { readonly op: 'and' | 'or'; readonly parts: readonly Formula[] } | Atom;

/** A condition on the values of some dimensions. */
export interface Atom {
  readonly op: 'atom';
  readonly dimensions: readonly number[];
  readonly holds: (values: readonly number[]) => boolean;
}

/** For each dimension the index of its chosen value; `undefined` if none is chosen yet. */
export type Assignment = readonly (number | undefined)[];

export const and = (parts: readonly Formula[]): Formula => join('and', parts);
export const or = (parts: readonly Formula[]): Formula => join('or', parts);

export function not(formula: Formula): Formula {
  if (typeof formula === 'boolean') return !formula;
  if (formula.op === 'atom') return { ...formula, holds: (values) => !formula.holds(values) };
  return join(formula.op === 'and' ? 'or' : 'and', formula.parts.map(not));
}

function join(op: 'and' | 'or', parts: readonly Formula[]): Formula {
  const neutral = op === 'and';
  const rest = parts.filter((part) => part !== neutral);
  if (rest.includes(!neutral)) return !neutral;
  const [only] = rest;
  if (only === undefined) return neutral;
  return rest.length === 1 ? only : { op, parts: rest };
}

/**
 * Makes a condition on one dimension. A condition that holds for all of its values, or for none, becomes a constant.
 *
 * @param dimension the index of the dimension
 * @param size the number of its values
 * @param holds whether the condition holds for a value
 * @returns the condition
 */
export function atom(dimension: number, size: number, holds: (value: number) => boolean): Formula {
  const table = Array.from({ length: size }, (_, value) => holds(value));
  if (table.every((each) => each === table[0])) return table[0] ?? true;
  return { op: 'atom', dimensions: [dimension], holds: ([value = 0]) => table[value] === true };
}

/** @returns the formula with everything replaced by a constant that the chosen values decide */
export function simplify(formula: Formula, assignment: Assignment): Formula {
  if (typeof formula === 'boolean') return formula;
  if (formula.op === 'atom') return narrow(formula, assignment);
  const parts = formula.parts.map((part) => simplify(part, assignment));
  return join(formula.op, parts);
}

/** @returns the atom as a condition on the dimensions that have no chosen value yet */
function narrow(atom: Atom, assignment: Assignment): Formula {
  const { dimensions, holds } = atom;
  const unchosen = dimensions.filter((dimension) => assignment[dimension] === undefined);
  if (unchosen.length === dimensions.length) return atom;
  // A copy, because the search keeps changing the assignment.
  const chosen = dimensions.map((dimension) => assignment[dimension]);
  const completed = (values: readonly number[]): boolean =>
    holds(dimensions.map((dimension, at) => chosen[at] ?? values[unchosen.indexOf(dimension)] ?? 0));
  return unchosen.length === 0 ? completed([]) : { op: 'atom', dimensions: unchosen, holds: completed };
}

/** The result of a search. `exhausted`: the search stopped at its step limit, so an assignment may still exist. */
export type Search =
  | { readonly found: true; readonly assignment: Assignment }
  | { readonly found: false; readonly exhausted: boolean };

/**
 * Searches for an assignment that makes a formula true. The search is exact, and fast if the formula consists of
 * conditions that share few dimensions: it solves each connected component on its own instead of all combinations, and
 * chooses the most constrained variable first.
 *
 * @param formula the formula
 * @param sizes the number of values of each dimension
 * @param steps the most choices to try
 * @returns one assignment, in which dimensions that do not matter are `undefined`
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
    if (connectedComponents(given).every(solveComponent)) return true;
    for (const dimension of chosen.splice(before)) assignment[dimension] = undefined;
    return false;
  };
  const solveComponent = (component: readonly Constraint[]): boolean => {
    const least = component.reduce((best, each) =>
      each.dimensions.length < best.dimensions.length ? each : best,
    );
    const [dimension = 0] = least.dimensions;
    const formula = and(component.map(({ condition }) => condition));
    chosen.push(dimension);
    for (let value = 0; value < (sizes[dimension] ?? 0); value++) {
      if (left-- <= 0) return false;
      assignment[dimension] = value;
      if (solve(simplify(formula, assignment))) return true;
    }
    return false;
  };
  const found = solve(simplify(formula, assignment));
  return found ? { found, assignment } : { found, exhausted: left < 0 };
}

/** A condition, and the dimensions that it depends on. */
interface Constraint {
  readonly condition: Formula;
  readonly dimensions: readonly number[];
}

/** @returns the conditions that share dimensions, directly or through other conditions */
function connectedComponents(formula: Formula): Constraint[][] {
  const constraints = conditionsOf(formula).map((condition) => ({
    condition,
    dimensions: [...dimensionsOf(condition)],
  }));
  // A union-find structure: the dimensions of one component lead to the same root. Sets that are joined would be copied for
  // each condition, which takes quadratic time.
  const parents = new Map<number, number>();
  const rootOf = (dimension: number): number => {
    let root = dimension;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    // Whoever is asked again finds the root at once.
    for (let each = dimension; each !== root; ) {
      const next = parents.get(each) ?? root;
      parents.set(each, root);
      each = next;
    }
    return root;
  };
  for (const { dimensions } of constraints) {
    const [first = 0] = dimensions;
    for (const each of dimensions) {
      const [from, to] = [rootOf(each), rootOf(first)];
      if (from !== to) parents.set(from, to);
    }
  }
  const components = new Map<number, Constraint[]>();
  for (const each of constraints) {
    getOrMake(components, rootOf(each.dimensions[0] ?? 0), () => []).push(each);
  }
  return [...components.values()];
}

/** @returns the parts of the formula that must all hold; `true` if nothing must hold */
export function conditionsOf(formula: Formula): Formula[] {
  const isJoined = typeof formula === 'object' && formula.op === 'and';
  return isJoined ? formula.parts.flatMap(conditionsOf) : [formula];
}

/** @returns the dimensions that the formula depends on */
export function dimensionsOf(formula: Formula, found: Set<number> = new Set()): Set<number> {
  if (typeof formula === 'boolean') return found;
  if (formula.op === 'atom') for (const dimension of formula.dimensions) found.add(dimension);
  else for (const part of formula.parts) dimensionsOf(part, found);
  return found;
}

/** @returns whether the formula is true for values of all dimensions */
export function holds(formula: Formula, values: readonly number[]): boolean {
  if (typeof formula === 'boolean') return formula;
  if (formula.op === 'atom') return formula.holds(formula.dimensions.map((each) => values[each] ?? 0));
  const isTrue = (part: Formula): boolean => holds(part, values);
  return formula.op === 'and' ? formula.parts.every(isTrue) : formula.parts.some(isTrue);
}

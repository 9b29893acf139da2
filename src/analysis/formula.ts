/** A Boolean formula over dimensions that have finitely many values each. */
export type Formula =
  | boolean
  | { readonly op: 'and' | 'or'; readonly parts: readonly Formula[] }
  | { readonly op: 'not'; readonly part: Formula }
  | Atom;

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

export function not(part: Formula): Formula {
  if (typeof part === 'boolean') return !part;
  return part.op === 'not' ? part.part : { op: 'not', part };
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
function simplify(formula: Formula, assignment: Assignment): Formula {
  if (typeof formula === 'boolean') return formula;
  if (formula.op === 'atom') return narrow(formula, assignment);
  if (formula.op === 'not') return not(simplify(formula.part, assignment));
  return join(
    formula.op,
    formula.parts.map((part) => simplify(part, assignment)),
  );
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
  const solveComponent = ({ conditions, dimensions }: Component): boolean => {
    const dimension = mostConstrained(dimensions);
    const component = and(conditions);
    chosen.push(dimension);
    for (let value = 0; value < (sizes[dimension] ?? 0); value++) {
      if (left-- <= 0) return false;
      assignment[dimension] = value;
      if (solve(simplify(component, assignment))) return true;
    }
    return false;
  };
  const found = solve(simplify(formula, assignment));
  return found ? { found, assignment } : { found, exhausted: left < 0 };
}

/** Conditions that share dimensions, directly or through other conditions, and the dimensions of each condition. */
interface Component {
  readonly conditions: readonly Formula[];
  readonly dimensions: readonly (readonly number[])[];
}

function connectedComponents(formula: Formula): Component[] {
  const conditions = conditionsOf(formula);
  const dimensions = conditions.map((condition) => [...dimensionsOf(condition)]);
  // A union-find structure: the dimensions of one component lead to the same root.
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
  const components = new Map<number, { conditions: Formula[]; dimensions: number[][] }>();
  conditions.forEach((condition, index) => {
    const own = dimensions[index] ?? [];
    const root = rootOf(own[0] ?? 0);
    const component = components.get(root) ?? { conditions: [], dimensions: [] };
    component.conditions.push(condition);
    component.dimensions.push(own);
    components.set(root, component);
  });
  return [...components.values()];
}

/** @returns the parts of the formula that must all hold; `true` if nothing must hold */
export function conditionsOf(formula: Formula): Formula[] {
  if (typeof formula === 'boolean') return [formula];
  if (formula.op === 'and') return formula.parts.flatMap(conditionsOf);
  if (formula.op === 'not' && typeof formula.part === 'object' && formula.part.op === 'or') {
    return formula.part.parts.flatMap((each) => conditionsOf(not(each)));
  }
  return [formula];
}

/** @returns a dimension of the condition that has the fewest dimensions */
function mostConstrained(conditions: readonly (readonly number[])[]): number {
  const [first = [], ...rest] = conditions;
  const least = rest.reduce((best, each) => (each.length < best.length ? each : best), first);
  return least[0] ?? 0;
}

/** @returns the dimensions that the formula depends on */
export function dimensionsOf(formula: Formula, found = new Set<number>()): Set<number> {
  if (typeof formula === 'boolean') return found;
  if (formula.op === 'not') return dimensionsOf(formula.part, found);
  if (formula.op === 'atom') for (const dimension of formula.dimensions) found.add(dimension);
  else for (const part of formula.parts) dimensionsOf(part, found);
  return found;
}

/** @returns whether the formula is true for values of all dimensions */
export function holds(formula: Formula, values: readonly number[]): boolean {
  if (typeof formula === 'boolean') return formula;
  switch (formula.op) {
    case 'and':
      return formula.parts.every((part) => holds(part, values));
    case 'or':
      return formula.parts.some((part) => holds(part, values));
    case 'not':
      return !holds(formula.part, values);
    case 'atom':
      return formula.holds(formula.dimensions.map((dimension) => values[dimension] ?? 0));
  }
}

/**
 * Boolean formulas over dimensions with finitely many values each, for questions about all configurations at once.
 */
export type Formula =
  | boolean
  | { readonly op: 'and' | 'or'; readonly parts: readonly Formula[] }
  | { readonly op: 'not'; readonly part: Formula }
  /** True for some values of some dimensions. */
  | {
      readonly op: 'atom';
      readonly dimensions: readonly number[];
      readonly holds: (values: readonly number[]) => boolean;
    };

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

/** @returns what a formula comes to when some dimensions are chosen; nothing if that depends on the others */
export function judge(formula: Formula, assignment: Assignment): boolean | undefined {
  if (typeof formula === 'boolean') return formula;
  if (formula.op === 'not') {
    const value = judge(formula.part, assignment);
    return value === undefined ? undefined : !value;
  }
  if (formula.op === 'atom') {
    const values = formula.dimensions.map((dimension) => assignment[dimension]);
    return values.every((value) => value !== undefined) ? formula.holds(values as number[]) : undefined;
  }
  const decisive = formula.op === 'or';
  let open = false;
  for (const part of formula.parts) {
    const value = judge(part, assignment);
    if (value === decisive) return decisive;
    if (value === undefined) open = true;
  }
  return open ? undefined : !decisive;
}

/** What came of looking for an assignment; `exhausted`: there may be one, the search was given up. */
export type Search =
  | { readonly found: true; readonly assignment: Assignment }
  | { readonly found: false; readonly exhausted: boolean };

/**
 * Looks for an assignment under which a formula is true: exact, by choosing one dimension after the other and leaving
 * a branch as soon as it is decided.
 *
 * @param formula the formula
 * @param sizes the number of values of each dimension
 * @param steps how many choices to try at the most
 * @returns one assignment; dimensions that do not matter are left open
 * @example
 * satisfy(and([a, not(b)]), [2, 2], 1000);
 */
export function satisfy(formula: Formula, sizes: readonly number[], steps = 100_000): Search {
  const order = [...dimensionsOf(formula)].sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  const assignment: (number | undefined)[] = new Array(sizes.length).fill(undefined);
  let left = steps;
  const choose = (depth: number): boolean => {
    const value = judge(formula, assignment);
    if (value !== undefined) return value;
    const dimension = order[depth];
    if (dimension === undefined) return false;
    for (let each = 0; each < (sizes[dimension] ?? 0); each++) {
      if (left-- <= 0) return false;
      assignment[dimension] = each;
      if (choose(depth + 1)) return true;
    }
    assignment[dimension] = undefined;
    return false;
  };
  return choose(0) ? { found: true, assignment } : { found: false, exhausted: left < 0 };
}

function dimensionsOf(formula: Formula, found = new Set<number>()): Set<number> {
  if (typeof formula === 'boolean') return found;
  if (formula.op === 'not') return dimensionsOf(formula.part, found);
  if (formula.op === 'atom') for (const dimension of formula.dimensions) found.add(dimension);
  else for (const part of formula.parts) dimensionsOf(part, found);
  return found;
}

import type { Formula } from '../../analysis/formula.js';
import { describeAssignment, type Space, spanSpace } from '../../analysis/space.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Policy } from '../../engine/policy.js';
import { bindCatalog } from '../../engine/select.js';

/** More configurations than this are not looked at one by one. */
export const MAX_CONFIGURATIONS = 250_000;

/** What one configuration shows. */
export interface Cost {
  /** In the words of the policy; empty where nothing is asked for. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly tokens: number;
  readonly shown: number;
}

/** What all configurations of a policy cost. */
export interface Costs {
  /** How many configurations there are, as far as they can differ. */
  readonly configurations: number;
  readonly dearest: Cost;
  /** Of those that show something. */
  readonly cheapest: Cost | undefined;
  /** How many show nothing. */
  readonly empty: number;
  /** How many cost more than the budget. */
  readonly over: number;
}

/** Primitives of equal values: one verdict decides about all of them. */
interface Weighed {
  readonly tokens: number;
  readonly count: number;
  /** Conditions on one dimension each: for each of its values whether it holds. */
  readonly tables: ReadonlyMap<number, readonly boolean[]>;
  /** Conditions on several dimensions at once. */
  readonly others: readonly Formula[];
}

/**
 * Adds up what every configuration shows.
 *
 * @param policy the policy
 * @param surface the primitives
 * @param tokensOf counts the tokens of a primitive
 * @param budget what a configuration may cost
 * @returns the extremes, of equal ones the configuration that asks for the least; nothing if there are too many to try
 * @example
 * allCosts(policy, { tools }, tokensOf)?.dearest.tokens;
 */
export function allCosts(
  policy: Policy,
  surface: ServerCatalog,
  tokensOf: (definition: object) => number,
  budget = Number.POSITIVE_INFINITY,
): Costs | undefined {
  const bound = KINDS.map((kind) => bindCatalog(policy, kind, surface[kind] ?? []));
  const space = spanSpace(
    policy,
    bound.flatMap(({ classes }) => classes),
  );
  const formulas = bound.flatMap(({ classes, classOf, items }) =>
    classes.map((mapping, number) => {
      const own = items.filter((_item, index) => classOf[index] === number);
      const tokens = own.reduce((sum, item) => sum + tokensOf(item), 0);
      return { formula: space.shown(mapping), tokens, count: own.length };
    }),
  );
  // Comparisons are found while the formulas are made: only now all dimensions are known.
  const { sizes } = space;
  const configurations = sizes.reduce((product, size) => product * Math.max(1, size), 1);
  if (configurations > MAX_CONFIGURATIONS) return undefined;
  const weighed = formulas.flatMap(({ formula, tokens, count }): Weighed[] => {
    const conditions = conditionsOf(formula);
    if (conditions.includes(false)) return [];
    const tables = new Map<number, boolean[]>();
    const others: Formula[] = [];
    for (const condition of conditions) {
      const [only, ...more] = dimensionsOf(condition);
      if (only === undefined || more.length > 0) others.push(condition);
      else {
        const values: number[] = [];
        const table = Array.from({ length: sizes[only] ?? 0 }, (_, value) => {
          values[only] = value;
          return holds(condition, values) && tables.get(only)?.[value] !== false;
        });
        tables.set(only, table);
      }
    }
    return [{ tokens, count, tables, others }];
  });
  return sweep(space, weighed, configurations, budget);
}

/** Chooses one dimension after the other; what a choice hides is not looked at below it. */
function sweep(space: Space, all: readonly Weighed[], configurations: number, budget: number): Costs {
  const { sizes, dimensions } = space;
  const values: number[] = sizes.map(() => 0);
  let [dearest, cheapest]: (Found | undefined)[] = [];
  let [empty, over] = [0, 0];

  const choose = (dimension: number, left: readonly Weighed[], asked: number): void => {
    if (dimension < sizes.length) {
      for (let value = 0; value < (sizes[dimension] ?? 0); value++) {
        values[dimension] = value;
        const set = dimensions[dimension]?.values[value];
        const still = left.filter(({ tables }) => tables.get(dimension)?.[value] !== false);
        choose(dimension + 1, still, set === undefined || set === false ? asked : asked + 1);
      }
      return;
    }
    let [tokens, shown] = [0, 0];
    for (const each of left) {
      if (!each.others.every((formula) => holds(formula, values))) continue;
      tokens += each.tokens;
      shown += each.count;
    }
    if (shown === 0) empty++;
    else if (better(tokens, asked, cheapest, -1)) cheapest = { values: [...values], tokens, shown, asked };
    if (better(tokens, asked, dearest, 1)) dearest = { values: [...values], tokens, shown, asked };
    if (tokens > budget) over++;
  };
  choose(0, all, 0);

  const describe = ({ values, tokens, shown }: Found): Cost => ({
    configuration: describeAssignment(space, values),
    tokens,
    shown,
  });
  return {
    configurations,
    dearest: describe(dearest ?? { values, tokens: 0, shown: 0, asked: 0 }),
    cheapest: cheapest === undefined ? undefined : describe(cheapest),
    empty,
    over,
  };
}

interface Found {
  readonly values: readonly number[];
  readonly tokens: number;
  readonly shown: number;
  /** How many values are set. */
  readonly asked: number;
}

function better(tokens: number, asked: number, best: Found | undefined, sign: 1 | -1): boolean {
  if (best === undefined) return true;
  const difference = (tokens - best.tokens) * sign;
  return difference > 0 || (difference === 0 && asked < best.asked);
}

/** The parts that must all hold. */
function conditionsOf(formula: Formula): Formula[] {
  if (formula === true) return [];
  return typeof formula === 'object' && formula.op === 'and'
    ? formula.parts.flatMap(conditionsOf)
    : [formula];
}

function dimensionsOf(formula: Formula): Set<number> {
  if (typeof formula === 'boolean') return new Set();
  if (formula.op === 'atom') return new Set(formula.dimensions);
  const parts = formula.op === 'not' ? [formula.part] : formula.parts;
  return new Set(parts.flatMap((part) => [...dimensionsOf(part)]));
}

function holds(formula: Formula, values: readonly number[]): boolean {
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

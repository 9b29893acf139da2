import { conditionsOf, dimensionsOf, type Formula, holds } from '../../analysis/formula.js';
import { describeAssignment, type Space, spanSpace } from '../../analysis/space.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Policy } from '../../engine/policy.js';
import { bindCatalog } from '../../engine/select.js';

/** Up to this number, every configuration is tried. */
export const MAX_CONFIGURATIONS = 250_000;

/** The tokens and the number of the primitives that one configuration shows. */
export interface ConfigurationCost {
  /** The values in effect, by the name of the concern; empty if nothing is in effect. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly tokens: number;
  readonly shown: number;
}

/** The costs of all configurations of a policy, in tokens. */
export type CostSummary = ReturnType<typeof sweep>;

/** Primitives with equal values, so that one decision applies to all of them. */
interface WeighedClass {
  readonly tokens: number;
  readonly count: number;
  /** Conditions on one dimension: for each value of the dimension, whether the condition holds. */
  readonly tables: ReadonlyMap<number, readonly boolean[]>;
  /** Conditions on several dimensions. */
  readonly others: readonly Formula[];
}

/**
 * Adds up the tokens of the visible primitives for every configuration.
 *
 * @param policy the policy
 * @param catalog the primitives
 * @param tokensOf counts the tokens of a primitive
 * @param budget the tokens that a configuration may cost
 * @returns the most expensive and the cheapest configuration, of equal ones the one with the fewest values in effect;
 *   undefined if there are too many configurations to try all
 * @example
 * configurationCosts(policy, { tools }, tokensOf)?.mostExpensive.tokens;
 */
export function configurationCosts(
  policy: Policy,
  catalog: ServerCatalog,
  tokensOf: (definition: object) => number,
  budget = Number.POSITIVE_INFINITY,
): CostSummary | undefined {
  const bound = KINDS.map((kind) => bindCatalog(policy, kind, catalog[kind] ?? []));
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
  // The formulas add dimensions to the space, so its size is known only after all formulas exist.
  const { sizes } = space;
  const configurations = sizes.reduce((product, size) => product * Math.max(1, size), 1);
  if (configurations > MAX_CONFIGURATIONS) return undefined;
  const weighed = formulas.flatMap(({ formula, tokens, count }): WeighedClass[] => {
    const conditions = conditionsOf(formula).filter((condition) => condition !== true);
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

/** Chooses a value for one dimension after the other. Primitives that a choice hides are not visited further down. */
function sweep(space: Space, all: readonly WeighedClass[], configurations: number, budget: number) {
  const { sizes, dimensions } = space;
  const values: number[] = sizes.map(() => 0);
  let [mostExpensive, cheapest]: (Found | undefined)[] = [];
  let [empty, over] = [0, 0];

  const choose = (dimension: number, left: readonly WeighedClass[], inEffect: number): void => {
    if (dimension < sizes.length) {
      for (let value = 0; value < (sizes[dimension] ?? 0); value++) {
        values[dimension] = value;
        const set = dimensions[dimension]?.values[value];
        const still = left.filter(({ tables }) => tables.get(dimension)?.[value] !== false);
        choose(dimension + 1, still, set === undefined || set === false ? inEffect : inEffect + 1);
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
    else if (better(tokens, inEffect, cheapest, -1)) {
      cheapest = { values: [...values], tokens, shown, inEffect };
    }
    if (better(tokens, inEffect, mostExpensive, 1)) {
      mostExpensive = { values: [...values], tokens, shown, inEffect };
    }
    if (tokens > budget) over++;
  };
  choose(0, all, 0);

  const describe = ({ values, tokens, shown }: Found): ConfigurationCost => ({
    configuration: describeAssignment(space, values),
    tokens,
    shown,
  });
  return {
    /** The number of configurations that can differ. */
    configurations,
    mostExpensive: describe(mostExpensive ?? { values, tokens: 0, shown: 0, inEffect: 0 }),
    /** The cheapest configuration that shows something. */
    cheapest: cheapest === undefined ? undefined : describe(cheapest),
    /** How many configurations show nothing. */
    empty,
    /** How many configurations cost more than the budget. */
    over,
  };
}

interface Found extends Omit<ConfigurationCost, 'configuration'> {
  readonly values: readonly number[];
  /** How many values are in effect. */
  readonly inEffect: number;
}

function better(tokens: number, inEffect: number, best: Found | undefined, sign: 1 | -1): boolean {
  if (best === undefined) return true;
  const difference = (tokens - best.tokens) * sign;
  return difference > 0 || (difference === 0 && inEffect < best.inEffect);
}

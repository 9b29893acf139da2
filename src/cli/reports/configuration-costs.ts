import { conditionsOf, dimensionsOf, type Formula, holds } from '../../core/analysis/formula.js';
import { describeAssignment, type Space, spanSpace } from '../../core/analysis/space.js';
import type { ServerCatalog } from '../../core/engine/mapping.js';
import { KINDS, type Policy } from '../../core/engine/policy.js';
import { bindCatalog } from '../../core/engine/select.js';
import { groupBy } from '../../core/once.js';

/** Up to this number, every configuration is tried. */
export const MAX_CONFIGURATIONS = 250_000;

/** The tokens and the number of the primitives that one configuration shows. */
export interface ConfigurationCost {
  /** The values in effect, by the name of the concern; empty if nothing is in effect. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly tokens: number;
  readonly shown: number;
}

/** The costs of several configurations of a policy, in tokens. */
export interface CostSummary {
  /** The number of configurations that can differ. */
  readonly configurations: number;
  readonly mostExpensive: ConfigurationCost | undefined;
  /** The cheapest configuration that shows something. */
  readonly cheapest: ConfigurationCost | undefined;
  /** How many configurations show nothing. */
  readonly empty: number;
  /** How many configurations cost more than the budget. */
  readonly over: number;
}

/** Primitives with equal values, so that one decision applies to all of them. */
interface WeighedClass {
  readonly tokens: number;
  readonly count: number;
  /** The conditions under which they are shown, by the last dimension that each reads; -1 if it reads none. */
  readonly conditions: ReadonlyMap<number, readonly Formula[]>;
}

/**
 * Adds up the tokens of the visible primitives for every configuration.
 *
 * @param policy the policy
 * @param catalog the primitives
 * @param tokensOf counts the tokens of a primitive
 * @param budget the tokens that a configuration may cost
 * @returns the most expensive and the cheapest configuration, of equal ones the first; undefined if there are too many
 *   configurations to try all
 * @example
 * configurationCosts(policy, { tools }, tokensOf)?.mostExpensive.tokens;
 */
export function configurationCosts(
  policy: Policy,
  catalog: ServerCatalog,
  tokensOf: (definition: object) => number,
  budget: number = Number.POSITIVE_INFINITY,
): CostSummary | undefined {
  const bound = KINDS.map((kind) => bindCatalog(policy, kind, catalog[kind] ?? []));
  const mappings = bound.flatMap(({ classes }) => classes);
  const space = spanSpace(policy, mappings);
  const weighed = bound.flatMap(({ classes, classOf, items }) =>
    classes.map((mapping, number): WeighedClass => {
      const own = items.filter((_item, index) => classOf[index] === number);
      const tokens = own.reduce((sum, item) => sum + tokensOf(item), 0);
      const conditions = groupBy(conditionsOf(space.shown(mapping)), lastDimension);
      return { tokens, count: own.length, conditions };
    }),
  );
  // The conditions add dimensions to the space, so its size is known only after all of them exist.
  const configurations = space.sizes.reduce((product, size) => product * Math.max(1, size), 1);
  return configurations > MAX_CONFIGURATIONS ? undefined : summarize(sweep(space, weighed), budget);
}

const lastDimension = (condition: Formula): number => Math.max(-1, ...dimensionsOf(condition));

/**
 * Chooses a value for one dimension after the other. Primitives that a choice hides are not visited further down.
 *
 * @returns the cost of each configuration. It has to be copied, as the next one changes it
 */
function* sweep(
  space: Space,
  before: readonly WeighedClass[],
  values: number[] = [],
  next = 0,
): Generator<ConfigurationCost> {
  const { sizes } = space;
  const left = before.filter(
    ({ conditions }) => conditions.get(next - 1)?.every((condition) => holds(condition, values)) !== false,
  );
  for (let value = 0; value < (sizes[next] ?? 0); value++) {
    values[next] = value;
    yield* sweep(space, left, values, next + 1);
  }
  if (next < sizes.length) return;
  yield {
    // It is read only of the most expensive and of the cheapest configuration so far.
    get configuration() {
      return describeAssignment(space, values);
    },
    tokens: left.reduce((sum, { tokens }) => sum + tokens, 0),
    shown: left.reduce((sum, { count }) => sum + count, 0),
  };
}

/**
 * Summarizes what configurations cost.
 *
 * @param costs the cost of each
 * @param budget the tokens that a configuration may cost
 * @returns the most expensive and the cheapest configuration, of equal ones the first, and how many there are
 * @example
 * summarize(costs, 2000).over; // 3
 */
export function summarize(
  costs: Iterable<ConfigurationCost>,
  budget: number = Number.POSITIVE_INFINITY,
): CostSummary {
  let mostExpensive: ConfigurationCost | undefined;
  let cheapest: ConfigurationCost | undefined;
  let [configurations, empty, over] = [0, 0, 0];
  for (const cost of costs) {
    const { tokens, shown } = cost;
    configurations++;
    if (tokens > (mostExpensive?.tokens ?? -1)) mostExpensive = { ...cost };
    if (shown === 0) empty++;
    else if (tokens < (cheapest?.tokens ?? Number.POSITIVE_INFINITY)) cheapest = { ...cost };
    if (tokens > budget) over++;
  }
  return { configurations, mostExpensive, cheapest, empty, over };
}

import type { Configuration } from './configuration.js';
import type { IndexedDecision } from './evaluate.js';

/**
 * Counts why primitives are hidden. Each hidden primitive is counted once, under the reason that `evaluate` gives.
 * A reason that hides nothing is left out.
 */
export interface HiddenCounts {
  readonly concerns?: Readonly<Record<string, number>>;
  readonly rules?: Readonly<Record<string, number>>;
  /** Primitives that the policy does not map, under `unmapped: hide`. */
  readonly unmapped?: number;
  /** Primitives whose definition is not the pinned one, under `changed: hide`. */
  readonly changed?: number;
  /** Tools of which no call is left, by the argument that has no value left. */
  readonly arguments?: Readonly<Record<string, number>>;
  /** Tools that the person hid one by one. */
  readonly person?: number;
}

/**
 * Counts what decisions hide.
 *
 * @param decisions the decisions, see `decide`
 * @param configuration the configuration that they were made under
 * @param sizes the number of primitives that each decision is about; one each if left out
 * @returns the counts, by the names of the policy
 * @example
 * countHidden([decide(mapping, configuration)], configuration); // { concerns: { security: 1 } }
 */
export function countHidden(
  decisions: readonly IndexedDecision[],
  { policy }: Pick<Configuration, 'policy'>,
  sizes?: readonly number[],
): HiddenCounts {
  const byConcern: number[] = policy.concerns.map(() => 0);
  const byRule: number[] = policy.rules.map(() => 0);
  const byArgument = new Map<string, number>();
  const without = { unmapped: 0, changed: 0, person: 0, fits: 0 };
  let index = 0;
  // A plain loop, as in `select`: it runs for every new configuration while the host waits.
  for (const { effect, reason } of decisions) {
    const size = sizes?.[index++] ?? 1;
    if (effect === 'show') continue;
    if (typeof reason === 'string') without[reason] += size;
    else if ('rule' in reason) byRule[reason.rule] = (byRule[reason.rule] ?? 0) + size;
    else if ('argument' in reason)
      byArgument.set(reason.argument, (byArgument.get(reason.argument) ?? 0) + size);
    else if ('concern' in reason) byConcern[reason.concern] = (byConcern[reason.concern] ?? 0) + size;
  }
  const concerns = positive(policy.concerns.map(({ name }, at) => [name, byConcern[at] ?? 0]));
  const rules = positive(policy.rules.map(({ id }, at) => [id, byRule[at] ?? 0]));
  return {
    ...(isEmpty(concerns) ? {} : { concerns }),
    ...(isEmpty(rules) ? {} : { rules }),
    ...(byArgument.size === 0 ? {} : { arguments: Object.fromEntries(byArgument) }),
    ...positive(Object.entries(without)),
  };
}

/** Returns whether an object has no members. */
export const isEmpty = (counts: object): boolean => Object.keys(counts).length === 0;

/** @returns the positive counts by name, in the order of the policy */
const positive = (counts: readonly (readonly [string, number])[]): Record<string, number> =>
  Object.fromEntries(counts.filter(([, count]) => count > 0));

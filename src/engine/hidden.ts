import type { Decision } from './evaluate.js';
import type { Policy } from './policy.js';

/**
 * Why primitives are hidden, in numbers. Each is counted once, under what `evaluate` gives as its reason: of several the
 * first one. A reason that hides nothing is left out.
 */
export interface HiddenCounts {
  readonly concerns?: Readonly<Record<string, number>>;
  readonly rules?: Readonly<Record<string, number>>;
  /** Under `unmapped: hide`, what nothing in the policy maps. */
  readonly unmapped?: number;
}

/**
 * Counts what decisions hide.
 *
 * @param policy the policy that decided
 * @param decisions the decisions, see `decide`
 * @param sizes how many primitives each decision is about; one, if nothing is said
 * @returns the counts, by the names of the policy
 * @example
 * countHidden(policy, [decide(policy, mapping, configuration)]); // { concerns: { security: 1 } }
 */
export function countHidden(
  policy: Policy,
  decisions: readonly Decision[],
  sizes?: readonly number[],
): HiddenCounts {
  const concerns = new Map<string, number>();
  const rules = new Map<string, number>();
  let unmapped = 0;
  decisions.forEach(({ shown, by }, index) => {
    if (shown) return;
    const size = sizes?.[index] ?? 1;
    if (typeof by === 'string') unmapped += size;
    else if ('rule' in by) add(rules, policy.rules[by.rule]?.id, size);
    else add(concerns, policy.concerns[by.concern]?.name, size);
  });
  return {
    ...(concerns.size === 0 ? {} : { concerns: Object.fromEntries(concerns) }),
    ...(rules.size === 0 ? {} : { rules: Object.fromEntries(rules) }),
    ...(unmapped === 0 ? {} : { unmapped }),
  };
}

function add(counts: Map<string, number>, name = '', size: number): void {
  counts.set(name, (counts.get(name) ?? 0) + size);
}

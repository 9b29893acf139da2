import type { IndexedDecision } from './evaluate.js';
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
  decisions: readonly IndexedDecision[],
  sizes?: readonly number[],
): HiddenCounts {
  const byConcern: number[] = policy.concerns.map(() => 0);
  const byRule: number[] = policy.rules.map(() => 0);
  let unmapped = 0;
  // Loops, as in `select`: whoever asks for something new waits for it.
  for (let index = 0; index < decisions.length; index++) {
    const { effect, reason } = decisions[index] as IndexedDecision;
    if (effect === 'show') continue;
    const size = sizes?.[index] ?? 1;
    if (typeof reason === 'string') unmapped += size;
    else if ('rule' in reason) byRule[reason.rule] = (byRule[reason.rule] ?? 0) + size;
    else byConcern[reason.concern] = (byConcern[reason.concern] ?? 0) + size;
  }
  const hidden: { -readonly [K in keyof HiddenCounts]: HiddenCounts[K] } = {};
  // In the order of the policy, which is that of the reasons.
  if (byConcern.some(isSome)) hidden.concerns = named(byConcern, policy.concerns, 'name');
  if (byRule.some(isSome)) hidden.rules = named(byRule, policy.rules, 'id');
  if (unmapped > 0) hidden.unmapped = unmapped;
  return hidden;
}

const isSome = (count: number): boolean => count > 0;

function named<K extends string>(
  counts: readonly number[],
  declared: readonly { readonly [name in K]: string }[],
  key: K,
): Record<string, number> {
  const found: Record<string, number> = {};
  declared.forEach((each, index) => {
    const count = counts[index] ?? 0;
    if (count > 0) found[each[key]] = count;
  });
  return found;
}

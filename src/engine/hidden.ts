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
  const concerns: number[] = new Array(policy.concerns.length).fill(0);
  const rules: number[] = new Array(policy.rules.length).fill(0);
  let unmapped = 0;
  decisions.forEach(({ shown, by }, index) => {
    if (shown) return;
    const size = sizes?.[index] ?? 1;
    if (typeof by === 'string') unmapped += size;
    else if ('rule' in by) rules[by.rule] = (rules[by.rule] ?? 0) + size;
    else concerns[by.concern] = (concerns[by.concern] ?? 0) + size;
  });
  return {
    ...named('concerns', concerns, (index) => policy.concerns[index]?.name),
    ...named('rules', rules, (index) => policy.rules[index]?.id),
    ...(unmapped === 0 ? {} : { unmapped }),
  };
}

/** In the order of the policy, which is that of the reasons. */
function named(
  what: 'concerns' | 'rules',
  counts: readonly number[],
  nameOf: (index: number) => string | undefined,
): HiddenCounts {
  const found = counts.flatMap((count, index) =>
    count === 0 ? [] : [[nameOf(index) ?? '', count] as const],
  );
  return found.length === 0 ? {} : { [what]: Object.fromEntries(found) };
}

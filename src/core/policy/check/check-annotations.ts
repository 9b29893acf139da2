import { isTruthy } from '../../engine/expression/evaluate.js';
import type { Mapping } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';

/** The annotations of which a missing one may be true or false. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/**
 * Compares the values of a primitive with those that `assign` derives. A value that only follows from the default of a
 * missing annotation is not a contradiction: the author of the policy may know better. A stricter value is none either.
 *
 * @param policy the policy
 * @param mapping the values of the primitive
 * @returns the derived values that the primitive does not have
 * @example
 * contradictedValues(policy, mapPrimitive(policy, 'tools', tool))[0]?.source; // 'policy.yaml:12'
 */
export function contradictedValues(policy: Policy, { offers, primitive }: Mapping): readonly Derived[] {
  const { annotations } = primitive as { readonly annotations?: unknown };
  // Without annotations, an item derives its values from something else, such as the name.
  if (typeof annotations !== 'object' || annotations === null) return [];
  const derived = derivedValues(policy, primitive);
  const differs = ({ concern, offered }: Derived): boolean => {
    const own = offers[concern];
    if (own === undefined || offered === 'any' || own.offered.some((each) => offered.includes(each)))
      return false;
    const { match } = policy.concerns[concern] ?? {};
    // A stricter value than that of the hint is a judgment. Of other concerns, none is stricter than another.
    const isStricter =
      match === 'at-most'
        ? own.offered.every((each) => offered.every((other) => each > other))
        : match === 'at-least' && own.offered.every((each) => offered.every((other) => each < other));
    return !isStricter;
  };
  const different = [...derived.values()].filter(differs);
  if (different.length === 0) return [];
  const variants = completions(primitive, annotations).map((each) => derivedValues(policy, each));
  return different.filter(({ concern }) =>
    variants.every((values) => {
      const other = values.get(concern);
      return other !== undefined && differs(other);
    }),
  );
}

type Derived = Policy['assigns'][number]['assignments'][number];

/** @returns the value of each concern that `assign` derives: of several items, the last one wins */
function derivedValues(policy: Policy, primitive: object): ReadonlyMap<number, Derived> {
  const derived = new Map<number, Derived>();
  for (const { fires, assignments } of policy.assigns) {
    if (!isTruthy(fires({ primitive }, []))) continue;
    for (const assignment of assignments) derived.set(assignment.concern, assignment);
  }
  return derived;
}

/** @returns the primitive with every combination of values for the annotations that it does not have */
function completions(primitive: object, own: object): object[] {
  return HINTS.filter((hint) => !Object.hasOwn(own, hint))
    .reduce<object[]>(
      (all, hint) => all.flatMap((each) => [true, false].map((value) => ({ ...each, [hint]: value }))),
      [own],
    )
    .map((each) => ({ ...primitive, annotations: each }));
}

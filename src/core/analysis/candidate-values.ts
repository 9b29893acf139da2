import type { EffectiveValue } from '../engine/configuration.js';
import { readPath } from '../engine/expression/evaluate.js';
import { childrenOf, type Expression, readsPrimitive } from '../engine/expression/expression.js';
import { itemAt } from '../engine/item-at.js';
import { type Mapping, ruleFacts } from '../engine/mapping.js';
import type { Concern, Policy } from '../engine/policy.js';

/** With more values than this, their 2^n combinations are not all tried. */
const MAX_COMBINED = 8;

/** Whether a rule reads the concern. */
export const readByRule = ({ rules }: Policy, { name }: Concern): boolean =>
  rules.some(({ paths }) => paths.includes(`concerns.${name}`));

/** Whether the concern has few enough values to try all combinations of them. */
export function canCombine({ values, multiple }: Concern): boolean {
  return !multiple || 'min' in values || values.length <= MAX_COMBINED;
}

/**
 * Lists the sets of values of a concern that a host can set at once, as far as they can make a difference.
 *
 * @param policy the policy
 * @param concern a concern with names as values
 * @returns the sets, as indexes of values, the smallest first
 * @example
 * combinations(policy, topic); // [[0], [1], [0, 1]]
 */
export function combinations(policy: Policy, concern: Concern): number[][] {
  const ordinals = 'min' in concern.values ? [] : concern.values.map((_, ordinal) => ordinal);
  if (!concern.multiple || !readByRule(policy, concern) || !canCombine(concern)) {
    return ordinals.map((ordinal) => [ordinal]);
  }
  let sets: number[][] = [[]];
  for (const ordinal of ordinals) sets = [...sets, ...sets.map((set) => [...set, ordinal])];
  return sets.filter((set) => set.length > 0).sort((a, b) => a.length - b.length);
}

/**
 * Cuts a range at the numbers where the effect on a primitive can change.
 *
 * @param policy the policy
 * @param index the index of the concern, which is a range
 * @param mappings the values of the primitives, see `mapPrimitive`
 * @param range its bounds
 * @param present values in effect that become cuts too, also those of ranges that rules compare with this one
 * @returns the cuts, and numbers between each two of them, in ascending order
 * @example
 * cutRange(policy, index, mappings, { min: 0, max: 10 }); // [0, 5, 10]
 */
export function cutRange(
  policy: Policy,
  index: number,
  mappings: readonly Mapping[],
  { min, max }: { readonly min: number; readonly max: number },
  present: readonly EffectiveValue[] = [],
): number[] {
  const group = comparedWith(policy, index);
  const marks = new Set<number>();
  for (const each of group) {
    const { name, values } = itemAt(policy.concerns, each);
    const now = present[each];
    if ('min' in values) marks.add(values.min).add(values.max);
    if (typeof now === 'number') marks.add(now);
    for (const { offers } of mappings) for (const number of offers[each]?.offered ?? []) marks.add(number);
    for (const rule of policy.rules) {
      if (!rule.paths.includes(`concerns.${name}`)) continue;
      // An unset value counts as 0 in a comparison.
      for (const number of [0, ...constantNumbers(rule.when)]) marks.add(number);
      for (const path of rule.paths.filter(readsPrimitive)) {
        for (const mapping of mappings) {
          for (const number of numbersIn(readPath(ruleFacts(mapping), path))) marks.add(number);
        }
      }
    }
  }
  const sorted = [...marks].sort((a, b) => a - b);
  const points = sorted.flatMap((mark, position) => {
    const step = ((sorted[position + 1] ?? mark) - mark) / (group.length + 1);
    return step === 0 ? [mark] : [mark, ...group.map((_each, at) => mark + step * (at + 1))];
  });
  return points.filter((point) => point >= min && point <= max);
}

/** @returns the range and all ranges that rules compare with each other, because they need the same cuts */
function comparedWith(policy: Policy, index: number): readonly number[] {
  const together = policy.rules.map(({ paths }) =>
    policy.concerns.flatMap(({ name, values }, each) =>
      'min' in values && paths.includes(`concerns.${name}`) ? [each] : [],
    ),
  );
  const compared = new Set(together.filter(({ length }) => length > 1).flat());
  return compared.has(index) ? [...compared] : [index];
}

/** @returns the numbers that the constants of an expression have in a comparison */
function constantNumbers(expression: Expression): number[] {
  return expression.type === 'literal'
    ? numbersIn(expression.value)
    : childrenOf(expression).flatMap(constantNumbers);
}

function numbersIn(data: unknown): number[] {
  if (typeof data === 'object' && data !== null) return Object.values(data).flatMap(numbersIn);
  // A comparison in JavaScript converts in the same way: "5" becomes 5, true becomes 1.
  const number = Number(data ?? 0);
  return Number.isFinite(number) ? [number] : [];
}

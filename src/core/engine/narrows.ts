import type { Configuration, EffectiveValue } from './configuration.js';
import { fits } from './evaluate.js';
import type { Policy } from './policy.js';

/**
 * Returns whether a change of values can only hide more, whatever the server lists: every value that fits afterwards fitted
 * before. A value that a rule reads can do both, so it counts as one that shows more. Concerns with `model: free` may change.
 *
 * @param before the values in effect
 * @param after the values in effect after the change
 * @example
 * onlyNarrows(resolveConfiguration(policy, []), configuration); // true, without rules
 */
export function onlyNarrows({ policy, effective, switched }: Configuration, after: Configuration): boolean {
  const [before, now] = [switched, after.switched];
  const showsNoOther = [...(now?.shown ?? [])].every((name) => before?.shown.has(name) === true);
  const hidesTheSame = [...(before?.hidden ?? [])].every((name) => now?.hidden.has(name) === true);
  if (!showsNoOther || !hidesTheSame) return false;
  return policy.concerns.every(({ name, model }, index) => {
    const [old, now] = [effective[index], after.effective[index]];
    if (model === 'free' || String(old) === String(now)) return true;
    return !isReadByRules(policy, name) && implies(policy, index, now, old);
  });
}

/** Whether rules read the value of a concern. The empty path and `concerns` read all values. */
export const isReadByRules = ({ rules }: Policy, name: string): boolean =>
  rules.some(({ paths }) =>
    paths.some((path) => path === '' || path === 'concerns' || path.startsWith(`concerns.${name}`)),
  );

/** Whether all that fits one value in effect also fits another. */
function implies(policy: Policy, concern: number, now: EffectiveValue, old: EffectiveValue): boolean {
  if (old === undefined || now === 'denied') return true;
  if (now === undefined) return false;
  const { values = [] } = policy.concerns[concern] ?? {};
  // Of a range, the bound itself decides.
  if ('min' in values) return fits(policy, concern, old, [now].flat());
  return values.every(
    (_value, each) => !fits(policy, concern, now, [each]) || fits(policy, concern, old, [each]),
  );
}

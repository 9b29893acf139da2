import { childrenOf, type Expression, pathsOf, readsClient, readsClientName } from './expression.js';
import { parseExpression } from './parse.js';

/**
 * Replaces the parts of a condition that `and`, `or`, `!`, `!!` and `if` connect.
 *
 * @param when the condition
 * @param change returns the JSON Logic that replaces a part; `isNegated` tells whether a true part makes the condition false
 * @returns the JSON Logic of the condition with the new parts
 * @example
 * replaceParts(when, ({ json }, isNegated) => json); // the same condition
 */
export function replaceParts(
  when: Expression,
  change: (part: Expression, isNegated: boolean) => unknown,
  isNegated = false,
): unknown {
  if (when.type !== 'operation' || !/^(and|or|!!?|if)$/.test(when.operator)) return change(when, isNegated);
  const { operator, operands } = when;
  if (operator === 'if') return replaceBranches(operands, change, isNegated);
  const isInner = operator === '!' ? !isNegated : isNegated;
  return { [operator]: operands.map((operand) => replaceParts(operand, change, isInner)) };
}

/** The condition of `if` counts in both directions: it opens one branch and closes the other. */
function replaceBranches(
  [condition, then, ...rest]: readonly Expression[],
  change: (part: Expression, isNegated: boolean) => unknown,
  isNegated: boolean,
): unknown {
  if (condition === undefined) return false;
  if (then === undefined) return replaceParts(condition, change, isNegated);
  const [opens, branch] = [condition, then].map((each) => replaceParts(each, change, isNegated));
  const closes = { '!': replaceParts(condition, change, !isNegated) };
  return { or: [{ and: [opens, branch] }, { and: [closes, replaceBranches(rest, change, isNegated)] }] };
}

/**
 * Completes a rule that reads what a caller may not have: a claim, or the name of its client. Without it, a comparison
 * counts as what hides most, so that a caller never sees more because it has less. `missing` and the fallback of `var` are
 * how a policy speaks about a caller without the claim.
 *
 * @param when the condition of the rule
 * @param effect what the rule does
 * @returns the same condition if it reads nothing of the caller that may be absent
 */
export function closedWithoutFacts(when: Expression, effect: 'hide' | 'show'): Expression {
  const readsName = pathsOf(when).some(readsClientName);
  if (!readsName && !pathsOf(when).some(mayBeAbsent)) return when;
  const closed = replaceParts(when, (part, isNegated) => {
    // What a client without a name says about itself does not count either.
    const isUnnamed = readsName && pathsOf(part).some(readsClient);
    const paths = [...new Set([...(isUnnamed ? ['client.name'] : []), ...needed(part)])];
    // Any client can leave its name out, so its absence is no word of the policy.
    if (paths.length === 0 || (part.type === 'missing' && !isUnnamed)) return part.json;
    const absent = { missing: paths };
    return (effect === 'hide') !== isNegated
      ? { or: [part.json, absent] }
      : { and: [part.json, { '!': absent }] };
  });
  return parseExpression(closed).expression;
}

/**
 * Whether a caller can be without the value at the path. Every caller has scopes, perhaps none, and an era. Titles and versions of
 * clients are free to choose: if their absence counted, stating one would show more.
 */
const mayBeAbsent = (path: string): boolean => path.startsWith('claims.');

/** @returns the paths without which the part has no answer */
function needed(part: Expression): readonly string[] {
  const below = childrenOf(part).flatMap(needed);
  if (part.type !== 'read') return below;
  return isOpen(part.fallback) && mayBeAbsent(part.path) ? [part.path, ...below] : below;
}

/** A fallback of null is none. */
const isOpen = (fallback: Expression | undefined): boolean =>
  fallback === undefined || (fallback.type === 'literal' && fallback.value === null);

import { type Expression, pathsOf, readsClient, readsClientName } from './expression.js';
import { parseExpression } from './parse.js';

/**
 * Replaces the parts of a condition that `and`, `or`, `!` and `!!` connect.
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
  if (when.type !== 'operation' || !/^(and|or|!!?)$/.test(when.operator)) return change(when, isNegated);
  const { operator, operands } = when;
  const isInner = operator === '!' ? !isNegated : isNegated;
  return { [operator]: operands.map((operand) => replaceParts(operand, change, isInner)) };
}

/**
 * Completes a rule that reads how a client names itself. For a client whose name is not known, the parts that read the
 * client count as what hides most: a client must not see more because it does not say its name.
 *
 * @param when the condition of the rule
 * @param effect what the rule does
 * @returns the same condition if it does not read the client's name
 */
export function closedWithoutName(when: Expression, effect: 'hide' | 'show'): Expression {
  if (!pathsOf(when).some(readsClientName)) return when;
  const closed = replaceParts(when, (part, isNegated) => {
    if (!pathsOf(part).some(readsClient)) return part.json;
    const countsAsTrue = (effect === 'hide') !== isNegated;
    return countsAsTrue ? { or: [part.json, UNNAMED] } : { and: [part.json, { '!': UNNAMED }] };
  });
  return parseExpression(closed).expression;
}

const UNNAMED = { missing: ['client.name'] };

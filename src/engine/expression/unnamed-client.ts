import { type Expression, type Operation, pathsOf, readsClient, readsClientName } from './expression.js';

/**
 * Replaces the parts of a condition that `and`, `or`, `!` and `!!` connect.
 *
 * @param when the condition
 * @param change returns what replaces a part; `isNegated` tells whether a true part makes the condition false
 * @returns the condition with the new parts
 * @example
 * replaceParts(when, (part, isNegated) => part); // the same condition
 */
export function replaceParts(
  when: Expression,
  change: (part: Expression, isNegated: boolean) => Expression,
  isNegated = false,
): Expression {
  if (when.type !== 'operation' || !/^(and|or|!!?)$/.test(when.operator)) return change(when, isNegated);
  const { operator, operands } = when;
  const isInner = operator === '!' ? !isNegated : isNegated;
  return operation(
    operator,
    operands.map((operand) => replaceParts(operand, change, isInner)),
  );
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
  return replaceParts(when, (part, isNegated) => {
    if (!pathsOf(part).some(readsClient)) return part;
    const countsAsTrue = (effect === 'hide') !== isNegated;
    return countsAsTrue
      ? operation('or', [part, UNNAMED])
      : operation('and', [part, operation('!', [UNNAMED])]);
  });
}

const UNNAMED: Expression = {
  type: 'missing',
  json: { missing: ['client.name'] },
  place: [],
  paths: ['client.name'],
};

function operation(operator: Operation['operator'], operands: readonly Expression[]): Operation {
  return {
    type: 'operation',
    json: { [operator]: operands.map(({ json }) => json) },
    place: [],
    operator,
    operands,
  };
}

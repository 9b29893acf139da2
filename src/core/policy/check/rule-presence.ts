import type { Expression, Literal, Read, ValueOperator } from '../../engine/expression/expression.js';

/**
 * Finds the paths that have a value whenever one operand of an operation matters. `and` is false if a presence test in
 * another operand is false, and the branches of `if` depend on its condition.
 *
 * @param operator the operator
 * @param operands its operands
 * @param index the index of the operand in question
 * @param outer the paths that have a value whenever the operation matters
 * @returns the paths
 * @example
 * presentPaths('and', [isSet, comparison], 1, new Set()); // Set { 'concerns.cost' }
 */
export function presentPaths(
  operator: ValueOperator,
  operands: readonly Expression[],
  index: number,
  outer: ReadonlySet<string>,
): ReadonlySet<string> {
  if (operator === 'and') {
    const others = operands.filter((_operand, position) => position !== index);
    return new Set([...outer, ...others.flatMap(provenBy)]);
  }
  if (operator === 'if' && index % 2 === 1) return new Set([...outer, ...provenBy(operands[index - 1])]);
  return outer;
}

/** @returns the paths that have a value if the expression is true */
function provenBy(expression: Expression | undefined): readonly string[] {
  if (expression?.type !== 'operation') return pathProven(expression);
  const { operator, operands } = expression;
  const [first, second] = operands;
  switch (operator) {
    case '!!':
      return provenBy(first);
    case '!':
      return first?.type === 'missing' ? first.paths : [];
    case '===':
      return operands.flatMap((each, index) => (isScalar(operands[1 - index]) ? pathProven(each) : []));
    case '!==':
      return operands.flatMap((each, index) => (isNull(operands[1 - index]) ? pathProven(each) : []));
    case 'in':
      return second?.type === 'list' && second.items.every(isScalar) ? pathProven(first) : [];
    case 'starts-with':
    case 'ends-with':
    case 'contains':
      return operands.flatMap(pathProven);
    case 'and':
      return operands.flatMap(provenBy);
    case 'or': {
      const [some = [], ...rest] = operands.map(provenBy);
      return some.filter((each) => rest.every((other) => other.includes(each)));
    }
    default:
      return [];
  }
}

/** @returns the path that an expression reads; none if a fallback may replace its value */
function pathProven(expression: Expression | undefined): readonly string[] {
  if (expression?.type !== 'read' || expression.path === '') return [];
  const { path, fallback } = expression;
  return fallback === undefined || isNull(fallback) ? [path] : [];
}

/** Whether an expression is a constant text, number or boolean. */
export function isScalar(expression: Expression | undefined): expression is Literal {
  return expression?.type === 'literal' && typeof expression.value !== 'object';
}

/** Whether an expression is the constant null. */
export function isNull(expression: Expression | undefined): boolean {
  return expression?.type === 'literal' && expression.value === null;
}

/** Whether a constant replaces a value that is not set. The value of any other fallback may not be set either. */
export function hasFallback({ fallback }: Read): boolean {
  return isScalar(fallback);
}

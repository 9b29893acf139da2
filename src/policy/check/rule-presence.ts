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
    const proven = others.flatMap((operand) => [...provenBy(operand)]);
    return proven.length === 0 ? outer : new Set([...outer, ...proven]);
  }
  if (operator === 'if' && index % 2 === 1) return new Set([...outer, ...provenBy(operands[index - 1])]);
  return outer;
}

const NONE: ReadonlySet<string> = new Set();

/** @returns the paths that have a value if the expression is true */
function provenBy(expression: Expression | undefined): ReadonlySet<string> {
  if (expression === undefined) return NONE;
  const path = pathProven(expression);
  if (path !== undefined) return new Set([path]);
  if (expression.type !== 'operation') return NONE;
  const { operator, operands } = expression;
  const [first, second] = operands;
  switch (operator) {
    case '!!':
      return provenBy(first);
    case '!':
      return first?.type === 'missing' ? new Set(first.paths) : NONE;
    case '===':
      return provenByEquality(operands, isScalar);
    case '!==':
      return provenByEquality(operands, isNull);
    case 'in': {
      const read = first && pathProven(first);
      const listed = second?.type === 'list' && second.items.every(isScalar);
      return read !== undefined && listed ? new Set([read]) : NONE;
    }
    case 'starts-with':
    case 'ends-with':
    case 'contains':
      return new Set(operands.flatMap((operand) => pathProven(operand) ?? []));
    case 'and':
      return new Set(operands.flatMap((operand) => [...provenBy(operand)]));
    case 'or': {
      const [some = NONE, ...rest] = operands.map(provenBy);
      return new Set([...some].filter((each) => rest.every((other) => other.has(each))));
    }
    default:
      return NONE;
  }
}

/** @returns the path that an expression reads; `undefined` if a fallback may replace its value */
function pathProven(expression: Expression): string | undefined {
  if (expression.type !== 'read' || expression.path === '') return undefined;
  const { path, fallback } = expression;
  return fallback === undefined || isNull(fallback) ? path : undefined;
}

function provenByEquality(
  [left, right]: readonly Expression[],
  proves: (other: Expression) => boolean,
): ReadonlySet<string> {
  if (left === undefined || right === undefined) return NONE;
  const found = [proves(right) ? pathProven(left) : undefined, proves(left) ? pathProven(right) : undefined];
  return new Set(found.filter((path) => path !== undefined));
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

import { pathRead } from './rule-paths.js';

/**
 * Which paths have a value wherever one operand of an operation decides anything: `and` with a presence test beside it
 * is false without one, and the branches of `if` know its condition.
 *
 * @param operator the operator
 * @param operands its operands
 * @param index the operand in question
 * @param outer what is known around the operation
 * @returns the paths
 * @example
 * presentPaths('and', [{ '!!': { var: 'concerns.cost' } }, other], 1, new Set()); // concerns.cost
 */
export function presentPaths(
  operator: string,
  operands: readonly unknown[],
  index: number,
  outer: ReadonlySet<string>,
): ReadonlySet<string> {
  if (operator === 'and') {
    const beside = operands
      .filter((_operand, position) => position !== index)
      .flatMap((operand) => [...provenBy(operand)]);
    return beside.length === 0 ? outer : new Set([...outer, ...beside]);
  }
  if (operator === 'if' && index % 2 === 1) return new Set([...outer, ...provenBy(operands[index - 1])]);
  return outer;
}

/** The paths that have a value if an expression is true. */
function provenBy(logic: unknown): ReadonlySet<string> {
  const path = pathProven(logic);
  if (path !== undefined) return new Set([path]);
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic)) return new Set();
  const [[operator, given] = ['', undefined]] = Object.entries(logic);
  const operands: readonly unknown[] = Array.isArray(given) ? given : [given];
  switch (operator) {
    case '!!':
      return provenBy(operands[0]);
    case '!':
      return notMissing(operands[0]);
    case '===':
      return provenByEquality(operands, (other) => other !== null && typeof other !== 'object');
    case '!==':
      return provenByEquality(operands, (other) => other === null);
    case 'in': {
      const list = operands[1];
      const read = pathProven(operands[0]);
      const listed = Array.isArray(list) && list.every((each) => each !== null && typeof each !== 'object');
      return new Set(read !== undefined && listed ? [read] : []);
    }
    case 'and':
      return new Set(operands.flatMap((operand) => [...provenBy(operand)]));
    case 'or': {
      const [first = new Set<string>(), ...rest] = operands.map(provenBy);
      return new Set([...first].filter((each) => rest.every((other) => other.has(each))));
    }
    default:
      return new Set();
  }
}

/** A path that is read; none if something may stand in for its value. */
function pathProven(logic: unknown): string | undefined {
  const path = pathRead(logic);
  if (path === undefined) return undefined;
  const { var: given } = logic as { var: unknown };
  return Array.isArray(given) && given.length > 1 && given[1] !== null ? undefined : path;
}

function provenByEquality(
  operands: readonly unknown[],
  proves: (other: unknown) => boolean,
): ReadonlySet<string> {
  const [left, right] = operands;
  const found = [proves(right) ? pathProven(left) : undefined, proves(left) ? pathProven(right) : undefined];
  return new Set(found.filter((path) => path !== undefined));
}

function notMissing(logic: unknown): ReadonlySet<string> {
  if (typeof logic !== 'object' || logic === null || !Object.hasOwn(logic, 'missing')) return new Set();
  const { missing } = logic as { missing: unknown };
  const names: readonly unknown[] = Array.isArray(missing) ? missing.flat() : [missing];
  return new Set(names.filter((name) => typeof name === 'string'));
}

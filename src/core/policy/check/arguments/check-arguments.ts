import { connects } from '../../../engine/expression/closed.js';
import { argumentIn, childrenOf, type Expression, pathsOf } from '../../../engine/expression/expression.js';
import { parseExpression } from '../../../engine/expression/parse.js';
import type { Kind } from '../../../engine/policy.js';
import { problem } from '../../language/problem.js';
import type { Path } from '../../language/read-yaml.js';
import type { Reports } from '../check-values.js';

/** The operators with which a schema can say what is left. */
const COMPARISONS: ReadonlySet<string> = new Set(['===', '!==', 'in', '<', '<=', '>', '>=']);
/** What an argument can be compared with, beside constants. */
const CALLERS = /^(?:claims|caller|concerns|client)\./;

/** What a rule hides or shows, and when. */
interface WrittenRule {
  readonly id: string;
  readonly hide?: readonly Kind[] | undefined;
  readonly when: unknown;
}

/**
 * Checks what a rule reads of the arguments of calls: one argument, in a way that a schema can say, and only to hide tools.
 *
 * @param reports receives the findings
 * @param path the position of the rule in the document
 * @param rule the rule
 * @example
 * checkArguments(reports, ['rules', 0], { id: 'refunds', hide: ['tools'], when });
 */
export function checkArguments({ error }: Reports, path: Path, { id, hide, when }: WrittenRule): void {
  const { expression } = parseExpression(when);
  const names = [...new Set(pathsOf(expression).flatMap((each) => argumentIn(each) ?? []))];
  const [first, ...others] = names;
  if (first === undefined) return;
  const at = [...path, 'when'];
  if (hide === undefined) error(at, problem('show-reads-arguments', { id }), 'key');
  else if (hide.some((kind) => kind !== 'tools'))
    error([...path, 'hide'], problem('argument-kinds', { id }), 'key');
  if (others.length > 0) error(at, problem('two-arguments', { id, names: names.join(', ') }), 'key');
  for (const part of unsayable(expression)) {
    error([...at, ...part.place], problem('argument-operator', { argument: first }), 'key');
  }
}

const readsArgument = (expression: Expression): boolean =>
  pathsOf(expression).some((path) => argumentIn(path) !== undefined);

/** @returns the parts that read an argument in a way that no schema can say */
function unsayable(expression: Expression): readonly Expression[] {
  if (!readsArgument(expression)) return [];
  if (expression.type === 'operation' && connects(expression.operator))
    return childrenOf(expression).flatMap(unsayable);
  return isSayable(expression) ? [] : [expression];
}

function isSayable(expression: Expression): boolean {
  if (expression.type !== 'operation' || !COMPARISONS.has(expression.operator)) return false;
  const { operator, operands } = expression;
  const own = operands.filter(readsArgument);
  const [argument, ...more] = own;
  const isAlone = more.length === 0 && argument?.type === 'read' && argument.fallback === undefined;
  // A text would be searched in the other direction.
  if (!isAlone || (operator === 'in' && operands[0] !== argument)) return false;
  return operands.every((each) => each === argument || isComparable(each));
}

function isComparable(operand: Expression): boolean {
  switch (operand.type) {
    case 'literal':
      return true;
    case 'list':
      return operand.items.every(({ type }) => type === 'literal');
    case 'read':
      return CALLERS.test(operand.path) && (operand.fallback === undefined || isComparable(operand.fallback));
    default:
      return false;
  }
}

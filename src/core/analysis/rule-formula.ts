import { type EffectiveValue, toWords } from '../engine/configuration.js';
import { isUnanswered } from '../engine/expression/closed.js';
import { compileExpression, isTruthy, readPath } from '../engine/expression/evaluate.js';
import { type Expression, type Need, readsCaller, readsPrimitive } from '../engine/expression/expression.js';
import { itemAt } from '../engine/item-at.js';
import { type Mapping, ruleFacts } from '../engine/mapping.js';
import type { Policy } from '../engine/policy.js';
import { and, atom, type Formula, not, or } from './formula.js';

/** Something that varies between configurations: the value in effect for a concern, or whether a comparison holds. */
export type Dimension =
  | { readonly concern: number; readonly values: readonly EffectiveValue[] }
  | { readonly comparison: string; readonly values: readonly [false, true] };

/** The part of a space that is needed to turn expressions into formulas. */
interface Spanning {
  readonly policy: Policy;
  readonly dimensions: readonly Dimension[];
  /** Returns the condition that a comparison with the caller holds. Equal keys give the same condition. */
  comparison(key: string): Formula;
}

/**
 * Turns the condition of a rule into a formula over the dimensions of a space.
 *
 * @param spanning the policy and its dimensions
 * @param expression the condition
 * @param mapping the primitive that it is about
 * @returns the condition under which the expression is true for the primitive
 */
export function toFormula(spanning: Spanning, expression: Expression, mapping: Mapping): Formula {
  if (expression.type === 'closed') {
    const { part, needs, counts } = expression;
    const answer = toFormula(spanning, part, mapping);
    const unanswered = or(
      needs.map((need) =>
        need.isArgument === true
          ? isUnanswered(need, readPath(ruleFacts(mapping), need.path))
          : lacking(spanning, need),
      ),
    );
    return counts ? or([answer, unanswered]) : and([answer, not(unanswered)]);
  }
  if (expression.type === 'missing' && expression.paths.length > 1) {
    return or(expression.paths.map((path) => toFormula(spanning, missing(path), mapping)));
  }
  if (expression.type !== 'operation') return leaf(spanning, expression, mapping);
  const operands = () => expression.operands.map((operand) => toFormula(spanning, operand, mapping));
  switch (expression.operator) {
    case 'and':
    case '!!':
      return and(operands());
    case 'or':
      return or(operands());
    case '!':
      return not(and(operands()));
    case 'if':
      return choose(operands());
    default:
      return leaf(spanning, expression, mapping);
  }
}

/** The condition that a caller does not have what a part needs. All parts that need it share the condition. */
function lacking({ policy, dimensions, comparison }: Spanning, { path, as, hasFallback }: Need): Formula {
  const concern = policy.indexOf.get(path.slice('concerns.'.length));
  if (concern !== undefined && path.startsWith('concerns.')) {
    const { values } = itemAt(dimensions, concern);
    return hasFallback ? false : atom(concern, values.length, (value) => values[value] === 'denied');
  }
  return or([
    hasFallback ? false : comparison(JSON.stringify(missing(path).json)),
    as === 'anything' ? false : comparison(`${path} is not a ${as}`),
  ]);
}

const missing = (path: string): Expression => ({
  type: 'missing',
  paths: [path],
  json: { missing: [path] },
  place: [],
});

function choose([condition, then, ...rest]: readonly Formula[]): Formula {
  if (condition === undefined) return false;
  if (then === undefined) return condition;
  return or([and([condition, then]), and([not(condition), choose(rest)])]);
}

/** An expression that cannot be split: it depends only on comparisons, or only on concerns and the primitive. */
function leaf(
  { policy, dimensions, comparison }: Spanning,
  expression: Expression,
  mapping: Mapping,
): Formula {
  const { evaluate, paths } = compileExpression(expression);
  const facts = ruleFacts(mapping);
  if (paths.some(readsCaller)) {
    const known = paths
      .filter(readsPrimitive)
      .map((path) => `${path}=${JSON.stringify(readPath(facts, path) ?? null)}`);
    return comparison([JSON.stringify(expression.json), ...known].join(' '));
  }
  const read = [...new Set(paths.map((path) => policy.indexOf.get(path.slice('concerns.'.length))))].filter(
    (index) => index !== undefined,
  );
  const holds = (values: readonly number[]): boolean => {
    const concerns: Record<string, unknown> = Object.create(null);
    read.forEach((index, position) => {
      const value = dimensions[index]?.values[values[position] ?? 0];
      const concern = itemAt(policy.concerns, index);
      const words = typeof value === 'boolean' ? undefined : toWords(concern, value);
      if (words !== undefined) concerns[concern.name] = words;
    });
    return isTruthy(evaluate({ concerns, ...facts }, []));
  };
  const [only] = read;
  if (only === undefined) return holds([]);
  if (read.length === 1) return atom(only, dimensions[only]?.values.length ?? 0, (value) => holds([value]));
  return { op: 'atom', dimensions: read, holds };
}

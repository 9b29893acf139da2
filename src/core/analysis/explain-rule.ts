import type { Configuration } from '../engine/configuration.js';
import { isUnanswered } from '../engine/expression/closed.js';
import { compileExpression, readPath } from '../engine/expression/evaluate.js';
import { type Expression, isComputed, type Need, operandsOf } from '../engine/expression/expression.js';
import { type Mapping, ruleFacts } from '../engine/mapping.js';

/** A part of a rule's condition, its value, and the parts that it was computed from. */
export interface ExplainedPart {
  /** The JSON Logic of the part. */
  readonly logic: unknown;
  readonly value: unknown;
  readonly parts: readonly ExplainedPart[];
  /** What the caller lacks, so that the part counts as what hides most. */
  readonly unanswered?: readonly Need[];
}

/**
 * Evaluates a rule's condition part by part.
 *
 * @param when the rule's condition
 * @param mapping the primitive's values, see `mapPrimitive`
 * @param configuration the values in effect
 * @returns the condition with the value of each part, `null` for a value that is not set; of `some`, `all` and `none`,
 *   only the list is a part
 * @example
 * explainRule(rule.when, mapping, configuration).value; // true
 */
export function explainRule(when: Expression, mapping: Mapping, configuration: Configuration): ExplainedPart {
  const data = { ...configuration.data, ...ruleFacts(mapping) };
  const explain = (expression: Expression): ExplainedPart => {
    const isClosed = expression.type === 'closed';
    const lacking = isClosed
      ? expression.needs.filter((need) => isUnanswered(need, readPath(data, need.path)))
      : [];
    return {
      logic: expression.json,
      value: compileExpression(expression).evaluate(data, []) ?? null,
      parts: operandsOf(isClosed ? expression.part : expression)
        .filter(isComputed)
        .map(explain),
      ...(lacking.length === 0 ? {} : { unanswered: lacking }),
    };
  };
  return explain(when);
}

import type { ExplainedPart } from '../../core/analysis/explain-rule.js';
import { parseExpression } from '../../core/engine/expression/parse.js';
import { inWords, lackInWords } from '../../core/policy/diff/caller-facts.js';

/** A part of a rule in readable form, its value, and its depth in the tree. */
export interface Branch {
  readonly text: string;
  readonly value: string;
  readonly depth: number;
}

/**
 * Lays out a rule's condition as a tree in which each part has its value.
 *
 * @param part the condition, as `explainRule` explains it
 * @returns its parts, the outermost first
 * @example
 * ruleTree(explainRule(rule.when, mapping, configuration)); // [{ text: 'and', value: 'true', depth: 0 }, ...]
 */
export function ruleTree(part: ExplainedPart, depth = 0): Branch[] {
  const { expression } = parseExpression(part.logic);
  const value = expression.type === 'read' && part.value === null ? 'not set' : JSON.stringify(part.value);
  const below = part.parts.flatMap((each) => ruleTree(each, depth + 1));
  const head = expression.type === 'operation' ? HEADS.get(expression.operator) : undefined;
  const lacking = part.unanswered?.map(lackInWords).join(' and ');
  const counted = lacking === undefined ? '' : ` (${lacking}, so this counts as what hides most)`;
  // A text of the policy has quotes, so that nobody takes it for a path.
  const words = head ?? inWords(expression, (each) => JSON.stringify(each));
  const text = `${words}${counted}`;
  return [{ text, value, depth }, ...below];
}

/** Operations as the head of a branch, without the operands, which the branches below show. */
const HEADS: ReadonlyMap<string, string> = new Map([
  ['!', 'not'],
  ['!!', 'is set and not empty'],
  ...['if', 'and', 'or'].map((operator) => [operator, operator] as const),
]);

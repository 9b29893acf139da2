import type { ExplainedPart } from '../../analysis/explain-rule.js';
import type { Expression } from '../../engine/expression/expression.js';
import { parseExpression } from '../../engine/expression/parse.js';

/** A part of a rule in readable form, its value, and its depth in the tree. */
type Branch = Readonly<Record<'text' | 'value', string>> & { readonly depth: number };

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
  const text = head ?? inline(expression);
  return [{ text, value, depth }, ...below];
}

/** @returns an expression on one line */
function inline(expression: Expression): string {
  switch (expression.type) {
    case 'literal':
    case 'list':
      return JSON.stringify(expression.json);
    case 'read': {
      // Inside `some`, `all` and `none` the empty path is the item itself.
      const name = expression.path === '' ? 'item' : expression.path;
      return expression.fallback === undefined
        ? name
        : `${name} ?? ${JSON.stringify(expression.fallback.json)}`;
    }
    case 'missing':
      return `missing ${expression.paths.join(', ')}`;
    case 'quantified':
      return `${expression.operator} of ${inline(expression.list)}: ${inline(expression.condition)}`;
    case 'operation':
      return operation(expression);
  }
}

/** Operations as the head of a branch, without the operands, which the branches below show. */
const HEADS: ReadonlyMap<string, string> = new Map([
  ['!', 'not'],
  ['!!', 'is set and not empty'],
  ...['if', 'and', 'or'].map((operator) => [operator, operator] as const),
]);

/** @returns an operation on one line */
function operation({ operator, operands }: Expression & { readonly type: 'operation' }): string {
  const texts = operands.map(inline);
  if (operator === '!') return `not ${texts[0]}`;
  if (operator === '!!') return `${texts[0]} is set and not empty`;
  if (operator === 'if') return `if (${texts.join(', ')})`;
  const line = texts.join(` ${operator} `);
  return operator === 'and' || operator === 'or' ? `(${line})` : line;
}

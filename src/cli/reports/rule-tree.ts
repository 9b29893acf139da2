import type { ExplainedPart } from '../../analysis/explain-rule.js';

/** A part of a rule as people read it, what it came to, and how deep it stands. */
export interface Branch {
  readonly text: string;
  readonly value: string;
  readonly depth: number;
}

/**
 * Lays a rule's expression out as a tree, each part with its value.
 *
 * @param part the expression, as `explainRule` explains it
 * @returns its parts from the outermost inwards
 * @example
 * ruleTree(explainRule(rule.when, mapping, configuration)); // [{ text: 'and', value: 'true', depth: 0 }, ...]
 */
export function ruleTree(part: ExplainedPart, depth = 0): Branch[] {
  const [operator, operands] = operationOf(part.logic) ?? ['', []];
  const branching = operator === 'and' || operator === 'or' || operator === 'if';
  const text =
    branching || operator === '!' || operator === '!!' ? (NAMES[operator] ?? operator) : inline(part.logic);
  const value = operator === 'var' && part.value === null ? 'not set' : JSON.stringify(part.value);
  // Of `some x: ...` only the list stands below; a path that is the whole part would say the same twice.
  const below = operands.length === 0 ? [] : part.parts.flatMap((each) => ruleTree(each, depth + 1));
  return [{ text, value, depth }, ...below];
}

const NAMES: Readonly<Record<string, string>> = { '!': 'not', '!!': 'is set and not empty' };

/** An expression on one line. */
function inline(logic: unknown): string {
  const operation = operationOf(logic);
  if (operation === undefined) return JSON.stringify(logic);
  const [operator, operands] = operation;
  const texts = operands.map(inline);
  switch (operator) {
    case 'var': {
      const [path, otherwise] = operands;
      // Inside `some`, `all` and `none` the empty path is the item itself.
      const name = path === '' ? 'item' : String(path);
      return otherwise === undefined ? name : `${name} ?? ${JSON.stringify(otherwise)}`;
    }
    case 'missing':
      return `missing ${operands.flat().join(', ')}`;
    case '!':
      return `not ${texts[0]}`;
    case '!!':
      return `${texts[0]} is set and not empty`;
    case 'if':
      return `if (${texts.join(', ')})`;
    case 'some':
    case 'all':
    case 'none':
      return `${operator} of ${texts[0]}: ${texts[1]}`;
    case 'and':
    case 'or':
      return `(${texts.join(` ${operator} `)})`;
    default:
      return texts.join(` ${operator} `);
  }
}

function operationOf(logic: unknown): [operator: string, operands: readonly unknown[]] | undefined {
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic)) return undefined;
  const [entry] = Object.entries(logic);
  if (entry === undefined) return undefined;
  const [operator, given] = entry;
  return [operator, Array.isArray(given) ? given : [given]];
}

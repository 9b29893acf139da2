import jsonLogic, { type RulesLogic } from 'json-logic-js';
import type { Configuration } from '../engine/configuration.js';
import type { Mapping } from '../engine/mapping.js';

/** A part of a rule's expression, what it came to, and its own parts. */
export interface ExplainedPart {
  readonly logic: unknown;
  readonly value: unknown;
  readonly parts: readonly ExplainedPart[];
}

/**
 * Evaluates a rule part by part, with json-logic-js itself: an explanation that did not share the code which decided
 * would find out if that code were wrong.
 *
 * @param when the rule's expression
 * @param mapping what the policy says of the primitive
 * @param configuration what is in effect
 * @returns the expression with the value of each of its parts; the list inside `some`, `all` and `none` is one part
 * @example
 * explainRule(rule.when, mapping, configuration).value; // true
 */
export function explainRule(when: unknown, mapping: Mapping, configuration: Configuration): ExplainedPart {
  jsonLogic.add_operation(IN_LIST, inList);
  const { concerns = {}, claims = {}, client = {} } = configuration.data;
  const data = bare({ primitive: mapping.primitive, concerns, claims, client });
  const explain = (logic: unknown): ExplainedPart => {
    const value: unknown = jsonLogic.apply(inLists(logic) as RulesLogic, data);
    return { logic, value: value ?? null, parts: partsOf(logic).map(explain) };
  };
  return explain(when);
}

/** The operator that stands for `in` while json-logic-js evaluates: its own looks for a part of a text, too. */
const IN_LIST = 'in a list';
const inList = (member: unknown, list: unknown) => Array.isArray(list) && list.includes(member);

function inLists(logic: unknown): unknown {
  if (Array.isArray(logic)) return logic.map(inLists);
  if (typeof logic !== 'object' || logic === null) return logic;
  const entries = Object.entries(logic).map(([operator, operands]): [string, unknown] => [
    operator === 'in' ? IN_LIST : operator,
    inLists(operands),
  ]);
  return Object.fromEntries(entries);
}

/** Operands that say something of their own: what is read, and what is computed; constants speak for themselves. */
function partsOf(logic: unknown): unknown[] {
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic)) return [];
  const [entry] = Object.entries(logic);
  if (entry === undefined) return [];
  const [operator, given] = entry;
  const operands: unknown[] = Array.isArray(given) ? given : [given];
  const own =
    operator === 'some' || operator === 'all' || operator === 'none' ? operands.slice(0, 1) : operands;
  return own.filter((operand) => typeof operand === 'object' && operand !== null && !Array.isArray(operand));
}

/** json-logic-js walks prototypes: a copy without any, all the way down, has nothing to find there. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, each] of Object.entries(value)) copy[name] = bare(each);
  return copy;
}

import {
  argumentIn,
  childrenOf,
  type Expression,
  type Need,
  type OperandType,
  operandType,
  pathsOf,
  readsClient,
  readsClientName,
} from './expression.js';

const CONNECTIVES = ['and', 'or', '!', '!!', 'if'] as const;

/** An operator that makes a condition of conditions. */
export type Connective = (typeof CONNECTIVES)[number];

/** Whether an operator makes a condition of conditions. */
export const connects = (operator: string): operator is Connective =>
  (CONNECTIVES as readonly string[]).includes(operator);

/**
 * Replaces the parts of a condition that `and`, `or`, `!`, `!!` and `if` connect.
 *
 * @param when the condition
 * @param change returns what replaces a part; `isNegated` tells whether a true part makes the condition false
 * @returns the condition with the new parts
 * @example
 * replaceParts(when, (part, isNegated) => part); // the same condition
 */
export function replaceParts(
  when: Expression,
  change: (part: Expression, isNegated: boolean) => Expression,
  isNegated = false,
): Expression {
  if (when.type !== 'operation' || !connects(when.operator)) return change(when, isNegated);
  const { operator, operands, place } = when;
  if (operator === 'if') return replaceBranches(operands, place, change, isNegated);
  const isInner = operator === '!' ? !isNegated : isNegated;
  const parts = operands.map((operand) => replaceParts(operand, change, isInner));
  const replaced = operation(operator, parts, place);
  // Most conditions stay what the author wrote.
  const isSame = parts.every(({ json }, index) => json === operands[index]?.json);
  return isSame ? { ...replaced, json: when.json } : replaced;
}

/** The condition of `if` counts in both directions: it opens one branch and closes the other. */
function replaceBranches(
  [condition, then, ...rest]: readonly Expression[],
  place: Expression['place'],
  change: (part: Expression, isNegated: boolean) => Expression,
  isNegated: boolean,
): Expression {
  if (condition === undefined) return { type: 'literal', value: false, json: false, place };
  if (then === undefined) return replaceParts(condition, change, isNegated);
  const opens = replaceParts(condition, change, isNegated);
  const closes = operation('!', [replaceParts(condition, change, !isNegated)], place);
  const otherwise = replaceBranches(rest, place, change, isNegated);
  const branches = [
    [opens, replaceParts(then, change, isNegated)],
    [closes, otherwise],
  ];
  return operation(
    'or',
    branches.map((branch) => operation('and', branch, place)),
    place,
  );
}

function operation(
  operator: Connective,
  operands: readonly Expression[],
  place: Expression['place'],
): Expression {
  return {
    type: 'operation',
    operator,
    operands,
    place,
    json: { [operator]: operands.map(({ json }) => json) },
  };
}

/**
 * Completes a rule that reads what a caller may not have: a claim, an operator concern, or the name of its client. Without it, or
 * with a value of a type that an operator cannot answer for, a comparison counts as what hides most, so that a caller never
 * sees more because it has less. `missing` and the fallback of `var` are how a policy speaks about a caller without the claim.
 *
 * @param when the condition of the rule
 * @param effect what the rule does
 * @param isOperatorConcern whether a concern is set by the operator: it has no value for a caller without the claim
 * @returns the same condition if it reads nothing of the caller that may be absent
 */
export function closedWithoutFacts(
  when: Expression,
  effect: 'hide' | 'show',
  isOperatorConcern: (concern: string) => boolean,
): Expression {
  const mayBeAbsent = (path: string): boolean =>
    isClaim(path) || (path.startsWith('concerns.') && isOperatorConcern(path.slice('concerns.'.length)));
  const readsName = pathsOf(when).some(readsClientName);
  const isClosed = (path: string): boolean => mayBeAbsent(path) || argumentIn(path) !== undefined;
  if (!readsName && !pathsOf(when).some(isClosed)) return when;
  return replaceParts(when, (part, isNegated) => {
    // What a client without a name says about itself does not count either.
    const isUnnamed = readsName && pathsOf(part).some(readsClient);
    // Any client can leave its name out, so its absence is not the policy's word.
    if (part.type === 'missing' && !isUnnamed) return part;
    const name: readonly Need[] = isUnnamed
      ? [{ path: 'client.name', as: 'anything', hasFallback: false }]
      : [];
    const needs = unique([...name, ...needsOf(part, 'anything', mayBeAbsent)]);
    if (needs.length === 0) return part;
    const { json, place } = part;
    return { type: 'closed', part, needs, counts: (effect === 'hide') !== isNegated, json, place };
  });
}

/**
 * Every caller has scopes, perhaps none, and an era. Titles and versions of clients are free to choose: if their absence counted,
 * stating one would show more.
 */
const isClaim = (path: string): boolean => path.startsWith('claims.');

/** @returns what a part needs of the caller to have an answer */
function needsOf(part: Expression, as: OperandType, mayBeAbsent: (path: string) => boolean): readonly Need[] {
  if (part.type === 'read' && mayBeAbsent(part.path)) {
    // Concerns have the types that the policy declares. What a fallback reads matters only without the value, which closes.
    const type = isClaim(part.path) && as !== 'truth' ? as : 'anything';
    return [{ path: part.path, as: type, hasFallback: isConstant(part.fallback) }];
  }
  // A comparison with null tests whether there is a value, of whatever type.
  const testsNull = part.type === 'operation' && /^[!=]==$/.test(part.operator) && part.operands.some(isNull);
  const below = childrenOf(part).flatMap((child, index) =>
    needsOf(child, testsNull ? 'anything' : operandType(part, index, as), mayBeAbsent),
  );
  if (part.type !== 'read' || argumentIn(part.path) === undefined || as !== 'number') return below;
  // A text or null is not a number. A call may leave the argument out.
  return [{ path: part.path, as, hasFallback: true, isArgument: true }, ...below];
}

const isNull = (part: Expression): boolean => part.type === 'literal' && part.value === null;

/** Only a constant is the policy's word about callers without the claim, and null is the same as none. */
function isConstant(fallback: Expression | undefined): boolean {
  if (fallback?.type === 'list') return fallback.items.every(isConstant);
  return fallback?.type === 'literal' && fallback.value !== null;
}

/** Two reads of one path: the one without a fallback needs more. */
function unique(needs: readonly Need[]): readonly Need[] {
  const known = new Map<string, Need>();
  for (const need of needs) {
    const key = `${need.as} ${need.path}`;
    if (known.get(key)?.hasFallback !== false) known.set(key, need);
  }
  return [...known.values()];
}

/**
 * @param need what a part needs
 * @param value the value that the caller has
 * @returns whether the part has no answer for this caller
 * @example
 * isUnanswered({ path: 'claims.risk', as: 'number', hasFallback: false }, 'high'); // true
 */
export function isUnanswered({ as, hasFallback, isArgument }: Need, value: unknown): boolean {
  if (isArgument === true) return value !== undefined && typeof value !== 'number';
  if (value === undefined || value === null || value === '') return !hasFallback;
  switch (as) {
    case 'list':
      return !Array.isArray(value);
    case 'number':
      return typeof value !== 'number';
    case 'text':
      return typeof value !== 'string';
    case 'scalar':
      return typeof value === 'object';
    default:
      return false;
  }
}

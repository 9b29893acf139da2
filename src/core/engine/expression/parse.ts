import { type Expression, type JsonPath, OPERAND_COUNTS, type Operator, RULE_LIMITS } from './expression.js';

/** A part of the JSON that is not a valid expression. */
export type ParseProblem =
  /** An object without exactly one key: JSON Logic treats it as a constant. */
  | { readonly code: 'not-an-operation'; readonly place: JsonPath; readonly keys: number }
  | { readonly code: 'unknown-operator'; readonly place: JsonPath; readonly operator: string }
  | {
      readonly code: 'operand-count';
      readonly place: JsonPath;
      readonly operator: Operator;
      readonly count: number;
    }
  /** A path outside a quantifier that is empty or not a text. */
  | { readonly code: 'computed-path'; readonly place: JsonPath };

/** What JSON Logic says. */
export interface ParsedExpression {
  /** An expression also where there are problems, so that everything around them can be checked. */
  readonly expression: Expression;
  readonly problems: readonly ParseProblem[];
  /** The parts that the problems are about. Checks of their meaning would only repeat the problem. */
  readonly invalid: ReadonlySet<Expression>;
}

/**
 * Parses JSON Logic. Every other part of this package works with the result instead of the JSON.
 *
 * @param json the expression; nesting deeper than `RULE_LIMITS` is not expected, see `exceedsLimits`
 * @returns the expression and its problems
 * @example
 * parseExpression({ '===': [{ var: 'concerns.environment' }, 'production'] }).expression.type; // 'operation'
 */
export function parseExpression(json: unknown): ParsedExpression {
  const found = nothingFound();
  return { expression: parse(json, [], false, found), ...found };
}

function nothingFound() {
  const problems: ParseProblem[] = [];
  /** The parts that the problems are about. Checks of their meaning would only repeat the problem. */
  const invalid = new Set<Expression>();
  return { problems, invalid };
}

/**
 * @param json an expression
 * @returns whether it nests deeper or has more parts than `RULE_LIMITS` allows
 * @example
 * exceedsLimits({ and: new Array(1000).fill(true) }); // true
 */
export function exceedsLimits(json: unknown): boolean {
  const { count, depth } = measure(json, 0);
  return depth > RULE_LIMITS.depth || count > RULE_LIMITS.nodes;
}

/** @param scoped inside a quantifier, where paths read one item */
function parse(
  json: unknown,
  place: JsonPath,
  scoped: boolean,
  found: ReturnType<typeof nothingFound>,
): Expression {
  const noted = (expression: Expression, problem: ParseProblem | undefined): Expression => {
    if (problem === undefined) return expression;
    found.invalid.add(expression);
    found.problems.push(problem);
    return expression;
  };
  const node = { json, place };
  if (Array.isArray(json)) {
    const items = json.map((item, index) => parse(item, [...place, index], scoped, found));
    return { ...node, type: 'list', items };
  }
  const constant: Expression = { ...node, type: 'literal', value: json };
  if (typeof json !== 'object' || json === null) return constant;
  const entries = Object.entries(json);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    return noted(constant, { code: 'not-an-operation', place, keys: entries.length });
  }
  const [operator, given] = entry;
  if (!isOperator(operator)) return noted(constant, { code: 'unknown-operator', place, operator });
  const operands: readonly unknown[] = Array.isArray(given) ? given : [given];
  const at = [...place, operator];
  const count = operands.length;
  const [least, most] = OPERAND_COUNTS[operator];
  const miscounted =
    count < least || count > most
      ? ({ code: 'operand-count', place: at, operator, count } as const)
      : undefined;
  // Problems of the operands would only distract from the wrong number of them.
  const below = miscounted === undefined ? found : nothingFound();
  const operand = (index: number, inside = scoped): Expression =>
    parse(operands[index], Array.isArray(given) ? [...at, index] : at, inside, below);
  const computed = { code: 'computed-path', place: at } as const;
  switch (operator) {
    case 'var': {
      const [path] = operands;
      const fallback = count > 1 ? operand(1) : undefined;
      const read: Expression = { ...node, type: 'read', path: String(path ?? ''), fallback };
      return noted(read, miscounted ?? (scoped || isPath(path) ? undefined : computed));
    }
    case 'missing': {
      const names: readonly unknown[] = Array.isArray(operands[0]) ? operands[0] : operands;
      const paths = names.filter((name) => scoped || isPath(name)).map(String);
      const problem = miscounted ?? (paths.length < names.length ? computed : undefined);
      return noted({ ...node, type: 'missing', paths }, problem);
    }
    case 'some':
    case 'all':
    case 'none': {
      const [list, condition] = [operand(0), operand(1, true)];
      return noted({ ...node, type: 'quantified', operator, list, condition }, miscounted);
    }
    default: {
      const parts = operands.map((_, index) => operand(index));
      return noted({ ...node, type: 'operation', operator, operands: parts }, miscounted);
    }
  }
}

const isOperator = (name: string): name is Operator => Object.hasOwn(OPERAND_COUNTS, name);

const isPath = (path: unknown): boolean => typeof path === 'string' && path !== '';

function measure(json: unknown, depth: number): { count: number; depth: number } {
  // A deeper expression is rejected anyway; stopping here bounds the recursion.
  if (typeof json !== 'object' || json === null || depth > RULE_LIMITS.depth) return { count: 1, depth };
  let [count, deepest] = [1, depth];
  const isList = Array.isArray(json);
  for (const each of Object.values(json)) {
    const below = measure(each, isList ? depth : depth + 1);
    count += below.count;
    deepest = Math.max(deepest, below.depth);
  }
  return { count, depth: deepest };
}

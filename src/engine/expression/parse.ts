import { type Expression, OPERAND_COUNTS, type Operator, type Place, RULE_LIMITS } from './expression.js';

/** A part of the JSON that is not a valid expression. */
export type ParseProblem =
  /** An object without exactly one key: JSON Logic treats it as a constant. */
  | { readonly code: 'not-an-operation'; readonly place: Place; readonly keys: number }
  | { readonly code: 'unknown-operator'; readonly place: Place; readonly operator: string }
  | {
      readonly code: 'operand-count';
      readonly place: Place;
      readonly operator: Operator;
      readonly count: number;
    }
  /** A path outside a quantifier that is empty or not a text. */
  | { readonly code: 'computed-path'; readonly place: Place };

/**
 * Parses JSON Logic. Every other part of this package works with the result instead of the JSON.
 *
 * @param json the expression; nesting deeper than `RULE_LIMITS` is not expected, see `exceedsLimits`
 * @returns the expression and its problems
 * @example
 * parseExpression({ '===': [{ var: 'concerns.environment' }, 'production'] }).expression.type; // 'operation'
 */
export function parseExpression(json: unknown) {
  const parser = new Parser();
  const expression = parser.parse(json, [], false);
  return {
    /** An expression also where there are problems, so that everything around them can be checked. */
    expression,
    problems: parser.problems,
    /** The parts that the problems are about. Checks of their meaning would only repeat the problem. */
    invalid: parser.invalid,
  };
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

class Parser {
  readonly problems: ParseProblem[] = [];
  readonly invalid = new Set<Expression>();

  /** @param scoped inside a quantifier, where paths read one item */
  parse(json: unknown, place: Place, scoped: boolean): Expression {
    if (Array.isArray(json)) {
      const items = json.map((item, index) => this.parse(item, [...place, index], scoped));
      return { type: 'list', json, place, items };
    }
    if (typeof json !== 'object' || json === null) return { type: 'literal', json, place, value: json };
    const entries = Object.entries(json);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) {
      return this.constant(json, { code: 'not-an-operation', place, keys: entries.length });
    }
    const [operator, given] = entry;
    if (!isOperator(operator)) return this.constant(json, { code: 'unknown-operator', place, operator });
    return this.operation(operator, given, { json, place }, scoped);
  }

  private operation(
    operator: Operator,
    given: unknown,
    node: { readonly json: unknown; readonly place: Place },
    scoped: boolean,
  ): Expression {
    const operands: readonly unknown[] = Array.isArray(given) ? given : [given];
    const [least, most] = OPERAND_COUNTS[operator];
    const place = [...node.place, operator];
    if (operands.length < least || operands.length > most) {
      // Problems of the operands would only distract from the wrong number of them.
      const expression = new Parser().build(operator, given, operands, node, scoped);
      this.invalid.add(expression);
      this.problems.push({ code: 'operand-count', place, operator, count: operands.length });
      return expression;
    }
    return this.build(operator, given, operands, node, scoped);
  }

  private build(
    operator: Operator,
    given: unknown,
    operands: readonly unknown[],
    node: { readonly json: unknown; readonly place: Place },
    scoped: boolean,
  ): Expression {
    const at = [...node.place, operator];
    const operand = (index: number, inside = scoped): Expression =>
      this.parse(operands[index], Array.isArray(given) ? [...at, index] : at, inside);
    switch (operator) {
      case 'var': {
        const [path] = operands;
        const valid = scoped || isPath(path);
        const fallback = operands.length > 1 ? operand(1) : undefined;
        const read: Expression = { ...node, type: 'read', path: String(path ?? ''), fallback };
        if (!valid) {
          this.invalid.add(read);
          this.problems.push({ code: 'computed-path', place: at });
        }
        return read;
      }
      case 'missing': {
        const names: readonly unknown[] = Array.isArray(operands[0]) ? operands[0] : operands;
        const paths = names.filter((name) => scoped || isPath(name)).map(String);
        for (let bad = names.length - paths.length; bad > 0; bad--) {
          this.problems.push({ code: 'computed-path', place: at });
        }
        return { ...node, type: 'missing', paths };
      }
      case 'some':
      case 'all':
      case 'none':
        return { ...node, type: 'quantified', operator, list: operand(0), condition: operand(1, true) };
      default:
        return { ...node, type: 'operation', operator, operands: operands.map((_, index) => operand(index)) };
    }
  }

  private constant(json: object, problem: ParseProblem): Expression {
    const literal: Expression = { type: 'literal', json, place: problem.place, value: json };
    this.invalid.add(literal);
    this.problems.push(problem);
    return literal;
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

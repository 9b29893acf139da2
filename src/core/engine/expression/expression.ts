/**
 * Rules are written in JSON Logic, restricted to operators whose meaning does not surprise. json-logic-js is the
 * reference for what they mean, with one exception: `in` is false unless its right operand is a list, where the
 * reference also searches for a substring. It does not know the operators on texts: `compileExpression` computes them.
 *
 * Each operator has the smallest and the largest number of its operands.
 */
export const OPERAND_COUNTS: Readonly<Record<Operator, readonly [least: number, most: number]>> = {
  var: [1, 2],
  missing: [1, 64],
  '===': [2, 2],
  '!==': [2, 2],
  '!': [1, 1],
  '!!': [1, 1],
  and: [1, 256],
  or: [1, 256],
  if: [2, 256],
  in: [2, 2],
  '<': [2, 3],
  '<=': [2, 3],
  '>': [2, 2],
  '>=': [2, 2],
  some: [2, 2],
  all: [2, 2],
  none: [2, 2],
  'starts-with': [2, 2],
  'ends-with': [2, 2],
  contains: [2, 2],
};
export type Operator =
  | 'var'
  | 'missing'
  | '==='
  | '!=='
  | '!'
  | '!!'
  | 'and'
  | 'or'
  | 'if'
  | 'in'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'some'
  | 'all'
  | 'none'
  | 'starts-with'
  | 'ends-with'
  | 'contains';
export type Quantifier = 'some' | 'all' | 'none';
/** Operators that compute a value from the values of their operands. */
export type ValueOperator = Exclude<Operator, 'var' | 'missing' | Quantifier>;

/** What an operand must be, so that the operator does what it appears to do. */
export type OperandType = 'truth' | 'anything' | 'scalar' | 'text' | 'number' | 'list';

/** What the operands of each operator must be, in their order; the last type is that of all further operands. */
const OPERAND_TYPES: Readonly<Record<ValueOperator | Quantifier, readonly OperandType[]>> = {
  '===': ['scalar'],
  '!==': ['scalar'],
  '!': ['truth'],
  '!!': ['truth'],
  and: ['truth'],
  or: ['truth'],
  // Its branches are what the `if` must be.
  if: ['truth', 'anything'],
  in: ['scalar', 'list'],
  '<': ['number'],
  '<=': ['number'],
  '>': ['number'],
  '>=': ['number'],
  some: ['list', 'truth'],
  all: ['list', 'truth'],
  none: ['list', 'truth'],
  'starts-with': ['text'],
  'ends-with': ['text'],
  contains: ['text'],
};

/**
 * @param expression an expression
 * @param index the index of one of its operands
 * @param own what the expression itself must be, for the branches of `if`
 * @returns what the operand must be
 */
export function operandType(
  expression: Expression,
  index: number,
  own: OperandType = 'anything',
): OperandType {
  if (expression.type !== 'operation' && expression.type !== 'quantified') return 'anything';
  const types = OPERAND_TYPES[expression.operator];
  if (expression.operator !== 'if') return types[index] ?? types.at(-1) ?? 'anything';
  const isCondition = index % 2 === 0 && index < expression.operands.length - 1;
  return isCondition ? 'truth' : own;
}

/** Whether an operator compares a text with a part of it. */
export const isTextOperator = (operator: Operator): operator is 'starts-with' | 'ends-with' | 'contains' =>
  operator === 'starts-with' || operator === 'ends-with' || operator === 'contains';

/** How deep the operators of a rule may nest, and how many parts (operators, lists and constants) it may have. */
export const RULE_LIMITS = { depth: 32, nodes: 1000 } as const;

/** Keys and indexes that lead from the root of the JSON to one of its parts. */
export type JsonPath = readonly (string | number)[];

/** JSON Logic, parsed: see `parseExpression`. */
export type Expression = {
  /** The JSON Logic that this part was parsed from. */
  readonly json: unknown;
  readonly place: JsonPath;
} /** A constant: text, number, boolean, null, or an object that is not an operation. */ & (
  | { readonly type: 'literal'; readonly value: unknown }
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  /** `var`: reads a dotted path; the empty path reads the data itself, which inside a quantifier is one item. */
  | {
      readonly type: 'read';
      readonly path: string;
      /** Replaces a value that is not set. */
      readonly fallback: Expression | undefined;
    }
  /** `missing`: lists those of its paths that have no value. */
  | { readonly type: 'missing'; readonly paths: readonly string[] }
  /** `some`, `all` and `none`: tests each item of a list. */
  | {
      readonly type: 'quantified';
      readonly operator: Quantifier;
      readonly list: Expression;
      readonly condition: Expression;
    }
  | { readonly type: 'operation'; readonly operator: ValueOperator; readonly operands: readonly Expression[] }
  /** A part that counts as `counts` for callers for which it has no answer. Nobody writes it: see `closedWithoutFacts`. */
  | {
      readonly type: 'closed';
      readonly part: Expression;
      readonly needs: readonly Need[];
      readonly counts: boolean;
    }
);

/** What a part reads of a caller, and the type that it must have so that the part has an answer. */
export interface Need {
  readonly path: string;
  readonly as: Exclude<OperandType, 'truth'>;
  /** Whether a constant replaces the value of a caller that has none. */
  readonly hasFallback: boolean;
  /** Set for an argument of a call, which a call may leave out: then the part has an answer. */
  readonly isArgument?: true;
}
export type Literal = Extract<Expression, { readonly type: 'literal' }>;
export type Read = Extract<Expression, { readonly type: 'read' }>;
export type Quantified = Extract<Expression, { readonly type: 'quantified' }>;
export type Operation = Extract<Expression, { readonly type: 'operation' }>;

/** Whether a path begins with a root of the data. Inside a quantifier, every other path reads one item. */
export const readsData = (path: string): boolean =>
  /^(primitive|arguments|concerns|claims|caller|client|protocol)\./.test(path);

/** Whether a path reads the primitive that is being decided, or the arguments of the use that is. */
export function readsPrimitive(path: string): boolean {
  return path === 'primitive' || path.startsWith('primitive.') || path.startsWith('arguments.');
}

/** The argument of a call that a path reads. */
export const argumentIn = (path: string): string | undefined =>
  path.startsWith('arguments.') ? path.slice('arguments.'.length) : undefined;

/** Whether a path reads something that differs between callers: claims, scopes, what the client says about itself, the protocol. */
export function readsCaller(path: string): boolean {
  return /^(claims|caller|client|protocol)\b/.test(path);
}

/** Whether a path reads what a client says about itself, which is not known for every request. */
export function readsClient(path: string): boolean {
  return path.startsWith('client.');
}

/** Whether a path reads how a client names itself. */
export const readsClientName = (path: string): boolean => /^client\.(name|version|title)$/.test(path);

/** @returns the facts that the paths read and that are not known for every request */
export function neededFacts(paths: readonly string[]): readonly string[] {
  return ['client.capabilities', 'protocol.era', 'caller.scopes'].filter((fact) =>
    paths.some((path) => `${path}.`.startsWith(`${fact}.`)),
  );
}

/** Below this path, a dot that belongs to a key is written as `\\.`, because names in `_meta` contain dots. */
const ESCAPED = 'primitive.meta.';

/**
 * Splits a dotted path into the keys that lead to its value.
 *
 * @param path the path
 * @returns the keys
 * @example
 * keysOf('primitive.meta.example\\.com/team.name'); // ['primitive', 'meta', 'example.com/team', 'name']
 */
export function keysOf(path: string): string[] {
  // Names of arguments can have dots.
  const argument = argumentIn(path);
  if (argument !== undefined) return ['arguments', argument];
  if (!path.startsWith(ESCAPED)) return path.split('.');
  return path.split(/(?<!\\)\./).map((key) => key.replaceAll('\\.', '.'));
}

/** @returns the expressions that an expression is made of, in their order */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'list':
      return expression.items;
    case 'read':
      return expression.fallback === undefined ? [] : [expression.fallback];
    case 'quantified':
      return [expression.list, expression.condition];
    case 'operation':
      return expression.operands;
    case 'closed':
      return [expression.part];
    default:
      return [];
  }
}

/** Whether an expression is neither a constant nor a list. */
export const isComputed = ({ type }: Expression): boolean => type !== 'literal' && type !== 'list';

/** @returns those of them that read the same data: the condition of a quantifier reads one item of its list */
export const operandsOf = (expression: Expression): readonly Expression[] =>
  expression.type === 'quantified' ? [expression.list] : childrenOf(expression);

/** @returns the dotted paths that an expression reads from the data, in the order of their first use */
export function pathsOf(expression: Expression): readonly string[] {
  const own = ownPaths(expression);
  const inner = expression.type === 'quantified' ? pathsOf(expression.condition).filter(readsData) : [];
  return [...new Set([...own, ...operandsOf(expression).flatMap(pathsOf), ...inner])];
}

function ownPaths(expression: Expression): readonly string[] {
  switch (expression.type) {
    case 'read':
      return [expression.path];
    case 'missing':
      return expression.paths;
    case 'closed':
      return expression.needs.map(({ path }) => path);
    default:
      return [];
  }
}

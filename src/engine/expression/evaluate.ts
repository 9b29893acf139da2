import {
  type Expression,
  keysOf,
  type Literal,
  type Quantified,
  type Read,
  readsPrimitive,
  type ValueOperator,
} from './expression.js';

/** What a rule can read. Objects in it have no prototype, or only their own properties are read. */
export interface RuleData {
  readonly primitive?: unknown;
  readonly concerns?: unknown;
  readonly claims?: unknown;
  readonly client?: unknown;
  readonly protocol?: unknown;
}

/** Values of the parts of rules that depend only on the primitive, computed once per primitive. */
export type Slots = readonly unknown[];

export type Evaluate = (data: unknown, slots: Slots) => unknown;

/** An expression that is ready to be evaluated. */
export interface CompiledExpression {
  readonly evaluate: Evaluate;
  /** Dotted paths that it reads from the data, in the order of their first use. */
  readonly paths: readonly string[];
}

/** Receives the parts of expressions that depend only on the primitive, and returns the slot of each. */
interface PartTable {
  add(json: unknown, evaluate: Evaluate, paths: readonly string[]): number;
}

/** A part of an expression. */
interface Part {
  /** Identifies the part among all slots. */
  readonly json: unknown;
  readonly evaluate: Evaluate;
  /** Dotted paths that it reads from the data. */
  readonly paths: readonly string[];
}

/**
 * Compiles an expression into closures.
 *
 * Parts that depend only on the primitive are moved into slots, which are filled once per primitive. Parts that do not
 * depend on it are evaluated once per object of data. Only the rest is evaluated for each configuration and primitive.
 *
 * @param expression an expression without problems
 * @param slots receives the parts that depend only on the primitive; without it, everything is evaluated each time
 * @returns the closure, and the paths that it reads
 * @example
 * const { expression } = parseExpression({ '===': [{ var: 'concerns.environment' }, 'production'] });
 * compileExpression(expression).evaluate({ concerns: { environment: 'production' } }, []); // true
 */
export function compileExpression(expression: Expression, slots?: PartTable): CompiledExpression {
  const part = compilePart(expression, { slots, scoped: false });
  const { evaluate } = slots === undefined ? part : place(part, slots);
  return { evaluate, paths: [...new Set(part.paths)] };
}

interface Scope {
  readonly slots: PartTable | undefined;
  /** Inside `some`, `all` and `none` the data is one item of the list, so paths read that item. */
  readonly scoped: boolean;
}

function compilePart(expression: Expression, scope: Scope): Part {
  const { json } = expression;
  switch (expression.type) {
    case 'literal': {
      const { value } = expression;
      return { json, evaluate: () => value, paths: [] };
    }
    case 'list': {
      if (expression.items.every(isLiteral)) {
        const values = expression.items.map(({ value }) => value);
        return { json, evaluate: () => values, paths: [] };
      }
      const items = expression.items.map((item) => compilePart(item, scope));
      return combine(json, items, scope, (each) => (data, slots) => each.map((item) => item(data, slots)));
    }
    case 'read':
      return readPart(expression, scope);
    case 'missing':
      return missingPart(json, expression.paths, scope);
    case 'quantified':
      return quantifiedPart(expression, scope);
    case 'operation': {
      const { operator } = expression;
      const parts = expression.operands.map((operand) => compilePart(operand, scope));
      const [, list] = expression.operands;
      if (operator === 'in' && list?.type === 'list' && list.items.every(isLiteral)) {
        // The same comparison as that of `includes`, without a walk through the list.
        const values = new Set(list.items.map(({ value }) => value));
        return combine(
          json,
          parts,
          scope,
          ([first]) =>
            (data, slots) =>
              values.has(first?.(data, slots)),
        );
      }
      return combine(json, parts, scope, (each) => operation(operator, each));
    }
  }
}

const isLiteral = (expression: Expression): expression is Literal => expression.type === 'literal';

/** Combines parts. If only some of them depend on the primitive alone, those become slots. */
function combine(
  json: unknown,
  parts: readonly Part[],
  { slots }: Scope,
  build: (parts: readonly Evaluate[]) => Evaluate,
): Part {
  const paths = parts.flatMap((part) => part.paths);
  const mixed = paths.some(readsPrimitive) && !paths.every(readsPrimitive);
  const placed = mixed && slots !== undefined ? parts.map((part) => place(part, slots)) : parts;
  return { json, evaluate: build(placed.map((part) => part.evaluate)), paths };
}

/** Lets a part be evaluated once per primitive or once per configuration, if it depends on nothing else. */
function place(part: Part, slots: PartTable): Part {
  const count = part.paths.filter(readsPrimitive).length;
  if (part.paths.length === 0 || (count > 0 && count < part.paths.length)) return part;
  if (count === 0) return { ...part, evaluate: remembered(part.evaluate) };
  const slot = slots.add(part.json, part.evaluate, part.paths);
  return { ...part, evaluate: (_data, values) => values[slot] };
}

const NOT_YET = Symbol('no data yet');

/** The data of a configuration is one object, with which a rule is evaluated for each class of primitives. */
function remembered(evaluate: Evaluate): Evaluate {
  let latest: unknown = NOT_YET;
  let value: unknown;
  return (data, slots) => {
    if (data !== latest) {
      value = evaluate(data, slots);
      latest = data;
    }
    return value;
  };
}

function readPart({ json, path, fallback }: Read, scope: Scope): Part {
  const read = pathReader(path);
  if (fallback === undefined || fallback.type === 'literal') {
    const otherwise = fallback?.value ?? null;
    const evaluate: Evaluate = (data) => {
      const found = read(data);
      return found === undefined ? otherwise : found;
    };
    return { json, evaluate, paths: scope.scoped ? [] : [path] };
  }
  // In a list, so that a slot can tell a missing value from null.
  const found: Part = {
    json: { 'found at': path },
    evaluate: (data) => [read(data)].filter((each) => each !== undefined),
    paths: scope.scoped ? [] : [path],
  };
  return combine(json, [found, compilePart(fallback, scope)], scope, ([first, second]) => (data, slots) => {
    const values = first?.(data, slots);
    return Array.isArray(values) && values.length > 0 ? values[0] : second?.(data, slots);
  });
}

function missingPart(json: unknown, paths: readonly string[], scope: Scope): Part {
  const parts = paths.map((path): Part => {
    const read = pathReader(path);
    const evaluate: Evaluate = (data) => {
      const value = read(data);
      return value === undefined || value === null || value === '' ? [path] : [];
    };
    return { json: { missing: [path] }, evaluate, paths: scope.scoped ? [] : [path] };
  });
  return combine(json, parts, scope, (each) => (data, slots) => each.flatMap((part) => part(data, slots)));
}

function quantifiedPart({ json, operator, list, condition }: Quantified, scope: Scope): Part {
  const items = compilePart(list, scope);
  const test = compilePart(condition, { ...scope, scoped: true }).evaluate;
  return combine(json, [items], scope, ([read]) => {
    const holds = (item: unknown) => isTruthy(test(item, []));
    return (data, slots) => {
      const found = read?.(data, slots);
      const values: readonly unknown[] = Array.isArray(found) ? found : [];
      if (operator === 'all') return values.length > 0 && values.every(holds);
      return values.some(holds) === (operator === 'some');
    };
  });
}

/**
 * Makes a reader of a dotted path. It reads own properties only, never what an object inherits.
 *
 * @param path the path; the empty path reads the data itself
 * @returns the reader; it returns `undefined` if the path leads nowhere
 */
export function pathReader(path: string): (data: unknown) => unknown {
  if (path === '') return (data) => data;
  const names = keysOf(path);
  const [name = '', second = ''] = names;
  if (names.length === 1) return (data) => readOwn(data, name);
  if (names.length === 2) return (data) => readOwn(readOwn(data, name), second);
  return (data) => {
    let found = data;
    for (const each of names) found = readOwn(found, each);
    return found;
  };
}

const { hasOwnProperty: hasOwn } = Object.prototype;

/** @returns an own property, never one that an object inherits; `undefined` if there is none */
export function readOwn(data: unknown, name: string): unknown {
  if (data === undefined || data === null) return undefined;
  const value = (data as Record<string, unknown>)[name];
  // Most properties that rules read are missing, and looking for an own one takes longer.
  return value !== undefined && hasOwn.call(data, name) ? value : undefined;
}

/** @returns the value at a dotted path, see `pathReader`; use it for paths that are read once */
export function readPath(data: unknown, path: string): unknown {
  return pathReader(path)(data);
}

/** JSON Logic's truth: as in JavaScript, but an empty list is false. */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function operation(operator: ValueOperator, operands: readonly Evaluate[]): Evaluate {
  const [first = nothing, second = nothing, third] = operands;
  switch (operator) {
    case '===':
      return (data, slots) => first(data, slots) === second(data, slots);
    case '!==':
      return (data, slots) => first(data, slots) !== second(data, slots);
    case '!':
      return (data, slots) => !isTruthy(first(data, slots));
    case '!!':
      return (data, slots) => isTruthy(first(data, slots));
    case 'and':
      return (data, slots) => firstWhere(operands, data, slots, false);
    case 'or':
      return (data, slots) => firstWhere(operands, data, slots, true);
    case 'if':
      return (data, slots) => choose(operands, data, slots);
    case 'in':
      return (data, slots) => {
        const list = second(data, slots);
        return Array.isArray(list) && list.includes(first(data, slots));
      };
    default:
      return compare(operator, first, second, third);
  }
}

const nothing: Evaluate = () => undefined;

/** `and` and `or` return the value of the first operand with that truth, or else the value of the last operand. */
function firstWhere(operands: readonly Evaluate[], data: unknown, slots: Slots, truth: boolean): unknown {
  let value: unknown;
  for (const operand of operands) {
    value = operand(data, slots);
    if (isTruthy(value) === truth) return value;
  }
  return value;
}

function choose(operands: readonly Evaluate[], data: unknown, slots: Slots): unknown {
  let index = 0;
  for (; index < operands.length - 1; index += 2) {
    if (isTruthy(operands[index]?.(data, slots))) return operands[index + 1]?.(data, slots);
  }
  return index === operands.length - 1 ? operands[index]?.(data, slots) : null;
}

/**
 * `<` and `<=` take an optional third operand and then test for between. Values are compared as JavaScript compares
 * them; the policy check accepts only numbers.
 */
function compare(
  operator: '<' | '<=' | '>' | '>=',
  first: Evaluate,
  second: Evaluate,
  third: Evaluate | undefined,
): Evaluate {
  const holds = COMPARE[operator];
  if (third === undefined || operator === '>' || operator === '>=') {
    return (data, slots) => holds(first(data, slots), second(data, slots));
  }
  return (data, slots) => {
    const middle = second(data, slots);
    const upper = third(data, slots);
    const lower = first(data, slots);
    return upper === undefined ? holds(lower, middle) : holds(lower, middle) && holds(middle, upper);
  };
}

const COMPARE: Record<'<' | '<=' | '>' | '>=', (a: unknown, b: unknown) => boolean> = {
  '<': (a, b) => (a as number) < (b as number),
  '<=': (a, b) => (a as number) <= (b as number),
  '>': (a, b) => (a as number) > (b as number),
  '>=': (a, b) => (a as number) >= (b as number),
};

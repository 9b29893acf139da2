import { numberOf } from '../../exact-json.js';
import { prepare } from './apply.js';
import { isUnanswered } from './closed.js';
import { type Expression, isTextOperator, keysOf, pathsOf, readsData, readsPrimitive } from './expression.js';

type RuleRoot = 'primitive' | 'arguments' | 'concerns' | 'claims' | 'caller' | 'client' | 'protocol';

/** What a rule can read. Only own properties are read. */
export type RuleData = { readonly [R in RuleRoot]?: unknown };

/** Values of the parts of rules that depend only on the primitive, computed once per primitive. */
export type Slots = readonly unknown[];

export type Evaluate = (data: unknown, slots: Slots) => unknown;

/** Receives the parts of expressions that depend only on the primitive, and returns the slot of each. */
interface PartTable {
  add(json: unknown, evaluate: Evaluate): number;
}

/** An expression that is ready to be evaluated. */
export interface CompiledExpression {
  readonly evaluate: Evaluate;
  /** The paths that it reads. */
  readonly paths: readonly string[];
}

/**
 * Prepares an expression for evaluation by json-logic-js. What it reads becomes one list, and its paths become the
 * indexes of that list: the library follows no path, so it cannot read what an object inherits.
 *
 * Parts that depend only on the primitive are moved into slots, which are filled once per primitive. Parts that do not
 * depend on it are evaluated once per object of data. Only the rest is evaluated for each configuration and primitive.
 *
 * @param expression an expression without problems
 * @param slots receives the parts that depend only on the primitive; without it, everything is evaluated each time
 * @returns the function, and the paths that it reads
 * @example
 * const { expression } = parseExpression({ '===': [{ var: 'concerns.environment' }, 'production'] });
 * compileExpression(expression).evaluate({ concerns: { environment: 'production' } }, []); // true
 */
export function compileExpression(expression: Expression, slots?: PartTable): CompiledExpression {
  return { evaluate: place(expression, slots), paths: pathsOf(expression) };
}

function compile(expression: Expression, slots?: PartTable, within?: Within): Evaluate {
  const reads: Evaluate[] = [];
  const logic = toLogic(expression, (read) => ({ var: String(reads.push(read) - 1) }), slots, within);
  const apply = prepare(logic);
  return (data, values) => apply(reads.map((read) => read(data, values)));
}

/** Lets a part be evaluated once per primitive or once per configuration, if it depends on nothing else. */
function place(part: Expression, slots: PartTable | undefined, within?: Within): Evaluate {
  if (slots === undefined || within !== undefined) return compile(part, slots, within);
  const paths = pathsOf(part);
  if (!paths.some(readsPrimitive)) return remembered(compile(part));
  if (!paths.every(readsPrimitive)) return compile(part, slots);
  const slot = slots.add(part.json, compile(part));
  return (_data, values) => values[slot];
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

/**
 * Writes the JSON Logic that is applied to what an expression reads.
 *
 * @param expression a part of a rule
 * @param read adds something that is read, and makes the JSON Logic that reads it
 * @param slots receives parts that depend only on the primitive, if the expression also reads something else
 */
function toLogic(
  expression: Expression,
  read: AddRead,
  slots: PartTable | undefined,
  within?: Within,
): unknown {
  const readerOf = within ?? ((path: string) => placePath(path, slots));
  const below = (part: Expression): unknown => {
    if (within !== undefined) return toLogic(part, read, slots, within);
    const paths = slots === undefined ? [] : pathsOf(part);
    const isMixed = paths.some(readsPrimitive) && !paths.every(readsPrimitive);
    if (slots === undefined || paths.length === 0 || isMixed) return toLogic(part, read, slots);
    return read(place(part, slots));
  };
  switch (expression.type) {
    case 'literal': {
      const { value } = expression;
      return typeof value === 'object' && value !== null ? read(() => value) : value;
    }
    case 'list': {
      const values = expression.items.flatMap((item) => (item.type === 'literal' ? [item.value] : []));
      // The library would evaluate each constant again.
      if (values.length === expression.items.length) return read(() => values);
      return expression.items.map(below);
    }
    case 'read': {
      const { path, fallback } = expression;
      const found = read(readerOf(path));
      return fallback === undefined ? found : { var: [found.var, below(fallback)] };
    }
    case 'missing': {
      const isMissing = (path: string) => ({ in: [read(readerOf(path)), [null, '']] });
      return { merge: expression.paths.map((path) => ({ if: [isMissing(path), [path], []] })) };
    }
    case 'quantified': {
      const { operator, list, condition } = expression;
      const items = place(list, slots, within);
      const reads: Evaluate[] = [];
      // A path with a root of the data reads the data, also in here; any other reads the item.
      const ofItem: Within = (path) => {
        if (readsData(path)) {
          const outer = readerOf(path);
          return (scope, values) => outer((scope as Scope).data, values);
        }
        const inner = pathReader(path);
        return (scope) => inner((scope as Scope).item);
      };
      const test = toLogic(condition, (each) => ({ var: String(reads.push(each) - 1) }), slots, ofItem);
      const readItems: Evaluate = (data, values) => {
        const found = items(data, values);
        if (!Array.isArray(found)) return [];
        return found.map((item) => reads.map((each) => each({ item, data } satisfies Scope, values)));
      };
      return { [operator]: [read(readItems), test] };
    }
    case 'closed': {
      const { part, needs, counts } = expression;
      const answer = place(part, slots, within);
      const needed = needs.map((need) => ({ need, readValue: readerOf(need.path) }));
      return read((data, values) =>
        needed.some(({ need, readValue }) => isUnanswered(need, readValue(data, values)))
          ? counts
          : answer(data, values),
      );
    }
    case 'operation': {
      const { operator, operands } = expression;
      if (isTextOperator(operator)) {
        const [text, part] = operands.map((each) => place(each, slots, within));
        return read((data, values) => holds(operator, text?.(data, values), part?.(data, values)));
      }
      const given = operands.map(below);
      if (operator !== 'in') return { [operator]: given };
      // `filter` makes an empty list of everything that is not a list: json-logic-js also searches texts.
      return { in: operands[1]?.type === 'list' ? given : [given[0], { filter: [given[1], true] }] };
    }
  }
}

/** JSON Logic cannot tell where a text begins and ends, whatever characters it has, so these are read as their result. */
function holds(operator: 'starts-with' | 'ends-with' | 'contains', text: unknown, part: unknown): boolean {
  if (typeof text !== 'string' || typeof part !== 'string') return false;
  if (operator === 'starts-with') return text.startsWith(part);
  return operator === 'ends-with' ? text.endsWith(part) : text.includes(part);
}

/** Makes the reader of a path in the condition of a quantifier. */
type Within = (path: string) => Evaluate;

/** One item of the list of a quantifier, and what its condition can read beside it. */
interface Scope {
  readonly item: unknown;
  readonly data: unknown;
}

type AddRead = (evaluate: Evaluate) => { readonly var: string };

/** Beside other reads, what a path reads of the primitive is a slot. In a list, so that a missing value is not null. */
function placePath(path: string, slots: PartTable | undefined): Evaluate {
  const read = pathReader(path);
  if (slots === undefined || !readsPrimitive(path)) return read;
  const slot = slots.add({ 'found at': path }, (data) => [read(data)].filter((each) => each !== undefined));
  return (_data, values) => (values[slot] as readonly unknown[])[0];
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
  return (data) => {
    let found = data;
    for (const each of names) found = readOwn(found, each);
    return found;
  };
}

/** @returns an own property, never one that an object inherits; `undefined` if there is none */
export function readOwn(data: unknown, name: string): unknown {
  if (data === undefined || data === null || !Object.hasOwn(data, name)) return undefined;
  return numberOf((data as Record<string, unknown>)[name]);
}

/** @returns the own properties of an object; none of anything else */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** @returns whether a value is an object, and not a list */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns the value at a dotted path, see `pathReader`; use it for paths that are read once */
export const readPath = (data: unknown, path: string): unknown => pathReader(path)(data);

/** JSON Logic's truth: as in JavaScript, but an empty list is false. */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

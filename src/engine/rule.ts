/**
 * Rules in JSON Logic, restricted to operators whose meaning does not surprise. json-logic-js is the reference for
 * their meaning; one thing differs on purpose: `in` with anything but a list on its right is false, where the reference
 * looks for a part of a text.
 */

export const OPERATORS = [
  'var',
  'missing',
  '===',
  '!==',
  '!',
  '!!',
  'and',
  'or',
  'if',
  'in',
  '<',
  '<=',
  '>',
  '>=',
  'some',
  'all',
  'none',
] as const;
export type Operator = (typeof OPERATORS)[number];

export const RULE_LIMITS = { depth: 32, nodes: 1000 } as const;

/** What a rule can read. Objects in it have no prototype, or are read by own properties only. */
export interface RuleData {
  readonly primitive?: unknown;
  readonly concerns?: unknown;
  readonly claims?: unknown;
  readonly client?: unknown;
}

/** Values of the parts of rules that depend on the primitive alone, computed once for each primitive. */
export type Slots = readonly unknown[];

export type Evaluate = (data: unknown, slots: Slots) => unknown;

/** A rule ready to be evaluated. */
export interface CompiledRule {
  readonly evaluate: Evaluate;
  /** Dotted paths that it reads from the data, in the order of their first use. */
  readonly paths: readonly string[];
}

/** Parts of rules that depend on the primitive alone; rules that share a part share its slot. */
export class SlotTable {
  private readonly known = new Map<string, number>();
  readonly parts: Evaluate[] = [];

  add(logic: unknown, part: Evaluate): number {
    const key = JSON.stringify(logic);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const slot = this.parts.push(part) - 1;
    this.known.set(key, slot);
    return slot;
  }

  /** @returns the values of all slots for one primitive */
  fill(primitive: unknown): unknown[] {
    const data: RuleData = { primitive };
    return this.parts.map((part) => part(data, []));
  }
}

/** A part of an expression, and on which half of the data it depends. */
interface Part {
  readonly logic: unknown;
  readonly evaluate: Evaluate;
  readonly readsPrimitive: boolean;
  readonly readsRest: boolean;
}

/**
 * Compiles an expression into closures.
 *
 * What depends on the primitive alone is moved into slots, which are filled once for each primitive; the rest is
 * evaluated once for each configuration and each set of equal slots.
 *
 * @param logic an expression that the check of the policy let pass
 * @param slots takes the parts that depend on the primitive alone; without it nothing is moved
 * @returns the closure, and the paths that it reads
 * @example
 * compileRule({ '===': [{ var: 'concerns.environment' }, 'production'] }).evaluate(data, []);
 */
export function compileRule(logic: unknown, slots?: SlotTable): CompiledRule {
  const paths = new Set<string>();
  const part = compilePart(logic, { paths, slots, scoped: false });
  return { evaluate: slots === undefined ? part.evaluate : toSlot(part, slots).evaluate, paths: [...paths] };
}

interface Scope {
  readonly paths: Set<string>;
  readonly slots: SlotTable | undefined;
  /** Inside `some`, `all` and `none` the data is one item of the list. */
  readonly scoped: boolean;
}

function compilePart(logic: unknown, scope: Scope): Part {
  if (Array.isArray(logic)) {
    const items = logic.map((item) => compilePart(item, scope));
    return combine(logic, items, scope, (each) => (data, slots) => each.map((item) => item(data, slots)));
  }
  if (!isOperation(logic)) {
    return { logic, evaluate: () => logic, readsPrimitive: false, readsRest: false };
  }
  const [[operator, given]] = Object.entries(logic) as [[Operator, unknown]];
  const operands: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (operator === 'var') return readPart(logic, operands, scope);
  if (operator === 'missing') return missingPart(logic, operands, scope);
  if (operator === 'some' || operator === 'all' || operator === 'none') {
    return quantifierPart(operator, logic, operands, scope);
  }
  const parts = operands.map((operand) => compilePart(operand, scope));
  return combine(logic, parts, scope, (each) => operation(operator, each));
}

function isOperation(logic: unknown): logic is object {
  return typeof logic === 'object' && logic !== null && Object.keys(logic).length === 1;
}

/** Puts parts together; those that depend on the primitive alone become slots where the others do not. */
function combine(
  logic: unknown,
  parts: readonly Part[],
  { slots, scoped }: Scope,
  build: (parts: readonly Evaluate[]) => Evaluate,
): Part {
  const readsPrimitive = parts.some((part) => part.readsPrimitive);
  const readsRest = parts.some((part) => part.readsRest);
  const mixed = readsPrimitive && readsRest && slots !== undefined && !scoped;
  const placed = mixed ? parts.map((part) => toSlot(part, slots)) : parts;
  return { logic, evaluate: build(placed.map(({ evaluate }) => evaluate)), readsPrimitive, readsRest };
}

function toSlot(part: Part, slots: SlotTable): Part {
  if (!part.readsPrimitive || part.readsRest) return part;
  const slot = slots.add(part.logic, part.evaluate);
  return { ...part, evaluate: (_data, values) => values[slot] };
}

function readPart(logic: unknown, [path, fallback = null]: readonly unknown[], scope: Scope): Part {
  const read = pathReader(path);
  if (typeof fallback !== 'object' || fallback === null) {
    const evaluate: Evaluate = (data) => {
      const found = read(data);
      return found === undefined ? fallback : found;
    };
    return { logic, evaluate, ...note(path, scope) };
  }
  // In a list, so that a slot can tell what is not there from what is null.
  const found: Part = {
    logic: { 'found at': path },
    evaluate: (data) => [read(data)].filter((each) => each !== undefined),
    ...note(path, scope),
  };
  return combine(logic, [found, compilePart(fallback, scope)], scope, ([first, second]) => (data, slots) => {
    const values = first?.(data, slots) as readonly unknown[];
    return values.length > 0 ? values[0] : second?.(data, slots);
  });
}

function missingPart(logic: unknown, operands: readonly unknown[], scope: Scope): Part {
  const names: readonly unknown[] = Array.isArray(operands[0]) ? operands[0] : operands;
  const parts = names.map((name): Part => {
    const read = pathReader(name);
    const evaluate: Evaluate = (data) => {
      const value = read(data);
      return value === undefined || value === null || value === '' ? [name] : [];
    };
    return { logic: { missing: [name] }, evaluate, ...note(name, scope) };
  });
  return combine(logic, parts, scope, (each) => (data, slots) => each.flatMap((part) => part(data, slots)));
}

function quantifierPart(
  operator: 'some' | 'all' | 'none',
  logic: unknown,
  [list, condition]: readonly unknown[],
  scope: Scope,
): Part {
  const items = compilePart(list, scope);
  const test = compilePart(condition, { ...scope, scoped: true }).evaluate;
  return combine(logic, [items], scope, ([read]) => {
    const holds = (item: unknown) => isTruthy(test(item, []));
    return (data, slots) => {
      const found = read?.(data, slots);
      const values: readonly unknown[] = Array.isArray(found) ? found : [];
      if (operator === 'all') return values.length > 0 && values.every(holds);
      return values.some(holds) === (operator === 'some');
    };
  });
}

/** Remembers a path of the data; a path inside a quantifier is one of the item. */
function note(path: unknown, { paths, scoped }: Scope): { readsPrimitive: boolean; readsRest: boolean } {
  if (scoped) return { readsPrimitive: false, readsRest: false };
  const text = String(path ?? '');
  paths.add(text);
  const readsPrimitive = text === 'primitive' || text.startsWith('primitive.');
  return { readsPrimitive, readsRest: !readsPrimitive };
}

/**
 * Makes a reader of a dotted path, own properties only: a name that every object inherits is not there.
 *
 * @param path the path; an empty one reads the data itself
 * @returns the reader; it gives nothing where the path ends early
 */
function pathReader(path: unknown): (data: unknown) => unknown {
  if (path === undefined || path === null || path === '') return (data) => data;
  const names = String(path).split('.');
  return (data) => {
    let found = data;
    for (const name of names) {
      if (found === undefined || found === null || !Object.hasOwn(Object(found), name)) return undefined;
      found = (found as Record<string, unknown>)[name];
    }
    return found;
  };
}

/** @returns what a dotted path of some data holds, see `pathReader`; for paths that are read once */
export function readPath(data: unknown, path: unknown): unknown {
  return pathReader(path)(data);
}

/** JSON Logic's own truth: as in JavaScript, but an empty list is false. */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

type PlainOperator = Exclude<Operator, 'var' | 'missing' | 'some' | 'all' | 'none'>;

function operation(operator: PlainOperator, operands: readonly Evaluate[]): Evaluate {
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

/** The value of the first operand with that truth, else of the last: `and` and `or` of JSON Logic return values. */
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

/** `<` and `<=` take a third operand: between. Comparison is JavaScript's; the check of a policy lets numbers pass. */
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

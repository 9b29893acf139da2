import type { Effective } from './configuration.js';
import { fits } from './evaluate.js';
import { type Assignment, and, atom, type Formula, not, or } from './formula.js';
import { fromNumber, type Mapping } from './mapping.js';
import type { Concern, Policy, Rule } from './policy.js';
import { compileRule, isTruthy, readPath } from './rule.js';

/** One thing that can vary between configurations: what is in effect for a concern, or whether a comparison holds. */
export type Dimension =
  | { readonly concern: number; readonly values: readonly Effective[] }
  | { readonly comparison: string; readonly values: readonly [false, true] };

/** All configurations of a policy, as far as they can differ for some primitives. */
export interface Space {
  readonly policy: Policy;
  readonly dimensions: readonly Dimension[];
  readonly sizes: readonly number[];
  /** Whether a primitive with that mapping is shown. */
  shown(mapping: Mapping): Formula;
  /** Whether a rule fires for it. */
  fires(rule: Rule, mapping: Mapping): Formula;
}

/**
 * Spans the configurations that can make a difference.
 *
 * A range is cut at the primitives' values and at the numbers that rules compare with; between two cuts all numbers do
 * the same. Each comparison that reads a claim or the client is a dimension of its own, true or false: what callers
 * have there is not known. A concern that takes several values is looked at with one at a time: several show a
 * primitive if one of them does.
 *
 * @param policy the policy
 * @param mappings what it says of the primitives
 * @returns the space
 * @example
 * const space = spanSpace(policy, catalog.classes);
 */
export function spanSpace(policy: Policy, mappings: readonly Mapping[]): Space {
  const dimensions: Dimension[] = policy.concerns.map((concern, index) => ({
    concern: index,
    values: effectiveValues(policy, concern, index, mappings),
  }));
  const comparisons = new Map<string, number>();
  const comparison = (key: string): Formula => {
    let dimension = comparisons.get(key);
    if (dimension === undefined) {
      dimension = dimensions.push({ comparison: key, values: [false, true] }) - 1;
      comparisons.set(key, dimension);
    }
    return atom(dimension, 2, (value) => value === 1);
  };
  const holds = (setBy: Concern['setBy'], { offers }: Mapping): Formula =>
    and(
      policy.concerns.map((concern, index) => {
        const offered = offers[index]?.offered;
        const values = dimensions[index]?.values ?? [];
        if (offered === undefined || concern.setBy !== setBy) return true;
        return atom(index, values.length, (value) =>
          fits(concern.match, values[value] as Effective, offered),
        );
      }),
    );
  const fires = (rule: Rule, mapping: Mapping): Formula => {
    if (!rule.kinds.includes(mapping.kind)) return false;
    const readsClient = rule.paths.some((path) => path.startsWith('client.'));
    const formula = toFormula({ policy, dimensions, comparison }, rule.when, mapping);
    return readsClient ? and([comparison('client.capabilities is known'), formula]) : formula;
  };
  const anyFires = (effect: Rule['effect'], mapping: Mapping): Formula =>
    or(policy.rules.filter((rule) => rule.effect === effect).map((rule) => fires(rule, mapping)));

  return {
    policy,
    dimensions,
    get sizes() {
      return dimensions.map(({ values }) => values.length);
    },
    fires,
    // The order of `decide`, as one formula.
    shown: (mapping) =>
      and([
        holds('operator', mapping),
        not(anyFires('hide', mapping)),
        or([
          anyFires('show', mapping),
          and([holds('host', mapping), mapping.mapped || policy.settings.unmapped === 'show']),
        ]),
      ]),
  };
}

/**
 * @param space the space
 * @param assignment a choice of values
 * @returns the choice in the words of the policy; what is left open does not matter
 */
export function describeAssignment(
  { policy, dimensions }: Space,
  assignment: Assignment,
): Record<string, unknown> {
  const entries = dimensions.flatMap((dimension, index): [string, unknown][] => {
    const chosen = assignment[index];
    if (chosen === undefined) return [];
    const value = dimension.values[chosen];
    if ('comparison' in dimension) return [[dimension.comparison, value]];
    if (value === undefined || typeof value === 'boolean') return [];
    const name = policy.concerns[dimension.concern]?.name ?? '';
    if (value === 'denied') return [[name, 'no claim']];
    const number = typeof value === 'number' ? value : (value[0] ?? 0);
    return [[name, fromNumber(policy, dimension.concern, number)]];
  });
  return Object.fromEntries(entries);
}

function effectiveValues(
  policy: Policy,
  concern: Concern,
  index: number,
  mappings: readonly Mapping[],
): readonly Effective[] {
  const numbers =
    'min' in concern.values
      ? cuts(policy, concern, index, mappings, concern.values)
      : concern.values.map((_, ordinal) => ordinal);
  const values: Effective[] = concern.multiple ? numbers.map((number) => [number]) : numbers;
  if (concern.setBy === 'host') return [undefined, ...values];
  return concern.default === undefined ? [...values, 'denied'] : values;
}

function cuts(
  policy: Policy,
  { name }: Concern,
  index: number,
  mappings: readonly Mapping[],
  { min, max }: { readonly min: number; readonly max: number },
): number[] {
  const marks = new Set([min, max]);
  for (const { offers } of mappings) for (const number of offers[index]?.offered ?? []) marks.add(number);
  for (const rule of policy.rules) {
    if (rule.paths.includes(`concerns.${name}`)) for (const number of numbersIn(rule.when)) marks.add(number);
  }
  const sorted = [...marks].filter((mark) => mark >= min && mark <= max).sort((a, b) => a - b);
  return sorted.flatMap((mark, position) => {
    const next = sorted[position + 1];
    return next === undefined ? [mark] : [mark, (mark + next) / 2];
  });
}

function numbersIn(logic: unknown): number[] {
  if (typeof logic === 'number') return [logic];
  return typeof logic === 'object' && logic !== null ? Object.values(logic).flatMap(numbersIn) : [];
}

interface Spanning {
  readonly policy: Policy;
  readonly dimensions: readonly Dimension[];
  comparison(key: string): Formula;
}

/** A rule's truth for one primitive: what reads only the primitive is decided here. */
function toFormula(spanning: Spanning, logic: unknown, mapping: Mapping): Formula {
  const operands = operandsOf(logic);
  const below = (operand: unknown): Formula => toFormula(spanning, operand, mapping);
  switch (operands?.operator) {
    case 'and':
      return and(operands.given.map(below));
    case 'or':
      return or(operands.given.map(below));
    case '!':
      return not(below(operands.given[0]));
    case '!!':
      return below(operands.given[0]);
    case 'if':
      return choose(operands.given.map(below));
    default:
      return leaf(spanning, logic, mapping);
  }
}

function operandsOf(logic: unknown): { operator: string; given: readonly unknown[] } | undefined {
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic)) return undefined;
  const [entry] = Object.entries(logic);
  if (entry === undefined) return undefined;
  const [operator, given] = entry;
  return { operator, given: Array.isArray(given) ? given : [given] };
}

function choose([condition, then, ...rest]: readonly Formula[]): Formula {
  if (condition === undefined) return false;
  if (then === undefined) return condition;
  return or([and([condition, then]), and([not(condition), choose(rest)])]);
}

function leaf({ policy, dimensions, comparison }: Spanning, logic: unknown, { primitive }: Mapping): Formula {
  const { evaluate, paths } = compileRule(logic);
  if (paths.some((path) => /^(claims|client)\b/.test(path))) {
    const own = paths.filter((path) => path.startsWith('primitive.'));
    const known = own.map((path) => `${path}=${JSON.stringify(readPath({ primitive }, path) ?? null)}`);
    return comparison([JSON.stringify(logic), ...known].join(' '));
  }
  const read = [...new Set(paths.map((path) => policy.indexOf.get(path.slice('concerns.'.length))))].filter(
    (index) => index !== undefined,
  );
  const holds = (values: readonly number[]): boolean => {
    const concerns: Record<string, unknown> = Object.create(null);
    read.forEach((index, position) => {
      const value = dimensions[index]?.values[values[position] ?? 0];
      if (value === undefined || value === 'denied' || typeof value === 'boolean') return;
      const word = (number: number) => fromNumber(policy, index, number);
      concerns[policy.concerns[index]?.name ?? ''] =
        typeof value === 'number' ? word(value) : value.map(word);
    });
    return isTruthy(evaluate({ concerns, primitive }, []));
  };
  const [only] = read;
  if (only === undefined) return holds([]);
  if (read.length === 1) return atom(only, dimensions[only]?.values.length ?? 0, (value) => holds([value]));
  return { op: 'atom', dimensions: read, holds };
}

import type { EffectiveValue } from '../engine/configuration.js';
import { DECISION_ORDER, type DecisionStep, fits } from '../engine/evaluate.js';
import { compileExpression, isTruthy, readPath } from '../engine/expression/evaluate.js';
import { type Expression, readsCaller, readsPrimitive } from '../engine/expression/expression.js';
import { itemAt } from '../engine/item-at.js';
import { fromNumber, type Mapping } from '../engine/mapping.js';
import type { Concern, Policy, Rule } from '../engine/policy.js';
import { type Assignment, and, atom, type Formula, not, or } from './formula.js';

/** Something that varies between configurations: the value in effect for a concern, or whether a comparison holds. */
export type Dimension =
  | { readonly concern: number; readonly values: readonly EffectiveValue[] }
  | { readonly comparison: string; readonly values: readonly [false, true] };

/** All configurations of a policy that can make a difference for some primitives. */
export interface Space {
  readonly policy: Policy;
  readonly dimensions: readonly Dimension[];
  readonly sizes: readonly number[];
  /** The configurations that the space leaves out, in words. */
  readonly gaps: readonly string[];
  /** The condition under which a primitive with that mapping is shown. */
  shown(mapping: Mapping): Formula;
  /** The condition under which a rule fires for a primitive with that mapping. */
  fires(rule: Rule, mapping: Mapping): Formula;
}

/**
 * Computes the configurations that can make a difference.
 *
 * - A range is cut at the primitives' values and at the numbers that rules compare it with. All numbers between two cuts
 *   have the same effect. If a rule compares ranges with each other, there are enough numbers between two cuts for
 *   every order of those ranges.
 * - Each comparison that reads a claim or the client is a dimension with the values true and false, because the values
 *   of callers are not known.
 * - A concern that takes several values is tried with one value at a time: several values show a primitive if one of
 *   them does. If a rule reads the concern, all combinations are tried.
 *
 * @param policy the policy
 * @param mappings the values of the primitives, see `mapPrimitive`
 * @returns the space
 * @example
 * const space = spanSpace(policy, catalog.classes);
 */
export function spanSpace(policy: Policy, mappings: readonly Mapping[]): Space {
  const effective = policy.concerns.map((concern, index) =>
    effectiveValues(policy, concern, index, mappings),
  );
  const dimensions: Dimension[] = effective.map((values, concern) => ({ concern, values }));
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
        if (offered === undefined || concern.setBy !== setBy) return true;
        const values = effective[index] ?? [];
        return atom(index, values.length, (value) => fits(concern.match, values[value], offered));
      }),
    );
  const fires = (rule: Rule, mapping: Mapping): Formula => {
    if (!rule.kinds.includes(mapping.kind)) return false;
    const formula = toFormula({ policy, dimensions, comparison }, rule.when, mapping);
    return rule.readsClient ? and([comparison('client.capabilities is known'), formula]) : formula;
  };
  const applies = (step: DecisionStep, mapping: Mapping): Formula => {
    switch (step.test) {
      case 'concern':
        return not(holds(step.setBy, mapping));
      case 'rule':
        return or(
          policy.rules.filter(({ effect }) => effect === step.effect).map((rule) => fires(rule, mapping)),
        );
      case 'unmapped':
        return !mapping.mapped && policy.settings.unmapped === 'hide';
    }
  };

  return {
    policy,
    dimensions,
    get sizes() {
      return dimensions.map(({ values }) => values.length);
    },
    gaps: policy.concerns
      .filter((concern) => readByRule(policy, concern) && !canCombine(concern))
      .map(({ name }) => `what all combinations of several values of ${name} do`),
    fires,
    shown: (mapping) => {
      const steps = DECISION_ORDER.map((step) => ({ ...step, applied: applies(step, mapping) }));
      return steps.reduceRight<Formula>(
        (otherwise, { effect, applied }) =>
          effect === 'show' ? or([applied, otherwise]) : and([not(applied), otherwise]),
        true,
      );
    },
  };
}

/**
 * @param space the space
 * @param assignment a choice of values
 * @returns the choice in the words of the policy, without the dimensions that do not matter
 * @example
 * describeAssignment(space, search.assignment); // { security: 'high' }
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
    const { name } = itemAt(policy.concerns, dimension.concern);
    if (value === 'denied') return [[name, 'no claim']];
    const words = [value].flat().map((number) => fromNumber(policy, dimension.concern, number));
    return [[name, words.length === 1 ? words[0] : words]];
  });
  return Object.fromEntries(entries);
}

function effectiveValues(
  policy: Policy,
  concern: Concern,
  index: number,
  mappings: readonly Mapping[],
): readonly EffectiveValue[] {
  const numbers =
    'min' in concern.values
      ? cutRange(policy, index, mappings, concern.values)
      : concern.values.map((_, ordinal) => ordinal);
  const values: EffectiveValue[] = concern.multiple ? combinations(policy, concern) : numbers;
  if (concern.setBy === 'host') return [undefined, ...values];
  return concern.default === undefined ? [...values, 'denied'] : values;
}

/** With more values than this, their 2^n combinations are not all tried. */
const MAX_COMBINED = 8;

const readByRule = ({ rules }: Policy, { name }: Concern): boolean =>
  rules.some(({ paths }) => paths.includes(`concerns.${name}`));

function canCombine({ values, multiple }: Concern): boolean {
  return !multiple || 'min' in values || values.length <= MAX_COMBINED;
}

/**
 * @param policy the policy
 * @param concern a concern that takes several values
 * @returns the sets of values that can make a difference, the smallest first
 * @example
 * combinations(policy, topic); // [[0], [1], [0, 1]]
 */
export function combinations(policy: Policy, concern: Concern): number[][] {
  const ordinals = 'min' in concern.values ? [] : concern.values.map((_, ordinal) => ordinal);
  if (!readByRule(policy, concern) || !canCombine(concern)) return ordinals.map((ordinal) => [ordinal]);
  let sets: number[][] = [[]];
  for (const ordinal of ordinals) sets = [...sets, ...sets.map((set) => [...set, ordinal])];
  return sets.filter((set) => set.length > 0).sort((a, b) => a.length - b.length);
}

/**
 * Cuts a range at the numbers where the effect on a primitive can change.
 *
 * @param policy the policy
 * @param index the index of the concern, which is a range
 * @param mappings the values of the primitives, see `mapPrimitive`
 * @param range its bounds
 * @param present values in effect that become cuts too, also those of ranges that rules compare with this one
 * @returns the cuts, and numbers between each two of them, in ascending order
 * @example
 * cutRange(policy, index, mappings, { min: 0, max: 10 }); // [0, 5, 10]
 */
export function cutRange(
  policy: Policy,
  index: number,
  mappings: readonly Mapping[],
  { min, max }: { readonly min: number; readonly max: number },
  present: readonly EffectiveValue[] = [],
): number[] {
  const group = comparedWith(policy, index);
  const marks = new Set<number>();
  for (const each of group) {
    const { name, values } = itemAt(policy.concerns, each);
    const now = present[each];
    if ('min' in values) marks.add(values.min).add(values.max);
    if (typeof now === 'number') marks.add(now);
    for (const { offers } of mappings) for (const number of offers[each]?.offered ?? []) marks.add(number);
    for (const rule of policy.rules) {
      if (!rule.paths.includes(`concerns.${name}`)) continue;
      // An unset value counts as 0 in a comparison.
      for (const number of [0, ...constantNumbers(rule.when)]) marks.add(number);
      for (const path of rule.paths.filter(readsPrimitive)) {
        for (const { primitive } of mappings) {
          for (const number of numbersIn(readPath({ primitive }, path))) marks.add(number);
        }
      }
    }
  }
  const sorted = [...marks].sort((a, b) => a - b);
  const points = sorted.flatMap((mark, position) => {
    const step = ((sorted[position + 1] ?? mark) - mark) / (group.length + 1);
    return step === 0 ? [mark] : [mark, ...group.map((_each, at) => mark + step * (at + 1))];
  });
  return points.filter((point) => point >= min && point <= max);
}

/** @returns the range and all ranges that rules compare with each other, because they need the same cuts */
function comparedWith(policy: Policy, index: number): readonly number[] {
  const together = policy.rules.map(({ paths }) =>
    policy.concerns.flatMap(({ name, values }, each) =>
      'min' in values && paths.includes(`concerns.${name}`) ? [each] : [],
    ),
  );
  const compared = new Set(together.filter(({ length }) => length > 1).flat());
  return compared.has(index) ? [...compared] : [index];
}

/** @returns the numbers that the constants of an expression stand for */
function constantNumbers(expression: Expression): number[] {
  switch (expression.type) {
    case 'literal':
      return numbersIn(expression.value);
    case 'list':
      return expression.items.flatMap(constantNumbers);
    case 'read':
      return expression.fallback === undefined ? [] : constantNumbers(expression.fallback);
    case 'missing':
      return [];
    case 'quantified':
      return [expression.list, expression.condition].flatMap(constantNumbers);
    case 'operation':
      return expression.operands.flatMap(constantNumbers);
  }
}

function numbersIn(data: unknown): number[] {
  if (typeof data === 'object' && data !== null) return Object.values(data).flatMap(numbersIn);
  // A comparison in JavaScript converts in the same way: "5" becomes 5, true becomes 1.
  const number = Number(data ?? 0);
  return Number.isFinite(number) ? [number] : [];
}

interface Spanning {
  readonly policy: Policy;
  readonly dimensions: readonly Dimension[];
  comparison(key: string): Formula;
}

/** @returns the condition under which an expression is true for one primitive */
function toFormula(spanning: Spanning, expression: Expression, mapping: Mapping): Formula {
  if (expression.type !== 'operation') return leaf(spanning, expression, mapping);
  const operands = () => expression.operands.map((operand) => toFormula(spanning, operand, mapping));
  switch (expression.operator) {
    case 'and':
      return and(operands());
    case 'or':
      return or(operands());
    case '!':
      return not(and(operands()));
    case '!!':
      return and(operands());
    case 'if':
      return choose(operands());
    default:
      return leaf(spanning, expression, mapping);
  }
}

function choose([condition, then, ...rest]: readonly Formula[]): Formula {
  if (condition === undefined) return false;
  if (then === undefined) return condition;
  return or([and([condition, then]), and([not(condition), choose(rest)])]);
}

/** An expression that cannot be split: it depends only on comparisons, or only on concerns and the primitive. */
function leaf(
  { policy, dimensions, comparison }: Spanning,
  expression: Expression,
  { primitive }: Mapping,
): Formula {
  const { evaluate, paths } = compileExpression(expression);
  if (paths.some(readsCaller)) {
    const known = paths
      .filter(readsPrimitive)
      .map((path) => `${path}=${JSON.stringify(readPath({ primitive }, path) ?? null)}`);
    return comparison([JSON.stringify(expression.json), ...known].join(' '));
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
      const { name } = itemAt(policy.concerns, index);
      concerns[name] = typeof value === 'number' ? word(value) : value.map(word);
    });
    return isTruthy(evaluate({ concerns, primitive }, []));
  };
  const [only] = read;
  if (only === undefined) return holds([]);
  if (read.length === 1) return atom(only, dimensions[only]?.values.length ?? 0, (value) => holds([value]));
  return { op: 'atom', dimensions: read, holds };
}

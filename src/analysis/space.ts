import type { Effective } from '../engine/configuration.js';
import { fits } from '../engine/evaluate.js';
import { fromNumber, type Mapping } from '../engine/mapping.js';
import type { Concern, Policy, Rule } from '../engine/policy.js';
import { compileRule, isTruthy, readPath } from '../engine/rule.js';
import { type Assignment, and, atom, type Formula, not, or } from './formula.js';

/** One thing that can vary between configurations: what is in effect for a concern, or whether a comparison holds. */
export type Dimension =
  | { readonly concern: number; readonly values: readonly Effective[] }
  | { readonly comparison: string; readonly values: readonly [false, true] };

/** All configurations of a policy, as far as they can differ for some primitives. */
export interface Space {
  readonly policy: Policy;
  readonly dimensions: readonly Dimension[];
  readonly sizes: readonly number[];
  /** What the space leaves out, in words. */
  readonly gaps: readonly string[];
  /** Whether a primitive with that mapping is shown. */
  shown(mapping: Mapping): Formula;
  /** Whether a rule fires for it. */
  fires(rule: Rule, mapping: Mapping): Formula;
}

/**
 * Spans the configurations that can make a difference.
 *
 * A range is cut at the primitives' values and at the numbers that rules compare with; between two cuts all numbers do
 * the same, and ranges that a rule compares with each other have room for every order there. Each comparison that reads
 * a claim or the client is a dimension of its own, true or false: what callers have there is not known. A concern that
 * takes several values is looked at with one at a time, because several show a primitive if one of them does; with all
 * combinations where a rule reads it.
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
        const { values } = dimensions[index] as Dimension;
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
    gaps: policy.concerns
      .filter((concern) => readByRule(policy, concern) && !canCombine(concern))
      .map(({ name }) => `what all combinations of several values of ${name} do`),
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
    const { name } = policy.concerns[dimension.concern] as Concern;
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
): readonly Effective[] {
  const numbers =
    'min' in concern.values
      ? cutRange(policy, index, mappings, concern.values)
      : concern.values.map((_, ordinal) => ordinal);
  const values: Effective[] = concern.multiple ? combinations(policy, concern) : numbers;
  if (concern.setBy === 'host') return [undefined, ...values];
  return concern.default === undefined ? [...values, 'denied'] : values;
}

/** Of more values than this, not every combination is looked at: there are 2 to the power of their number. */
const MAX_COMBINED = 8;

const readByRule = ({ rules }: Policy, { name }: Concern): boolean =>
  rules.some(({ paths }) => paths.includes(`concerns.${name}`));

function canCombine({ values, multiple }: Concern): boolean {
  return !multiple || 'min' in values || values.length <= MAX_COMBINED;
}

/**
 * @param policy the policy
 * @param concern a concern of which a host may ask for several values
 * @returns the sets of values that can make a difference, single ones first
 */
export function combinations(policy: Policy, concern: Concern): number[][] {
  const ordinals = 'min' in concern.values ? [] : concern.values.map((_, ordinal) => ordinal);
  if (!readByRule(policy, concern) || !canCombine(concern)) return ordinals.map((ordinal) => [ordinal]);
  let sets: number[][] = [[]];
  for (const ordinal of ordinals) sets = [...sets, ...sets.map((set) => [...set, ordinal])];
  return sets.filter((set) => set.length > 0).sort((a, b) => a.length - b.length);
}

/**
 * Cuts a range where something can change.
 *
 * @param policy the policy
 * @param index the concern, a range
 * @param mappings what the policy says of the primitives
 * @param range its bounds
 * @param present what is in effect, if that shall be a cut too, also of the ranges that rules compare with this one
 * @returns the cuts, and numbers between each two of them, in order
 */
export function cutRange(
  policy: Policy,
  index: number,
  mappings: readonly Mapping[],
  { min, max }: { readonly min: number; readonly max: number },
  present: readonly Effective[] = [],
): number[] {
  const group = comparedWith(policy, index);
  const marks = new Set<number>();
  for (const each of group) {
    const { name, values } = policy.concerns[each] as Concern;
    const now = present[each];
    if ('min' in values) marks.add(values.min).add(values.max);
    if (typeof now === 'number') marks.add(now);
    for (const { offers } of mappings) for (const number of offers[each]?.offered ?? []) marks.add(number);
    for (const rule of policy.rules) {
      if (!rule.paths.includes(`concerns.${name}`)) continue;
      // What is unset counts as 0 in a comparison.
      for (const number of [0, ...numbersIn(rule.when)]) marks.add(number);
      for (const path of rule.paths.filter((path) => path.startsWith('primitive.'))) {
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

/** A range with all others, if rules compare ranges with each other: they are cut at the same numbers. */
function comparedWith(policy: Policy, index: number): readonly number[] {
  const together = policy.rules.map(({ paths }) =>
    policy.concerns.flatMap(({ name, values }, each) =>
      'min' in values && paths.includes(`concerns.${name}`) ? [each] : [],
    ),
  );
  const compared = new Set(together.filter(({ length }) => length > 1).flat());
  return compared.has(index) ? [...compared] : [index];
}

function numbersIn(data: unknown): number[] {
  if (typeof data === 'object' && data !== null) return Object.values(data).flatMap(numbersIn);
  // As a comparison of JavaScript takes it: "5" is 5, true is 1.
  const number = Number(data ?? 0);
  return Number.isFinite(number) ? [number] : [];
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
      const { name } = policy.concerns[index] as Concern;
      concerns[name] = typeof value === 'number' ? word(value) : value.map(word);
    });
    return isTruthy(evaluate({ concerns, primitive }, []));
  };
  const [only] = read;
  if (only === undefined) return holds([]);
  if (read.length === 1) return atom(only, dimensions[only]?.values.length ?? 0, (value) => holds([value]));
  return { op: 'atom', dimensions: read, holds };
}

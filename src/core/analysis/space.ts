import { type EffectiveValue, toWords } from '../engine/configuration.js';
import { asksForScope, DECISION_ORDER, type DecisionStep, fits, isAbout } from '../engine/evaluate.js';
import { itemAt } from '../engine/item-at.js';
import { involvedIn, type Mapping } from '../engine/mapping.js';
import type { Concern, Policy, Rule } from '../engine/policy.js';
import { getOrMake } from '../once.js';
import { canCombine, combinations, cutRange, readByRule } from './candidate-values.js';
import { type Assignment, and, atom, type Formula, not, or } from './formula.js';
import { type Dimension, toFormula } from './rule-formula.js';

/** All configurations of a policy that can make a difference for some primitives. */
export interface Space {
  readonly policy: Policy;
  /** What a configuration chooses. Formulas add one for each comparison that they read. */
  readonly dimensions: readonly Dimension[];
  /** The number of values of each dimension, as far as formulas have added them. */
  readonly sizes: readonly number[];
  /** The configurations that the space leaves out, in words. */
  readonly gaps: readonly string[];
  /** Returns the condition under which a rule fires for a primitive with that mapping. */
  readonly fires: (rule: Rule, mapping: Mapping) => Formula;
  /** Returns the condition under which a primitive with that mapping is shown, also by other rules of the same shape. */
  readonly shown: (mapping: Mapping, rules?: readonly Rule[]) => Formula;
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
  const involved = mappings.flatMap(involvedIn);
  const effective = policy.concerns.map((_concern, index) => effectiveValues(policy, index, involved));
  const dimensions: Dimension[] = effective.map((values, concern) => ({ concern, values }));
  const comparisons = new Map<string, number>();
  const comparison = (key: string): Formula => {
    const dimension = comparisons.get(key) ?? dimensions.push({ comparison: key, values: [false, true] }) - 1;
    comparisons.set(key, dimension);
    return atom(dimension, 2, (value) => value === 1);
  };
  const holds = (setBy: Concern['setBy'], { offers }: Mapping): Formula =>
    and(
      policy.concerns.map((concern, index) => {
        const offered = offers[index]?.offered;
        if (offered === undefined || concern.setBy !== setBy || asksForScope(policy, concern)) return true;
        const values = effective[index] ?? [];
        return atom(index, values.length, (value) => fits(policy, index, values[value], offered));
      }),
    );
  const known = new Map<Mapping, Map<Rule, Formula>>();
  const fires = (rule: Rule, mapping: Mapping): Formula =>
    getOrMake(
      getOrMake(known, mapping, () => new Map<Rule, Formula>()),
      rule,
      () => firesNow(rule, mapping),
    );
  const firesNow = (rule: Rule, mapping: Mapping): Formula => {
    if (!rule.kinds.includes(mapping.kind)) return false;
    if (!isAbout(rule, mapping)) return false;
    const formula = toFormula({ policy, dimensions, comparison }, rule.when, mapping);
    // Every request of a client has an era, so only its capabilities can be unknown.
    return rule.needs.includes('client.capabilities')
      ? and([comparison('client.capabilities is known'), formula])
      : formula;
  };
  const applies = (step: DecisionStep, mapping: Mapping, rules: readonly Rule[]): Formula => {
    switch (step.test) {
      case 'concern':
        return not(holds(step.setBy, mapping));
      case 'rule':
        return or(rules.filter(({ effect }) => effect === step.effect).map((rule) => fires(rule, mapping)));
      case 'changed':
        return mapping.change !== undefined && policy.pins?.changed === 'hide';
      case 'unmapped':
        return !mapping.mapped && policy.settings.unmapped === 'hide';
    }
  };
  const shownAlone = (mapping: Mapping, rules: readonly Rule[]): Formula => {
    const steps = DECISION_ORDER.map((step) => ({ ...step, applied: applies(step, mapping, rules) }));
    return steps.reduceRight<Formula>(
      (otherwise, { effect, applied }) =>
        effect === 'show' ? or([applied, otherwise]) : and([not(applied), otherwise]),
      true,
    );
  };
  /** A use is hidden with its tool, and a tool without a use of each argument. */
  const shown = (mapping: Mapping, rules = policy.rules): Formula => {
    const { tool, alternatives } = mapping;
    const ways = (alternatives?.() ?? []).map((uses) =>
      or(uses.map((parts) => and(parts.map((part) => shown(part, rules))))),
    );
    const ofTool = tool === undefined ? [] : [shown(tool, rules)];
    return and([shownAlone(mapping, rules), ...ways, ...ofTool]);
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
    shown,
  };
}

/**
 * Describes a choice of values in the words of the policy.
 *
 * @param space the space
 * @param assignment a choice of values
 * @returns the values by concern or comparison, without the dimensions that do not matter
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
    const concern = itemAt(policy.concerns, dimension.concern);
    if (value === undefined || typeof value === 'boolean') return [];
    const words = value === 'denied' ? 'no matching claim' : toWords(concern, value);
    return [[concern.name, Array.isArray(words) && words.length === 1 ? words[0] : words]];
  });
  return Object.fromEntries(entries);
}

function effectiveValues(policy: Policy, index: number, mappings: readonly Mapping[]): EffectiveValue[] {
  const concern = itemAt(policy.concerns, index);
  const sets = combinations(policy, concern);
  const numbers = 'min' in concern.values ? cutRange(policy, index, mappings, concern.values) : sets.flat();
  const values: EffectiveValue[] = concern.multiple ? sets : numbers;
  if (concern.setBy === 'host') return [undefined, ...values];
  // Also with a default: a claim that matches no value is denied. The last value, so that a search can leave it out.
  return [...values, 'denied'];
}

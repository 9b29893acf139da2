import type { Configuration, Effective } from './configuration.js';
import { fromNumber, type Mapping, type Offer } from './mapping.js';
import type { Concern, Policy, Rule } from './policy.js';
import { isTruthy, readPath } from './rule.js';

/** A decision in numbers: the reason is an index of `policy.concerns` or `policy.rules`, or neither. */
export interface IndexedDecision {
  readonly effect: 'show' | 'hide';
  readonly reason: { readonly concern: number } | { readonly rule: number } | 'fits' | 'unmapped';
}

/** Whether a primitive is shown under a configuration, and why, in the names of the policy. */
export type Decision =
  | { readonly effect: 'show'; readonly reason: { readonly code: 'fits' } | RuleReason }
  | { readonly effect: 'hide'; readonly reason: { readonly code: 'unmapped' } | ConcernReason | RuleReason };

export interface ConcernReason {
  readonly code: 'concern-mismatch';
  readonly concern: string;
  /** What is in effect; nothing where an operator concern has neither claim nor default. */
  readonly wanted: readonly (string | number)[];
  readonly actual: readonly (string | number)[];
  /** Where the primitive's value was written, `file:line`. */
  readonly source: string;
}

export interface RuleReason {
  readonly code: 'rule';
  readonly rule: string;
  readonly source: string;
  readonly reason?: string;
  /** What the rule read, by its paths. */
  readonly values: Readonly<Record<string, unknown>>;
}

export const FITS: IndexedDecision = { effect: 'show', reason: 'fits' };
const UNMAPPED: IndexedDecision = { effect: 'hide', reason: 'unmapped' };

/**
 * Decides about one primitive: the one place that lists, guards and explanations ask.
 *
 * 1. An operator concern that does not hold hides it.
 * 2. A `hide` rule that fires hides it.
 * 3. A `show` rule that fires shows it.
 * 4. A host concern that does not hold hides it.
 * 5. `unmapped: hide` hides it if nothing maps it.
 *
 * @param policy the policy
 * @param mapping what the policy says of the primitive, see `mapPrimitive`
 * @param configuration what is in effect, see `resolveConfiguration`
 * @returns the decision; of several reasons the first one declared
 * @example
 * decide(policy, mapPrimitive(policy, 'tools', { name: 'logData' }), configuration).effect;
 */
export function decide(policy: Policy, mapping: Mapping, configuration: Configuration): IndexedDecision {
  const operator = firstMismatch(policy.concerns, 'operator', mapping, configuration);
  if (operator !== undefined) return { effect: 'hide', reason: { concern: operator } };
  if (policy.rules.length > 0) {
    const hiding = firstFiring(policy.rules, 'hide', mapping, configuration);
    if (hiding !== undefined) return { effect: 'hide', reason: { rule: hiding } };
    const showing = firstFiring(policy.rules, 'show', mapping, configuration);
    if (showing !== undefined) return { effect: 'show', reason: { rule: showing } };
  }
  const host = firstMismatch(policy.concerns, 'host', mapping, configuration);
  if (host !== undefined) return { effect: 'hide', reason: { concern: host } };
  return !mapping.mapped && policy.settings.unmapped === 'hide' ? UNMAPPED : FITS;
}

/**
 * Decides about one primitive and says why. `select` decides the same for whole lists, without the reasons.
 *
 * @param policy the policy
 * @param mapping what the policy says of the primitive
 * @param configuration what is in effect
 * @returns the decision with its reason
 * @example
 * evaluate(policy, mapPrimitive(policy, 'tools', { name: 'logData' }), configuration).reason;
 */
export function evaluate(policy: Policy, mapping: Mapping, configuration: Configuration): Decision {
  const { effect, reason } = decide(policy, mapping, configuration);
  if (reason === 'fits') return { effect: 'show', reason: { code: 'fits' } };
  if (reason === 'unmapped') return { effect: 'hide', reason: { code: 'unmapped' } };
  if ('rule' in reason) {
    return { effect, reason: ruleReason(policy.rules[reason.rule] as Rule, mapping, configuration) };
  }
  const concern = policy.concerns[reason.concern] as Concern;
  const { offered, source } = mapping.offers[reason.concern] as Offer;
  const effective = configuration.effective[reason.concern];
  const wanted = typeof effective === 'object' ? effective : typeof effective === 'number' ? [effective] : [];
  const words = (numbers: readonly number[]) =>
    numbers.map((each) => fromNumber(policy, reason.concern, each));
  return {
    effect: 'hide',
    reason: {
      code: 'concern-mismatch',
      concern: concern.name,
      wanted: words(wanted),
      actual: words(offered),
      source,
    },
  };
}

function ruleReason(rule: Rule, mapping: Mapping, configuration: Configuration): RuleReason {
  const data = { ...configuration.data, primitive: mapping.primitive };
  const values = rule.paths.map((path) => [path, readPath(data, path) ?? null]);
  const { id, source, reason } = rule;
  return {
    code: 'rule',
    rule: id,
    source,
    ...(reason === undefined ? {} : { reason }),
    values: Object.fromEntries(values),
  };
}

function firstFiring(
  rules: readonly Rule[],
  effect: Rule['effect'],
  { kind, slots }: Mapping,
  { data }: Configuration,
): number | undefined {
  const found = rules.findIndex((rule) => {
    if (rule.effect !== effect || !rule.kinds.includes(kind)) return false;
    // What the client can do is not known on every path: then a rule about it says nothing.
    if (data.client === undefined && rule.paths.some((path) => path.startsWith('client.'))) return false;
    return isTruthy(rule.fires(data, slots));
  });
  return found === -1 ? undefined : found;
}

function firstMismatch(
  concerns: readonly Concern[],
  setBy: Concern['setBy'],
  mapping: Mapping,
  configuration: Configuration,
): number | undefined {
  for (let index = 0; index < concerns.length; index++) {
    const { setBy: by, match } = concerns[index] as Concern;
    const offered = mapping.offers[index]?.offered;
    if (by !== setBy || offered === undefined) continue;
    if (!fits(match, configuration.effective[index], offered)) return index;
  }
  return undefined;
}

/** Whether one of the offered values fits what is wanted; the numbers are those of `Assignment`. */
export function fits(match: Concern['match'], wanted: Effective, offered: readonly number[]): boolean {
  if (wanted === undefined) return true;
  if (wanted === 'denied') return false;
  if (typeof wanted === 'object') return wanted.some((each) => offered.includes(each));
  if (match === 'at-least') return offered.some((each) => each >= wanted);
  if (match === 'at-most') return offered.some((each) => each <= wanted);
  return offered.includes(wanted);
}

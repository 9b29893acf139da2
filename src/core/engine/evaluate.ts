import { claimText } from './claims.js';
import type { Configuration, EffectiveValue } from './configuration.js';
import { isTruthy, readPath } from './expression/evaluate.js';
import { itemAt } from './item-at.js';
import { type Change, fromNumbers, type Mapping, ruleFacts } from './mapping.js';
import type { Concern, Policy, Rule } from './policy.js';
import { isScopeClaim } from './scope-claims.js';

/** A decision in numbers: the reason is an index into `policy.concerns` or `policy.rules`, or neither. */
export interface IndexedDecision {
  readonly effect: 'show' | 'hide';
  readonly reason:
    | { readonly concern: number }
    | { readonly rule: number }
    | { readonly scopes: readonly string[] }
    | { readonly argument: string }
    | 'fits'
    | 'unmapped'
    | 'changed'
    | 'person';
}

/** Whether a configuration shows a primitive, and why, in the names of the policy. */
export type Decision =
  | { readonly effect: 'show'; readonly reason: { readonly code: 'fits' } | ScopeReason | RuleReason }
  | {
      readonly effect: 'hide';
      readonly reason:
        | { readonly code: 'unmapped' | 'person' }
        | { readonly code: 'argument'; readonly argument: string }
        | ChangeReason
        | ConcernReason
        | RuleReason;
    };

/** The definition is not the one that was pinned. */
export interface ChangeReason {
  readonly code: 'definition';
  readonly change: Change;
}

/** The primitive is listed, and using it takes scopes that the caller can get (`obtainable`). */
export interface ScopeReason {
  readonly code: 'scope-missing';
  readonly scopes: readonly string[];
}

export interface ConcernReason {
  readonly code: 'concern-mismatch';
  readonly concern: string;
  /** The value in effect; empty for an operator concern that is denied, see `EffectiveValue`. */
  readonly preferred: readonly (string | number)[];
  /** The primitive's values. */
  readonly actual: readonly (string | number)[];
  /** Where the primitive's value was written, `file:line`. */
  readonly source: string;
  /** Set if the value in effect is one that a model chose. */
  readonly origin?: 'model';
}

export interface RuleReason {
  readonly code: 'rule';
  readonly rule: string;
  readonly source: string;
  readonly reason?: string;
  /** What the rule read, by path. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The order of a decision: the first step that applies decides. If none applies, the primitive is shown. */
export const DECISION_ORDER = [
  /** The definition is not the pinned one, and `changed` is `hide`. */
  { test: 'changed', effect: 'hide' },
  /** A concern set by the operator does not match. */
  { test: 'concern', setBy: 'operator', effect: 'hide' },
  /** A rule with this effect fires. */
  { test: 'rule', effect: 'hide' },
  { test: 'rule', effect: 'show' },
  /** A concern set by the host does not match. */
  { test: 'concern', setBy: 'host', effect: 'hide' },
  /** Nothing maps the primitive, and `unmapped` is `hide`. */
  { test: 'unmapped', effect: 'hide' },
] as const;

/** A test that decides the effect on a primitive if it applies. */
export type DecisionStep = (typeof DECISION_ORDER)[number];

/** The decision if no step applies. */
const FITS: IndexedDecision = { effect: 'show', reason: 'fits' };
/** The person hid this tool with its own switch. */
const OFF: IndexedDecision = { effect: 'hide', reason: 'person' };

/**
 * Decides about one primitive, in the order of `DECISION_ORDER`. Lists, access checks and explanations all use this
 * function.
 *
 * @param mapping the primitive's values, from the policy of the configuration, see `mapPrimitive`
 * @param configuration the values in effect, see `resolveConfiguration`
 * @returns the decision; if several concerns or rules of one step apply, the reason is the one declared first
 * @example
 * decide(mapPrimitive(policy, 'tools', { name: 'logData' }), configuration).effect;
 */
export function decide(mapping: Mapping, configuration: Configuration): IndexedDecision {
  const { narrowed } = configuration;
  const ofTool = mapping.tool && decide(mapping.tool, configuration);
  if (ofTool?.effect === 'hide') return ofTool;
  const alone = decideAlone(mapping, configuration);
  const decision = narrowed === undefined || alone.effect === 'hide' ? alone : decideAlone(mapping, narrowed);
  return decision.effect === 'hide' ? decision : (withoutCalls(mapping, configuration) ?? decision);
}

/** A tool of which no call is left is hidden. */
function withoutCalls({ impossible }: Mapping, configuration: Configuration): IndexedDecision | undefined {
  const argument = impossible?.(configuration);
  return argument === undefined ? undefined : { effect: 'hide', reason: { argument } };
}

/** Decides without the values of the model that narrow. */
function decideAlone(mapping: Mapping, configuration: Configuration): IndexedDecision {
  const decision = firstDecision(mapping, configuration);
  if (decision.effect === 'hide' || !configuration.policy.asksForScopes) return decision;
  const scopes = missingScopes(mapping, configuration);
  return scopes.length === 0 ? decision : { effect: 'show', reason: { scopes } };
}

function firstDecision(mapping: Mapping, configuration: Configuration): IndexedDecision {
  if (configuration.isOff === true) return OFF;
  for (const step of DECISION_ORDER) {
    const reason = reasonOf(step, mapping, configuration);
    if (reason !== undefined) return { effect: step.effect, reason };
  }
  return FITS;
}

/** @returns the reason of a step; `undefined` if it does not apply */
function reasonOf(
  step: DecisionStep,
  mapping: Mapping,
  configuration: Configuration,
): IndexedDecision['reason'] | undefined {
  const { pins, settings } = configuration.policy;
  switch (step.test) {
    case 'concern':
      return firstMismatch(step.setBy, mapping, configuration);
    case 'rule':
      return firstFiring(step.effect, mapping, configuration);
    case 'changed':
      return mapping.change !== undefined && pins?.changed === 'hide' ? 'changed' : undefined;
    case 'unmapped':
      return !mapping.mapped && settings.unmapped === 'hide' ? 'unmapped' : undefined;
  }
}

/**
 * Decides about one primitive and gives the reason in words. `select` decides the same for whole lists, without reasons.
 *
 * @param mapping the primitive's values, from the policy of the configuration, see `mapPrimitive`
 * @param configuration the values in effect, see `resolveConfiguration`
 * @returns the decision with its reason
 * @example
 * evaluate(mapPrimitive(policy, 'tools', { name: 'logData' }), configuration).reason;
 */
export function evaluate(mapping: Mapping, configuration: Configuration): Decision {
  const { narrowed, policy } = configuration;
  const ofTool = mapping.tool && evaluate(mapping.tool, configuration);
  if (ofTool?.effect === 'hide') return ofTool;
  const alone = decideAlone(mapping, configuration);
  const decisive = narrowed === undefined || alone.effect === 'hide' ? configuration : narrowed;
  const own = decisive === configuration ? alone : decideAlone(mapping, decisive);
  const { effect, reason } = own.effect === 'hide' ? own : (withoutCalls(mapping, configuration) ?? own);
  if (reason === 'fits') return { effect: 'show', reason: { code: 'fits' } };
  if (reason === 'unmapped' || reason === 'person') return { effect: 'hide', reason: { code: reason } };
  if (reason === 'changed')
    return { effect: 'hide', reason: { code: 'definition', change: mapping.change ?? 'changed' } };
  if ('argument' in reason)
    return { effect: 'hide', reason: { code: 'argument', argument: reason.argument } };
  if ('scopes' in reason) return { effect: 'show', reason: { code: 'scope-missing', scopes: reason.scopes } };
  if ('rule' in reason) {
    return { effect, reason: ruleReason(itemAt(policy.rules, reason.rule), mapping, decisive) };
  }
  const concern = itemAt(policy.concerns, reason.concern);
  const { offered, source } = itemAt(mapping.offers, reason.concern);
  const effective = decisive.effective[reason.concern];
  const preferred = effective === undefined || effective === 'denied' ? [] : effective;
  return {
    effect: 'hide',
    reason: {
      code: 'concern-mismatch',
      concern: concern.name,
      preferred: fromNumbers(concern, preferred),
      actual: fromNumbers(concern, offered),
      source,
      ...(decisive.origins[reason.concern] === 'model' ? { origin: 'model' } : {}),
    },
  };
}

function ruleReason(rule: Rule, mapping: Mapping, configuration: Configuration): RuleReason {
  const data = { ...configuration.data, ...ruleFacts(mapping) };
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

/**
 * @param rule a rule of the policy
 * @param mapping what the policy says about one primitive, see `mapPrimitive`
 * @param configuration the values in effect
 * @returns whether the rule is about primitives of that kind and its condition is true
 */
export function ruleFires(rule: Rule, mapping: Mapping, { data }: Configuration): boolean {
  return rule.kinds.includes(mapping.kind) && isAbout(rule, mapping) && fires(rule, mapping.slots, data);
}

/** A rule about an argument decides about the uses of that argument only. */
export const isAbout = ({ argument }: Rule, mapping: Mapping): boolean =>
  argument === undefined || argument.name === mapping.argument;

function fires(rule: Rule, slots: Mapping['slots'], data: Configuration['data']): boolean {
  // Not every request says what the client can do, and a command line may not know the protocol. The scopes are unknown if
  // they are too many, and what depends on them is hidden then.
  for (const fact of rule.needs) {
    if (readPath(data, fact) === undefined) return fact === 'caller.scopes' && rule.effect === 'hide';
  }
  return isTruthy(rule.fires(data, slots));
}

/** @returns the first concern set by `setBy` that does not match */
function firstMismatch(setBy: Concern['setBy'], { offers }: Mapping, { policy, effective }: Configuration) {
  const { concerns } = policy;
  // An indexed loop is faster here, and it runs for each class of primitives.
  for (let index = 0; index < concerns.length; index++) {
    const concern = concerns[index];
    const offered = offers[index]?.offered;
    if (concern?.setBy !== setBy || offered === undefined) continue;
    if (asksForScope(policy, concern)) continue;
    if (!fits(policy, index, effective[index], offered)) return { concern: index };
  }
  return undefined;
}

/** Whether what only this concern hides is listed, and using it asks for the scope. */
export const asksForScope = ({ asksForScopes }: Policy, { obtainable }: Concern): boolean =>
  obtainable === true && asksForScopes;

/** @returns the first rule with that effect that fires */
function firstFiring(effect: Rule['effect'], mapping: Mapping, { policy, data }: Configuration) {
  const rule = policy.rulesFor[effect][mapping.kind].find((index) => {
    const each = itemAt(policy.rules, index);
    return isAbout(each, mapping) && fires(each, mapping.slots, data);
  });
  return rule === undefined ? undefined : { rule };
}

/**
 * Finds the scopes that a caller lacks to use a primitive.
 *
 * @param mapping the primitive's values, see `mapPrimitive`
 * @param configuration the values in effect for the caller
 * @returns for each concern that comes from scopes and does not match, the first scope with which it does
 * @example
 * missingScopes(mapPrimitive(policy, 'tools', { name: 'deleteNote' }), configuration); // ['notes:write']
 */
export function missingScopes(
  { offers }: Mapping,
  { policy, effective }: Pick<Configuration, 'policy' | 'effective'>,
): readonly string[] {
  return policy.concerns.flatMap((concern, index) => {
    const { claim, values, multiple } = concern;
    const offered = offers[index]?.offered;
    if (!isScopeClaim(claim) || 'min' in values || offered === undefined) return [];
    if (fits(policy, index, effective[index], offered)) return [];
    const value = values.find((_, each) => fits(policy, index, multiple ? [each] : each, offered));
    return value === undefined ? [] : [String(claimText(concern, value))];
  });
}

/**
 * @param policy the policy
 * @param concern the index of a concern
 * @param preferred the value in effect
 * @param offered the primitive's values, in the numbers of `Assignment`
 * @returns whether at least one of the offered values matches
 */
export function fits(
  policy: Policy,
  concern: number,
  preferred: EffectiveValue,
  offered: readonly number[],
): boolean {
  if (preferred === undefined) return true;
  if (preferred === 'denied') return false;
  const related = policy.related[concern];
  if (related !== undefined) {
    const fitting = (each: number) => offered.some((own) => related[each]?.has(own));
    return typeof preferred === 'object' ? preferred.some(fitting) : fitting(preferred);
  }
  if (typeof preferred === 'object') return preferred.some((each) => offered.includes(each));
  const match = policy.concerns[concern]?.match;
  if (match === 'at-least') return offered.some((each) => each >= preferred);
  if (match === 'at-most') return offered.some((each) => each <= preferred);
  return offered.includes(preferred);
}

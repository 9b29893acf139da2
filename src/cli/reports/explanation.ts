import { type ExplainedPart, explainRule } from '../../analysis/explain-rule.js';
import { type ConfigurationChange, smallestChange } from '../../analysis/smallest-change.js';
import {
  type Caller,
  type Configuration,
  describeAccepted,
  type EffectiveValue,
  resolveConfiguration,
} from '../../engine/configuration.js';
import { type Decision, decide, evaluate, fits } from '../../engine/evaluate.js';
import { isTruthy } from '../../engine/expression/evaluate.js';
import { fromNumber, identityOf, type Mapping, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { Origins } from './configuration-origins.js';

type Values = readonly (string | number)[];

/** How one concern affects a primitive. */
export interface ExplainedConcern {
  readonly concern: string;
  /** The values in effect; `denied` for an operator concern without claim and default. */
  readonly preferred: Values | 'denied' | undefined;
  /** Where the values in effect come from: an option, or a line of the policy. */
  readonly from: string | undefined;
  /** The values of the primitive; undefined if it has none, which matches everything. */
  readonly actual: Values | undefined;
  /** Where the values of the primitive are written: `file:line`. */
  readonly source: string | undefined;
  readonly fits: boolean;
}

/** How one rule affects a primitive. */
export interface ExplainedRule {
  readonly id: string;
  readonly effect: 'hide' | 'show';
  readonly source: string;
  readonly reason?: string | undefined;
  readonly fires: boolean;
  readonly expression: ExplainedPart;
}

/** Why a primitive is shown or hidden. */
export interface Explanation {
  readonly kind: Kind;
  readonly id: string;
  readonly shown: boolean;
  readonly reason: Decision['reason'];
  readonly mapped: boolean;
  readonly concerns: readonly ExplainedConcern[];
  /** The rules about this kind; those that apply come first. */
  readonly rules: readonly ExplainedRule[];
  /** The smallest change of preferences that reverses the decision. */
  readonly change: ConfigurationChange | undefined;
  /** If no preference reverses the decision: a claim that does. */
  readonly claim: readonly [name: string, value: string | number] | undefined;
}

/** The configuration and its caller, and where the values in effect come from. */
export interface Circumstances {
  readonly configuration: Configuration;
  readonly caller: Caller;
  readonly origins: Origins;
}

/**
 * Explains the decision about one primitive.
 *
 * @param policy the policy
 * @param kind the kind of the primitive
 * @param primitive the primitive as the server lists it
 * @param circumstances the configuration, its caller and its origins
 * @returns everything that affects the decision
 * @example
 * explainPrimitive(policy, 'tools', { name: 'deleteKey' }, circumstances).change; // { environment: null }
 */
export function explainPrimitive(
  policy: Policy,
  kind: Kind,
  primitive: Primitive,
  { configuration, caller, origins }: Circumstances,
): Explanation {
  const mapping = mapPrimitive(policy, kind, primitive);
  const { effect, reason } = evaluate(mapping, configuration);
  const change = smallestChange(mapping, configuration, caller);
  return {
    kind,
    id: identityOf(kind, primitive),
    shown: effect === 'show',
    reason,
    mapped: mapping.mapped,
    concerns: policy.concerns.map(({ name }, index) => {
      const effective = configuration.effective[index];
      const offer = mapping.offers[index];
      return {
        concern: name,
        preferred: effective === 'denied' ? effective : valuesOf(policy, index, effective),
        from: origins.get(name),
        actual: valuesOf(policy, index, offer?.offered),
        source: offer?.source,
        fits: offer === undefined || fits(policy, index, effective, offer.offered),
      };
    }),
    rules: explainRules(policy, mapping, configuration),
    change,
    claim: change === undefined ? reversingClaim(policy, mapping, configuration, caller) : undefined,
  };
}

function explainRules(policy: Policy, mapping: Mapping, configuration: Configuration): ExplainedRule[] {
  const rules = policy.rules
    .filter(({ kinds }) => kinds.includes(mapping.kind))
    .map(({ id, effect, source, reason, when }): ExplainedRule => {
      const expression = explainRule(when, mapping, configuration);
      return { id, effect, source, reason, fires: isTruthy(expression.value), expression };
    });
  return [...rules.filter(({ fires }) => fires), ...rules.filter(({ fires }) => !fires)];
}

function valuesOf(
  policy: Policy,
  concern: number,
  numbers: Exclude<EffectiveValue, 'denied'>,
): (string | number)[] | undefined {
  if (numbers === undefined) return undefined;
  return [numbers].flat().map((number) => fromNumber(policy, concern, number));
}

/** Looks for a claim that reverses the decision. */
function reversingClaim(
  policy: Policy,
  mapping: Mapping,
  configuration: Configuration,
  caller: Caller,
): Explanation['claim'] {
  const { effect } = decide(mapping, configuration);
  const sources = [{ from: 'session', concerns: describeAccepted(configuration) }] as const;
  for (const { claim, values } of policy.concerns) {
    if (claim === undefined) continue;
    for (const value of 'min' in values ? [values.min, values.max] : values) {
      const claims = new Map([...(caller.claims ?? []), [claim, value]]);
      const changed = resolveConfiguration(policy, sources, { ...caller, claims });
      if (decide(mapping, changed).effect !== effect) return [claim, value];
    }
  }
  return undefined;
}

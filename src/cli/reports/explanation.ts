import { type ExplainedPart, explainRule } from '../../analysis/explain-rule.js';
import { type ConfigurationChange, smallestChange } from '../../analysis/smallest-change.js';
import {
  type Caller,
  type Configuration,
  describeAccepted,
  type Effective,
  resolveConfiguration,
} from '../../engine/configuration.js';
import { type Decision, decide, evaluate, fits } from '../../engine/evaluate.js';
import { fromNumber, identityOf, type Mapping, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { isTruthy } from '../../engine/rule.js';
import type { Origins } from './configuration-origins.js';

type Words = readonly (string | number)[];

/** What one concern has to do with a primitive. */
export interface ExplainedConcern {
  readonly concern: string;
  /** What is in effect; `denied`: an operator concern without claim and default. */
  readonly wanted: Words | 'denied' | undefined;
  /** Where that comes from: an option, or a line of the policy. */
  readonly from: string | undefined;
  /** The primitive's values; nothing where it has none, which fits everything. */
  readonly actual: Words | undefined;
  /** Where they are written, `file:line`. */
  readonly source: string | undefined;
  readonly fits: boolean;
}

/** What one rule has to do with a primitive. */
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
  /** Rules about this kind; those that fire come first. */
  readonly rules: readonly ExplainedRule[];
  /** What a host would have to ask for to turn it around. */
  readonly change: ConfigurationChange | undefined;
  /** Where a host cannot: one claim that does, by its name. */
  readonly claim: readonly [name: string, value: string | number] | undefined;
}

/** Who asks for what, and where it was said. */
export interface Circumstances {
  readonly configuration: Configuration;
  readonly caller: Caller;
  readonly origins: Origins;
}

/**
 * Explains the verdict on one primitive.
 *
 * @param policy the policy
 * @param kind what the primitive is
 * @param primitive the primitive as the server lists it
 * @param circumstances who asks for what
 * @returns everything that had a part in the verdict
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
  const { effect, reason } = evaluate(policy, mapping, configuration);
  const change = smallestChange(policy, mapping, configuration, caller);
  return {
    kind,
    id: identityOf(kind, primitive),
    shown: effect === 'show',
    reason,
    mapped: mapping.mapped,
    concerns: policy.concerns.map(({ name, match }, index) => {
      const effective = configuration.effective[index];
      const offer = mapping.offers[index];
      return {
        concern: name,
        wanted: effective === 'denied' ? effective : wordsOf(policy, index, effective),
        from: origins.get(name),
        actual: wordsOf(policy, index, offer?.offered),
        source: offer?.source,
        fits: offer === undefined || fits(match, effective, offer.offered),
      };
    }),
    rules: explainRules(policy, mapping, configuration),
    change,
    claim: change === undefined ? claimThatTurns(policy, mapping, configuration, caller) : undefined,
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

function wordsOf(
  policy: Policy,
  concern: number,
  numbers: Exclude<Effective, 'denied'>,
): (string | number)[] | undefined {
  if (numbers === undefined) return undefined;
  return [numbers].flat().map((number) => fromNumber(policy, concern, number));
}

/** What the operator sets no host can change; somebody with another claim may get another verdict. */
function claimThatTurns(
  policy: Policy,
  mapping: Mapping,
  configuration: Configuration,
  caller: Caller,
): Explanation['claim'] {
  const { effect } = decide(policy, mapping, configuration);
  const carriers = [{ from: 'session', concerns: describeAccepted(policy, configuration) }] as const;
  for (const { claim, values } of policy.concerns) {
    if (claim === undefined) continue;
    for (const value of 'min' in values ? [values.min, values.max] : values) {
      const claims = new Map([...(caller.claims ?? []), [claim, value]]);
      const changed = resolveConfiguration(policy, carriers, { ...caller, claims });
      if (decide(policy, mapping, changed).effect !== effect) return [claim, value];
    }
  }
  return undefined;
}

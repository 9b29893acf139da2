import { type ExplainedPart, explainRule } from '../../core/analysis/explain-rule.js';
import { type ConfigurationChange, smallestChange } from '../../core/analysis/smallest-change.js';
import { claimName, claimText, withClaim } from '../../core/engine/claims.js';
import {
  type Caller,
  type Configuration,
  describeAccepted,
  resolveConfiguration,
} from '../../core/engine/configuration.js';
import { type Decision, decide, evaluate, fits, isAbout } from '../../core/engine/evaluate.js';
import { isTruthy } from '../../core/engine/expression/evaluate.js';
import { fromNumbers, identityOf, type Mapping, type Primitive } from '../../core/engine/mapping.js';
import { mapListed } from '../../core/engine/pins.js';
import type { Kind, Policy, Rule } from '../../core/engine/policy.js';
import { present } from '../../core/engine/present.js';
import { serverOf } from '../../core/engine/servers/outside-names.js';
import { type DefinitionDetail, detailsOf } from '../../core/policy/diff/compare-definitions.js';
import type { CallerConfiguration } from '../options/preferences.js';
import type { Origins } from './configuration-origins.js';

/** Why a primitive is shown or hidden. */
export interface Explanation {
  readonly kind: Kind;
  readonly id: string;
  /** Of several servers, the one that lists it. */
  readonly server: unknown;
  readonly shown: boolean;
  readonly reason: Decision['reason'];
  readonly mapped: boolean;
  /** What hosts get in place of what the server lists. */
  readonly presented: readonly DefinitionDetail[];
  readonly concerns: readonly ExplainedConcern[];
  /** The rules about this kind; those that apply come first. */
  readonly rules: readonly ExplainedRule[];
  /** The smallest change of preferences that reverses the decision. */
  readonly change: ConfigurationChange | undefined;
  /** If no preference reverses the decision: a claim that does, as its name and its value. */
  readonly claim: Words | undefined;
}

type Words = readonly (string | number)[];

/** How one concern affects a primitive. */
export interface ExplainedConcern {
  readonly concern: string;
  /** The values in effect; `denied` for an operator concern that no claim gives a value. */
  readonly preferred: Words | 'denied' | undefined;
  /** Where the values in effect come from: an option, or a line of the policy. */
  readonly from: string | undefined;
  /** The values of the primitive; undefined if it has none, which matches everything. */
  readonly actual: Words | undefined;
  /** Where the values of the primitive are written: `file:line`. */
  readonly source: string | undefined;
  readonly fits: boolean;
}

/** How one rule affects a primitive. */
export interface ExplainedRule extends Pick<Rule, 'id' | 'effect' | 'source'> {
  readonly reason: string | undefined;
  readonly fires: boolean;
  readonly expression: ExplainedPart;
}

/**
 * Explains the decision about one primitive.
 *
 * @param policy the policy
 * @param kind the kind of the primitive
 * @param primitive the primitive as the server lists it
 * @param circumstances the configuration, its caller, and where the values in effect come from
 * @returns everything that affects the decision
 * @example
 * explainPrimitive(policy, 'tools', { name: 'deleteKey' }, circumstances).change; // { environment: null }
 */
export function explainPrimitive(
  policy: Policy,
  kind: Kind,
  primitive: Primitive,
  { configuration, caller, origins }: CallerConfiguration & { readonly origins: Origins },
): Explanation {
  const mapping = mapListed(policy, kind, primitive);
  const { effect, reason } = evaluate(mapping, configuration);
  const change = smallestChange(mapping, configuration, caller);
  return {
    kind,
    id: identityOf(kind, primitive),
    server: serverOf(primitive),
    shown: effect === 'show',
    reason,
    mapped: mapping.mapped,
    presented: detailsOf(primitive, present(policy, kind, primitive), false),
    concerns: policy.concerns.map((concern, index) => {
      const effective = configuration.effective[index];
      const offer = mapping.offers[index];
      return {
        concern: concern.name,
        preferred:
          effective === undefined || effective === 'denied' ? effective : fromNumbers(concern, effective),
        from: origins.get(concern.name),
        actual: offer && fromNumbers(concern, offer.offered),
        source: offer?.source,
        fits: offer === undefined || fits(policy, index, effective, offer.offered),
      };
    }),
    rules: explainRules(policy, mapping, configuration),
    change,
    claim: change === undefined ? reversingClaim(policy, mapping, configuration, caller) : undefined,
  };
}

function explainRules(
  policy: Policy,
  mapping: Mapping,
  configuration: Configuration,
): readonly ExplainedRule[] {
  const rules = policy.rules
    .filter((rule) => rule.kinds.includes(mapping.kind) && isAbout(rule, mapping))
    .map(({ id, effect, source, reason, when }) => {
      const expression = explainRule(when, mapping, configuration);
      return { id, effect, source, reason, fires: isTruthy(expression.value), expression };
    });
  return [...rules.filter(({ fires }) => fires), ...rules.filter(({ fires }) => !fires)];
}

/** Looks for a claim that reverses the decision. */
function reversingClaim(
  policy: Policy,
  mapping: Mapping,
  configuration: Configuration,
  caller: Caller,
): Words | undefined {
  const { effect } = decide(mapping, configuration);
  const sources = [{ from: 'session', concerns: describeAccepted(configuration) }] as const;
  for (const concern of policy.concerns) {
    const { claim, values } = concern;
    if (claim === undefined) continue;
    for (const value of 'min' in values ? [values.min, values.max] : values) {
      const changed = resolveConfiguration(policy, sources, withClaim(caller, concern, [value]));
      if (decide(mapping, changed).effect !== effect) return [claimName(claim), claimText(concern, value)];
    }
  }
  return undefined;
}

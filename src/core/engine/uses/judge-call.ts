import type { Configuration } from '../effective.js';
import type { IndexedDecision } from '../evaluate.js';
import { isObject } from '../expression/evaluate.js';
import type { Mapping } from '../mapping.js';
import { boundValues } from './bound-values.js';
import { isIn, valueIn } from './domain.js';
import { decideUse, type PolicyArgument, scopesOf, type ToolUses } from './tool-uses.js';
import type { Scalar } from './use-name.js';

/** What becomes of the arguments of a call. */
export type JudgedCall =
  | {
      readonly effect: 'pass';
      /** The arguments that were decided: the server gets these and no other. */
      readonly args: Readonly<Record<string, unknown>>;
      /** The scopes that its uses take and the caller lacks. */
      readonly scopes: readonly string[];
    }
  | {
      readonly effect: 'refuse';
      /** Empty if the arguments are not an object. */
      readonly argument: string;
      /** The use that the policy hides; absent if the value is not one of the argument. */
      readonly use?: HiddenUse;
    };

/** A use that is hidden, and why. */
export interface HiddenUse {
  readonly decision: IndexedDecision;
  readonly mapping: Mapping;
}

/**
 * Decides about the arguments of one call. It passes if each of its uses is shown. A value counts only as it is written.
 *
 * @param uses what the policy says about the arguments of the tool
 * @param sent what the call sends as its arguments
 * @param configuration the values in effect
 * @example
 * judgeCall(uses, { action: 'delete' }, configuration).effect; // 'refuse'
 */
export function judgeCall(uses: ToolUses, sent: unknown, configuration: Configuration): JudgedCall {
  const given = sent ?? {};
  if (!isObject(given)) return { effect: 'refuse', argument: '' };
  const isAbout = uses.arguments.length > 0;
  const undeclared = Object.keys(given).find(
    (name) => !uses.declared.has(name) && (isAbout || uses.names(name)),
  );
  if (undeclared !== undefined) return { effect: 'refuse', argument: undeclared };
  const scopes = new Set<string>();
  const filled = new Map<string, Scalar>();
  for (const argument of uses.arguments) {
    const { name } = argument;
    const bound = boundValues(argument, configuration);
    const made = bound === undefined ? usesMade(argument, given) : boundUse(argument, given, bound);
    if (made === undefined) return { effect: 'refuse', argument: name };
    for (const value of made) {
      const { decision, mapping } = decideUse(uses, argument, value, configuration);
      if (decision.effect === 'hide') return { effect: 'refuse', argument: name, use: { decision, mapping } };
      for (const scope of scopesOf(decision)) scopes.add(scope);
      if (bound !== undefined && value !== undefined && !Object.hasOwn(given, name)) filled.set(name, value);
    }
  }
  // A spread and an assignment would not make a member that is called `__proto__`.
  const args = filled.size === 0 ? given : Object.fromEntries([...Object.entries(given), ...filled]);
  return { effect: 'pass', args, scopes: [...scopes] };
}

/** @returns the use of a bound argument: the value that is sent, if it is one of the bound ones, or else the only one */
function boundUse(
  { name, domain, isUndecidable }: PolicyArgument,
  given: Readonly<Record<string, unknown>>,
  bound: readonly Scalar[],
): readonly Scalar[] | undefined {
  if (isUndecidable) return undefined;
  if (!Object.hasOwn(given, name)) return bound.length === 1 ? bound : undefined;
  const found = valueIn(domain, given[name]);
  return found !== undefined && bound.includes(found.value) ? [found.value] : undefined;
}

/** @returns the uses of one argument that a call makes; `undefined` if it sends a value that cannot be decided */
function usesMade(
  { name, domain, isRequired, byDefault, isUndecidable }: PolicyArgument,
  given: Readonly<Record<string, unknown>>,
): readonly (Scalar | undefined)[] | undefined {
  if (Object.hasOwn(given, name)) {
    if (isUndecidable) return undefined;
    // The policy is only about whether it is sent.
    if (domain.type === 'other') return [null];
    const found = valueIn(domain, given[name]);
    return found === undefined ? undefined : [found.value];
  }
  if (isRequired) return undefined;
  return byDefault === undefined || !isIn(domain, byDefault) ? [undefined] : [undefined, byDefault];
}

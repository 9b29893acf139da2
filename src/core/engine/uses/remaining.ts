import { configurationFor } from '../added-tools.js';
import type { Configuration } from '../effective.js';
import type { RuleData } from '../expression/evaluate.js';
import { boundValues } from './bound-values.js';
import { isIn } from './domain.js';
import { type Left, someOf } from './left.js';
import { numbersLeft } from './numbers-left.js';
import { textsLeft } from './texts-left.js';
import { decideUse, type PolicyArgument, scopesOf, type ToolUses } from './tool-uses.js';
import type { Scalar } from './use-name.js';

/** What a configuration leaves of an argument. */
export interface Remaining extends Left {
  readonly argument: PolicyArgument;
  /** Whether a call may leave the argument out. */
  readonly canBeAbsent: boolean;
  /** The one value that `bind` leaves. The gate writes it into calls, and hosts are not shown the argument. */
  readonly fill?: Scalar;
  /** Whether some use takes a scope that the caller can get. */
  readonly asksForScopes: boolean;
}

/** What a configuration leaves of a tool. */
export interface ToolRemaining {
  /** The argument of which nothing is left, so that no call is; `undefined` if calls are left. */
  readonly gone: string | undefined;
  readonly parts: readonly Remaining[];
  /** Whether the definition of the tool stays as it is. */
  readonly isSame: boolean;
  /** Whether every call passes that the server takes. */
  readonly isWhole: boolean;
}

const latest = new WeakMap<
  ToolUses,
  { readonly configuration: Configuration; readonly left: ToolRemaining }
>();

/**
 * Computes what a configuration leaves of a tool. The last answer is remembered, because a list asks twice.
 *
 * @example
 * remainingOf(uses, configuration).parts[0]?.values; // { type: 'values', values: ['list', 'get'] }
 */
export function remainingOf(uses: ToolUses, configuration: Configuration): ToolRemaining {
  const known = latest.get(uses);
  if (known?.configuration === configuration) return known.left;
  const left = computeRemaining(uses, configuration);
  latest.set(uses, { configuration, left });
  return left;
}

function computeRemaining(uses: ToolUses, configuration: Configuration): ToolRemaining {
  const parts = uses.arguments.map((argument) => remaining(uses, argument, configuration));
  const gone = parts.find(
    ({ values, canBeAbsent, argument }) => values.type === 'none' && (argument.isRequired || !canBeAbsent),
  );
  const isSame = parts.every(isUntouched);
  const isWhole = isSame && parts.every(({ isExact, asksForScopes }) => isExact && !asksForScopes);
  return { gone: gone?.argument.name, parts, isSame, isWhole };
}

/** Returns whether the definition of an argument stays as it is. */
export const isUntouched = ({ values, canBeAbsent, argument, fill }: Remaining): boolean =>
  values.type === 'all' && fill === undefined && (canBeAbsent || argument.isRequired);

const latestOfGroup = new WeakMap<object, { readonly own: Configuration; readonly left: Remaining }>();

/** Most arguments of a list are alike for a policy, so that what is left of one is left of the next. */
function remaining(uses: ToolUses, argument: PolicyArgument, configuration: Configuration): Remaining {
  const { group } = argument;
  if (group === undefined) return computePart(uses, argument, configuration);
  const own = configurationFor(configuration, 'tools', uses.tool);
  const known = latestOfGroup.get(group);
  if (known?.own === own) return { ...known.left, argument };
  const left = computePart(uses, argument, configuration);
  latestOfGroup.set(group, { own, left });
  return left;
}

function computePart(uses: ToolUses, argument: PolicyArgument, configuration: Configuration): Remaining {
  let asksForScopes = false;
  const isShown = (value: Scalar | undefined): boolean => {
    const { decision } = decideUse(uses, argument, value, configuration);
    if (scopesOf(decision).length > 0) asksForScopes = true;
    return decision.effect === 'show';
  };
  const bound = boundValues(argument, configuration);
  if (bound !== undefined && !argument.isUndecidable) {
    const kept = bound.filter(isShown);
    const [only] = kept;
    // A call that leaves it out gets the value, if there is one alone.
    const fill = bound.length === 1 && only !== undefined ? { fill: only } : {};
    const canBeAbsent = 'fill' in fill;
    return { argument, values: someOf(kept), isExact: true, canBeAbsent, asksForScopes, ...fill };
  }
  const { data, narrowed } = configuration;
  const left = valuesLeft(argument, narrowed === undefined ? [data] : [data, narrowed.data], isShown);
  const { domain, isRequired, byDefault } = argument;
  // A call without the argument makes the use of the default.
  const isDefaultShown = byDefault === undefined || !isIn(domain, byDefault) || isShown(byDefault);
  const canBeAbsent = bound === undefined && !isRequired && isShown(undefined) && isDefaultShown;
  const { values, isExact } = left;
  return { argument, values, isExact, canBeAbsent, asksForScopes };
}

function valuesLeft(
  argument: PolicyArgument,
  data: readonly RuleData[],
  isShown: (value: Scalar | undefined) => boolean,
): Left {
  const { domain, isUndecidable } = argument;
  if (isUndecidable) return { values: { type: 'none' }, isExact: true };
  switch (domain.type) {
    case 'other':
      // The policy is only about whether it is sent.
      return { values: { type: isShown(null) ? 'all' : 'none' }, isExact: true };
    case 'closed': {
      const kept = domain.values.filter(isShown);
      return {
        values: kept.length === domain.values.length ? { type: 'all' } : someOf(kept),
        isExact: true,
      };
    }
    case 'text': {
      const texts = constantsOf(argument, data).filter((each) => typeof each === 'string');
      return textsLeft(argument, domain.isNullable, texts, isShown);
    }
    case 'number':
      return numbersLeft(domain, numbersIn(argument, data), isShown);
  }
}

/** The texts and numbers that rules compare with the argument. They can depend on the caller. */
function constantsOf({ rules }: PolicyArgument, all: readonly RuleData[]): readonly (string | number)[] {
  if (rules.length === 0) return [];
  const found = all.flatMap((data) =>
    rules.flatMap(({ compared }) => compared.flatMap((evaluate) => evaluate(data, []))),
  );
  return [...new Set(found.filter((each) => typeof each === 'string' || typeof each === 'number'))];
}

function numbersIn(argument: PolicyArgument, data: readonly RuleData[]): readonly number[] {
  const named = argument.valued.map(({ value }) => value).filter((value) => String(Number(value)) === value);
  const compared = constantsOf(argument, data).filter((each) => typeof each === 'number');
  return [...named.map(Number), ...compared];
}

/**
 * Returns values of an argument that a policy tells apart whoever calls, for what looks at all callers at once.
 *
 * @returns no values if the policy cannot decide any
 */
export function samplesOf(argument: PolicyArgument): readonly Scalar[] {
  const tried: Scalar[] = [];
  const note = (value: Scalar | undefined): boolean => {
    if (value !== undefined) tried.push(value);
    return false;
  };
  valuesLeft(argument, [{}], note);
  return tried;
}

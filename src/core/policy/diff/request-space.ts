import { combinations, cutRange } from '../../analysis/candidate-values.js';
import { claimName, withClaim } from '../../engine/claims.js';
import { type Caller, type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import type { Mapping } from '../../engine/mapping.js';
import { fromNumber } from '../../engine/mapping.js';
import type { Concern, Policy } from '../../engine/policy.js';

/** One choice in a dimension: a value that a host can request, a caller can claim, or a fact can have. */
export interface Choice {
  /** The value for reports. Absent if the concern is not requested or not claimed, or if the fact is false. */
  readonly text?: string;
  /** The value as it is sent. `null` requests no value, also against a default. */
  readonly value?: unknown;
}

/** One way in which configurations can differ. */
export interface RequestDimension {
  /**
   * `host`: a concern that hosts request. `claim`: a concern that comes from a claim. `fact`: a comparison of the caller
   * that a rule makes. `other-concern`: whether the host requests any other concern, which brings defaults into effect.
   */
  readonly type: 'host' | 'claim' | 'fact' | 'other-concern';
  /** The name of the concern, or the text of the fact. */
  readonly name: string;
  /** The key that carries the choice: a concern or a claim. */
  readonly key: string;
  readonly choices: readonly Choice[];
  /** For a range: the numbers of the choices in ascending order, see `rangeOf`. */
  readonly range?: readonly number[];
}

/** Returns the number of choices of a dimension. */
export const sizeOf = ({ choices }: RequestDimension): number => choices.length;

/** Returns the number of combinations of choices. */
export const productOf = (dimensions: readonly RequestDimension[]): number =>
  dimensions.reduce((product, dimension) => product * sizeOf(dimension), 1);

/** The old and the new policy. */
export type Policies = readonly [before: Policy, after: Policy];

/**
 * Lists the dimensions of the request space: all preferences and claims that either policy declares. A policy treats a
 * concern or value that only the other policy declares as not requested.
 *
 * @param policies the old and the new policy
 * @param facts the comparisons that rules make with the caller, from `CallerFacts`
 * @param pairs all primitives, mapped by each policy
 * @returns one dimension for each concern and each fact
 */
export function requestDimensions(
  policies: Policies,
  facts: ReadonlyMap<string, string>,
  pairs: readonly { readonly mappings: readonly (Mapping | undefined)[] }[],
): RequestDimension[] {
  const [before, after] = policies;
  const mappings = [0, 1].map((at) => pairs.flatMap((pair) => pair.mappings[at] ?? []));
  const names = [...new Set([...after.indexOf.keys(), ...before.indexOf.keys()])];
  const dimensions = names.flatMap((name): RequestDimension[] => {
    const both = policies.map((policy) => concernOf(policy, name));
    const range = rangeOf(name, policies, mappings);
    const values = range ?? namedValuesOf(name, policies);
    const choices = values.map((value) => ({ text: [value].flat().join('+'), value }));
    const shared = { name, ...(range === undefined ? {} : { range }) };
    const isHost = both.some((concern) => concern?.setBy === 'host');
    const [old, now] = both.map((concern) => concern?.default);
    // If a default may apply, requesting `null` differs from requesting nothing.
    const mayApply = policies.some(
      ({ settings }, at) => settings.defaults !== 'never' && both[at]?.default !== undefined,
    );
    const withNull = [{}, ...choices, ...(mayApply ? [{ text: 'null', value: null }] : [])];
    // A caller without the claim gets the default. If both policies have the same default, its value covers this case.
    const withMissing = old !== undefined && old === now ? choices : [{}, ...choices];
    const claims = new Set(both.flatMap((concern) => (concern?.claim ? [claimName(concern.claim)] : [])));
    return [
      ...(isHost ? [{ type: 'host' as const, key: name, choices: withNull, ...shared }] : []),
      ...[...claims].map((key) => ({ type: 'claim' as const, key, choices: withMissing, ...shared })),
    ];
  });
  const choices = [{ value: false }, { text: 'true', value: true }];
  return [...dimensions, ...[...facts].map(([key, name]) => ({ type: 'fact' as const, name, key, choices }))];
}

/** @returns the concern of a policy that has the name */
export const concernOf = (policy: Policy, name: string): Concern | undefined =>
  policy.concerns[policy.indexOf.get(name) ?? -1];

/** Lists the values of a concern with named values, and every combination of them if it takes several. */
function namedValuesOf(name: string, policies: readonly Policy[]): readonly unknown[] {
  const byText = new Map<string, unknown>();
  for (const policy of [...policies].reverse()) {
    const concern = concernOf(policy, name);
    if (concern === undefined || 'min' in concern.values) continue;
    const values = concern.multiple
      ? combinations(policy, concern).map((set) => set.map((each) => fromNumber(concern, each)))
      : concern.values;
    for (const value of values) byText.set([value].flat().join('+'), value);
  }
  return [...byText.values()];
}

/** Lists the numbers at which a decision can change in either policy, and one number between each two neighbors. */
function rangeOf(
  name: string,
  policies: readonly Policy[],
  mappings: readonly (readonly Mapping[])[],
): readonly number[] | undefined {
  const marks = new Set<number>();
  policies.forEach((policy, at) => {
    const index = policy.indexOf.get(name) ?? -1;
    const { values = [], default: defaultValue } = policy.concerns[index] ?? {};
    if (!('min' in values)) return;
    const own = mappings[at] ?? [];
    const read = policy.rules.some(({ paths }) => paths.includes(`concerns.${name}`));
    marks.add(values.min).add(values.max);
    if (typeof defaultValue === 'number') marks.add(defaultValue);
    for (const { offers } of own) for (const number of offers[index]?.offered ?? []) marks.add(number);
    if (read) for (const number of cutRange(policy, index, own, values)) marks.add(number);
  });
  if (marks.size === 0) return undefined;
  const sorted = [...marks].sort((a, b) => a - b);
  return sorted.flatMap((mark, at) => {
    const next = sorted[at + 1];
    return next === undefined ? [mark] : [mark, (mark + next) / 2];
  });
}

/**
 * Resolves the configuration of one request.
 *
 * @param policy one of the policies
 * @param chosen the dimensions, each with its choice; all other dimensions are not requested
 * @returns the configuration under the policy
 */
export function configure(
  policy: Policy,
  chosen: readonly (readonly [RequestDimension, Choice | undefined])[],
): Configuration {
  const concerns: [string, unknown][] = [];
  let caller: Caller = {};
  let inForce = policy;
  for (const [{ type, name, key }, { value } = {}] of chosen) {
    const concern = concernOf(policy, name);
    if (value === undefined) continue;
    if (type === 'host') concerns.push([key, value]);
    else if (type === 'fact') caller = { claims: new Map(caller.claims).set(key, value) };
    else if (type === 'other-concern') {
      // Whatever else is requested, only the defaults that it brings into effect count here.
      if (policy.settings.defaults === 'aware')
        inForce = { ...policy, settings: { ...policy.settings, defaults: 'always' } };
    } else if (concern?.claim !== undefined && claimName(concern.claim) === key) {
      const values = [value].flat().map((each) => (typeof each === 'number' ? each : String(each)));
      caller = withClaim(caller, concern, values);
    }
  }
  // With the preference source `session`, a policy ignores values that it does not declare instead of rejecting them.
  const sources = [{ from: 'session', concerns: Object.fromEntries(concerns) }] as const;
  return resolveConfiguration(inForce, sources, caller);
}

import {
  type Caller,
  type Configuration,
  describeAccepted,
  resolveConfiguration,
} from '../engine/configuration.js';
import { decide, fits } from '../engine/evaluate.js';
import { itemAt } from '../engine/item-at.js';
import { fromNumbers, involvedIn, type Mapping } from '../engine/mapping.js';
import { widenings } from '../engine/match/widen.js';
import type { Policy } from '../engine/policy.js';
import { combinations, cutRange, readByRule } from './candidate-values.js';

/** Preferences to change, by concern; `null` removes the value. */
export type ConfigurationChange = Readonly<
  Record<string, string | number | readonly (string | number)[] | null>
>;

/** The number of configurations after which the search stops. */
const MAX_TRIES = 20_000;

/**
 * Finds the smallest change of a host's preferences that reverses a decision: it changes the fewest concerns, and each to
 * the nearest value. With `match: within`, asking for a value above the present one comes first.
 *
 * @param mapping the primitive's values, from the policy of the configuration, see `mapPrimitive`
 * @param configuration the values in effect
 * @param caller the caller, which a host cannot change
 * @returns the change; `undefined` if no change of host concerns reverses the decision, or if the search stopped
 * @example
 * smallestChange(mapping, configuration); // { security: 'medium' }
 */
export function smallestChange(
  mapping: Mapping,
  configuration: Configuration,
  caller: Caller = {},
): ConfigurationChange | undefined {
  const { policy } = configuration;
  const { effect } = decide(mapping, configuration);
  const accepted = describeAccepted(configuration);
  const all = optionsOf(mapping, configuration);
  // Without rules, each concern that does not match must change, and no other can help.
  const isAlone = mapping.tool === undefined && mapping.alternatives === undefined;
  const isEach = effect === 'hide' && isAlone && policy.rules.length === 0 && !affectsDefaults(policy);
  const options = isEach ? all.filter(({ index }) => !matches(mapping, configuration, index)) : all;

  let tries = 0;
  for (let count = isEach ? Math.max(1, options.length) : 1; count <= options.length; count++) {
    for (const change of changesOf(options, count)) {
      if (++tries > MAX_TRIES) return undefined;
      const sources = [{ from: 'session', concerns: { ...accepted, ...change } }] as const;
      const changed = resolveConfiguration(policy, sources, caller);
      if (decide(mapping, changed).effect !== effect) return change;
    }
  }
  return undefined;
}

function matches({ offers }: Mapping, { policy, effective }: Configuration, index: number): boolean {
  const offer = offers[index];
  return offer === undefined || fits(policy, index, effective[index], offer.offered);
}

/** With `aware`, the first preference activates the defaults, and removing the last one deactivates them. */
const affectsDefaults = ({ settings, concerns }: Policy): boolean =>
  settings.defaults === 'aware' && concerns.some((each) => each.default !== undefined);

/** A concern of the host, by its name and its index in the policy, and its other values. */
type Option = ReturnType<typeof optionsOf>[number];

/** Yields every change of `count` options, beginning with the first options. */
function* changesOf(options: readonly Option[], count: number): Generator<ConfigurationChange> {
  if (count === 0) yield {};
  else {
    for (const [index, { name, values }] of options.entries()) {
      for (const value of values) {
        for (const rest of changesOf(options.slice(index + 1), count - 1)) yield { [name]: value, ...rest };
      }
    }
  }
}

function optionsOf(mapping: Mapping, configuration: Configuration) {
  const { concerns } = configuration.policy;
  const host = concerns.flatMap((concern, index) => (concern.setBy === 'host' ? [{ concern, index }] : []));
  const matters = ({ concern, index }: (typeof host)[number]): boolean =>
    involvedIn(mapping).some(({ offers }) => offers[index] !== undefined) ||
    readByRule(configuration.policy, concern);
  const others = affectsDefaults(configuration.policy) ? host.filter((each) => !matters(each)) : [];
  return [...host.filter(matters), ...others].map((each) => {
    const { concern, index } = each;
    const values = alternatives(index, mapping, configuration);
    return { name: concern.name, index, values: matters(each) ? values : [...values.slice(0, 1), null] };
  });
}

/** @returns the other values of a concern, the nearest first, and null last */
function alternatives(index: number, mapping: Mapping, configuration: Configuration) {
  const { policy, effective, accepted } = configuration;
  const concern = itemAt(policy.concerns, index);
  const { values, multiple } = concern;
  const now = effective[index];
  const present = typeof now === 'object' ? now : typeof now === 'number' ? [now] : [];
  const candidates =
    'min' in values
      ? cutRange(policy, index, involvedIn(mapping), values, effective).map((number) => [number])
      : combinations(policy, concern);
  const distance = ([first = 0]: readonly number[]): number => Math.abs(first - (present[0] ?? 0));
  const nearest = candidates.sort(
    (a, b) => unlike(a, present) - unlike(b, present) || distance(a) - distance(b),
  );
  const others = new Map([...widenings(concern, present), ...nearest].map((each) => [each.join(), each]));
  // A value in effect by default is also a possible preference.
  if (accepted[index] !== undefined) others.delete(present.join());
  const words = [...others.values()].map((each) => fromNumbers(concern, each));
  const preferences = words.map((each): ConfigurationChange[string] => (multiple ? each : (each[0] ?? null)));
  return now === undefined && concern.default === undefined ? preferences : [...preferences, null];
}

/** @returns the number of values that are in only one of two sets */
function unlike(one: readonly number[], other: readonly number[]): number {
  const shared = one.filter((each) => other.includes(each)).length;
  return one.length + other.length - 2 * shared;
}

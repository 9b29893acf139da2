import {
  type Caller,
  type Configuration,
  describeAccepted,
  resolveConfiguration,
} from '../engine/configuration.js';
import { decide } from '../engine/evaluate.js';
import { fromNumber, type Mapping } from '../engine/mapping.js';
import type { Concern, Policy } from '../engine/policy.js';
import { combinations, cutRange } from './space.js';

/** What a host would have to ask for instead; `null`: nothing for that concern. */
export type ConfigurationChange = Readonly<
  Record<string, string | number | readonly (string | number)[] | null>
>;

/** Configurations tried before the search is given up. */
const MAX_TRIES = 20_000;

/**
 * Finds the smallest change of what a host asks for that turns a verdict around: the fewest concerns, and of several
 * values the one nearest to the present.
 *
 * @param policy the policy
 * @param mapping what the policy says of the primitive
 * @param configuration what is in effect
 * @param caller who asks; a host cannot change that
 * @returns the change; nothing if no change of host concerns does it
 * @example
 * smallestChange(policy, mapping, configuration); // { security: 'medium' }
 */
export function smallestChange(
  policy: Policy,
  mapping: Mapping,
  configuration: Configuration,
  caller: Caller = {},
): ConfigurationChange | undefined {
  const { effect } = decide(policy, mapping, configuration);
  const accepted = describeAccepted(policy, configuration);
  const options = optionsOf(policy, mapping, configuration);

  let tries = 0;
  for (let count = 1; count <= options.length; count++) {
    for (const change of changesOf(options, count)) {
      if (++tries > MAX_TRIES) return undefined;
      const carriers = [{ from: 'session', concerns: { ...accepted, ...change } }] as const;
      const changed = resolveConfiguration(policy, carriers, caller);
      if (decide(policy, mapping, changed).effect !== effect) return change;
    }
  }
  return undefined;
}

interface Option {
  readonly name: string;
  readonly values: readonly (string | number | readonly (string | number)[] | null)[];
}

/** Every change of so many options, those of the first options first. */
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

function optionsOf(policy: Policy, mapping: Mapping, configuration: Configuration): Option[] {
  const { concerns, rules, settings } = policy;
  const host = concerns.flatMap((concern, index) => (concern.setBy === 'host' ? [{ concern, index }] : []));
  const matters = ({ concern, index }: (typeof host)[number]): boolean =>
    mapping.offers[index] !== undefined ||
    rules.some(({ paths }) => paths.includes(`concerns.${concern.name}`));
  const options = host.filter(matters).map(({ concern, index }) => ({
    name: concern.name,
    values: alternatives(policy, concern, index, mapping, configuration),
  }));
  // Asking for anything, or for nothing any more, brings defaults about or takes them away.
  const stirs = settings.defaults === 'aware' && concerns.some((each) => each.default !== undefined);
  const others = stirs ? host.filter((each) => !matters(each)) : [];
  return [
    ...options,
    ...others.map(({ concern, index }) => ({
      name: concern.name,
      values: alternatives(policy, concern, index, mapping, configuration).slice(0, 1).concat(null),
    })),
  ];
}

/** Other values of a concern, nearest first, and last none at all. */
function alternatives(
  policy: Policy,
  concern: Concern,
  index: number,
  mapping: Mapping,
  { effective, accepted }: Configuration,
): (string | number | readonly (string | number)[] | null)[] {
  const { values, multiple } = concern;
  const now = effective[index];
  const present = typeof now === 'object' ? now : typeof now === 'number' ? [now] : [];
  const candidates: readonly (readonly number[])[] =
    'min' in values
      ? cutRange(policy, index, [mapping], values, effective).map((number) => [number])
      : multiple
        ? combinations(policy, concern)
        : values.map((_, ordinal) => [ordinal]);
  const same = (candidate: readonly number[]) => candidate.join() === present.join();
  const words = candidates
    // What is in effect by default can be asked for, too.
    .filter((candidate) => !same(candidate) || accepted[index] === undefined)
    .sort((a, b) => unlike(a, present) - unlike(b, present) || distance(a, present) - distance(b, present))
    .map((candidate) => candidate.map((number) => fromNumber(policy, index, number)));
  const asked = words.map((each) => (multiple ? each : (each[0] ?? null)));
  return now === undefined && concern.default === undefined ? asked : [...asked, null];
}

/** How many values are only in one of two choices. */
function unlike(one: readonly number[], other: readonly number[]): number {
  const shared = one.filter((each) => other.includes(each)).length;
  return one.length + other.length - 2 * shared;
}

/** How far the first values of two choices are from each other. */
function distance([a = 0]: readonly number[], [b = 0]: readonly number[]): number {
  return Math.abs(a - b);
}

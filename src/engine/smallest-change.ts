import { type Caller, type Configuration, describeAccepted, resolveConfiguration } from './configuration.js';
import { decide } from './evaluate.js';
import { fromNumber, type Mapping } from './mapping.js';
import type { Concern, Policy } from './policy.js';
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
  const { shown } = decide(policy, mapping, configuration);
  const accepted = describeAccepted(policy, configuration);
  const options = optionsOf(policy, mapping, configuration);

  let tries = 0;
  const search = (
    from: number,
    count: number,
    change: ConfigurationChange,
  ): ConfigurationChange | undefined => {
    if (count === 0) {
      if (++tries > MAX_TRIES) return undefined;
      const carriers = [{ from: 'session', concerns: { ...accepted, ...change } }] as const;
      const changed = resolveConfiguration(policy, carriers, caller);
      return decide(policy, mapping, changed).shown === shown ? undefined : change;
    }
    for (let index = from; index <= options.length - count; index++) {
      const option = options[index];
      for (const value of option?.values ?? []) {
        const found = search(index + 1, count - 1, { ...change, [option?.name ?? '']: value });
        if (found !== undefined || tries > MAX_TRIES) return found;
      }
    }
    return undefined;
  };
  for (let count = 1; count <= options.length && tries <= MAX_TRIES; count++) {
    const found = search(0, count, {});
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Option {
  readonly name: string;
  readonly values: readonly (string | number | readonly (string | number)[] | null)[];
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
    .sort((a, b) => Number(same(a)) - Number(same(b)) || distance(a, present) - distance(b, present))
    .map((candidate) => candidate.map((number) => fromNumber(policy, index, number)));
  const asked = words.map((each) => (multiple ? each : (each[0] ?? null)));
  return now === undefined && concern.default === undefined ? asked : [...asked, null];
}

/** How far one choice is from another: first by the values that are only in one of them, then by the order of values. */
function distance(one: readonly number[], other: readonly number[]): number {
  const [a = 0] = one;
  const [b = 0] = other;
  if (one.length <= 1 && other.length <= 1) return Math.abs(a - b);
  const only = (left: readonly number[], right: readonly number[]) =>
    left.filter((each) => !right.includes(each)).length;
  return only(one, other) + only(other, one);
}

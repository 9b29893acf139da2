import { type Caller, type Configuration, describeAccepted, resolveConfiguration } from './configuration.js';
import { decide } from './evaluate.js';
import { fromNumber, type Mapping } from './mapping.js';
import type { Concern, Policy } from './policy.js';

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
  const options = policy.concerns.flatMap((concern, index) => {
    const read = policy.rules.some(({ paths }) => paths.includes(`concerns.${concern.name}`));
    const matters = concern.setBy === 'host' && (read || mapping.offers[index] !== undefined);
    return matters
      ? [{ name: concern.name, values: alternatives(policy, concern, index, mapping, configuration) }]
      : [];
  });

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

/** Other values of a concern, nearest first, and last none at all. */
function alternatives(
  policy: Policy,
  { values, multiple }: Concern,
  index: number,
  { offers }: Mapping,
  { effective }: Configuration,
): (string | number | readonly (string | number)[] | null)[] {
  const now = effective[index];
  const present = typeof now === 'object' ? now : typeof now === 'number' ? [now] : [];
  const numbers =
    'min' in values ? [...(offers[index]?.offered ?? []), values.min, values.max] : values.map((_, at) => at);
  const [first = 0] = present;
  const other = [...new Set(numbers)]
    .filter((number) => !(present.length === 1 && number === first))
    .sort((a, b) => Math.abs(a - first) - Math.abs(b - first) || a - b)
    .map((number) => fromNumber(policy, index, number));
  const asked = multiple ? other.map((value) => [value]) : other;
  return now === undefined ? asked : [...asked, null];
}

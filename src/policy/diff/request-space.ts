import { combinations, cutRange } from '../../analysis/space.js';
import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import type { Mapping } from '../../engine/mapping.js';
import { fromNumber } from '../../engine/mapping.js';
import type { Concern, Policy } from '../../engine/policy.js';

/** One value that a host can ask for, an operator can claim, or a fact can have. */
export interface Choice {
  /** As people write it; nothing for what is not asked for, not claimed, not so. */
  readonly text?: string;
  /** As it is sent; null asks for none, also against a default. */
  readonly value?: unknown;
}

/** One thing in which configurations differ. */
export interface AskedDimension {
  readonly by: 'host' | 'claim' | 'fact' | 'spoken';
  /** The concern; of a fact what it says. */
  readonly name: string;
  /** The key under which the choice is sent. */
  readonly key: string;
  readonly choices: readonly Choice[];
  /** Numbers in their order, with one between each two where something can change. */
  readonly range?: readonly number[];
}

/** @returns in how many ways a dimension can be chosen */
export const sizeOf = ({ choices }: AskedDimension): number => choices.length;

/** @returns how many combinations of choices there are */
export const productOf = (dimensions: readonly AskedDimension[]): number =>
  dimensions.reduce((product, dimension) => product * sizeOf(dimension), 1);

/** A configuration under each of two policies. */
export type Pair = readonly [before: Configuration, after: Configuration];

/**
 * All that hosts can ask for and callers can be, as far as two policies know the words: the union of their concerns and
 * values. What one of them does not know is to that one as if it was not asked for.
 *
 * @param policies the two policies
 * @param facts what rules read of a caller, see `CallerFacts`
 * @param mappings what each of them says of the primitives
 * @returns a dimension for each concern and fact
 */
export function askedDimensions(
  policies: readonly [Policy, Policy],
  facts: ReadonlyMap<string, string>,
  mappings: readonly [readonly Mapping[], readonly Mapping[]],
): AskedDimension[] {
  const [before, after] = policies;
  const names = [...new Set([...after.indexOf.keys(), ...before.indexOf.keys()])];
  const dimensions = names.flatMap((name): AskedDimension[] => {
    const both = policies.map((policy) => policy.concerns[policy.indexOf.get(name) ?? -1]);
    const range = rangeOf(name, policies, mappings);
    const values = range ?? wordsOf(name, policies);
    const choices = values.map((value) => ({ text: [value].flat().join('+'), value }));
    const found: AskedDimension[] = [];
    const numbers = range === undefined ? {} : { range };
    if (both.some((concern) => concern?.setBy === 'host')) {
      found.push({
        by: 'host',
        name,
        key: name,
        choices: [{}, ...choices, ...none(policies, name)],
        ...numbers,
      });
    }
    for (const claim of new Set(both.flatMap((concern) => concern?.claim ?? []))) {
      found.push({ by: 'claim', name, key: claim, choices: [...unclaimed(both), ...choices], ...numbers });
    }
    return found;
  });
  for (const [claim, text] of facts) {
    dimensions.push({
      by: 'fact',
      name: text,
      key: claim,
      choices: [{ value: false }, { text: 'true', value: true }],
    });
  }
  return dimensions;
}

/** Asking for none is another case than not asking where a default may apply. */
function none(policies: readonly Policy[], name: string): Choice[] {
  const usual = policies.some(
    ({ concerns, indexOf, settings }) =>
      settings.defaults !== 'never' && concerns[indexOf.get(name) ?? -1]?.default !== undefined,
  );
  return usual ? [{ text: 'null', value: null }] : [];
}

/** Who claims nothing has the default: no case of its own where both policies have the same. */
function unclaimed([before, after]: readonly (Concern | undefined)[]): Choice[] {
  const same = before?.default !== undefined && before.default === after?.default;
  return same ? [] : [{}];
}

function wordsOf(name: string, policies: readonly Policy[]): readonly unknown[] {
  const words = new Map<string, unknown>();
  for (const policy of [...policies].reverse()) {
    const index = policy.indexOf.get(name) ?? -1;
    const concern = policy.concerns[index];
    if (concern === undefined || 'min' in concern.values) continue;
    const values = concern.multiple
      ? combinations(policy, concern).map((set) => set.map((each) => fromNumber(policy, index, each)))
      : concern.values;
    for (const value of values) words.set([value].flat().join('+'), value);
  }
  return [...words.values()];
}

/** Numbers where something can change in one of the policies, and one between each two. */
function rangeOf(
  name: string,
  policies: readonly Policy[],
  mappings: readonly (readonly Mapping[])[],
): readonly number[] | undefined {
  const marks = new Set<number>();
  policies.forEach((policy, at) => {
    const index = policy.indexOf.get(name) ?? -1;
    const { values = [], default: usual } = policy.concerns[index] ?? {};
    if (!('min' in values)) return;
    const own = mappings[at] ?? [];
    const read = policy.rules.some(({ paths }) => paths.includes(`concerns.${name}`));
    marks.add(values.min).add(values.max);
    if (typeof usual === 'number') marks.add(usual);
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
 * @param policies the two policies
 * @param chosen dimensions, each with the choice that is made; all others are not asked for
 * @returns what is in effect under each policy
 */
export function configurePair(
  policies: readonly [Policy, Policy],
  chosen: readonly (readonly [AskedDimension, Choice | undefined])[],
): Pair {
  const concerns: [string, unknown][] = [];
  const claims = new Map<string, unknown>();
  for (const [{ by, key }, choice] of chosen) {
    if (choice?.value === undefined) continue;
    if (by === 'host' || by === 'spoken') concerns.push([key, choice.value]);
    else claims.set(key, choice.value);
  }
  // What a session holds is taken as far as a policy knows it, and never refused.
  const carriers = [{ from: 'session', concerns: Object.fromEntries(concerns) }] as const;
  const [before, after] = policies;
  return [
    resolveConfiguration(before, carriers, { claims }),
    resolveConfiguration(after, carriers, { claims }),
  ];
}

import type { Policy } from '../../engine/policy.js';
import type { Paired } from './pairs.js';
import type { Relevance } from './relevance.js';
import { type AskedDimension, productOf } from './request-space.js';

/** Primitives that nothing tells apart: what happens to one of them happens to all. */
export interface PairClass {
  readonly members: readonly Paired[];
  readonly first: Paired;
  /** What is tried in all combinations. */
  readonly dimensions: readonly AskedDimension[];
  /** What hides it as it always did. */
  readonly untouched: readonly AskedDimension[];
}

/** Combinations of choices that are tried for one class of primitives, or for all that changed. */
export const MAX_COMBINATIONS = 20_000;

/**
 * @param policies the two policies
 * @param pairs all primitives
 * @param relevance what matters for them
 * @param gaps gets what cannot be tried, one sentence each
 * @returns the classes of the primitives
 */
export function classesOf(
  policies: readonly [Policy, Policy],
  pairs: readonly Paired[],
  relevance: Relevance,
  gaps: Set<string>,
): PairClass[] {
  const classes = new Map<string, [first: Paired, ...more: Paired[]]>();
  for (const pair of pairs) {
    const key = classKey(pair);
    const members = classes.get(key);
    if (members === undefined) classes.set(key, [pair]);
    else members.push(pair);
  }
  return [...classes.values()].map((members) => {
    const [first] = members;
    const relevant = relevance.dimensions.filter((dimension) => relevance.isRelevant(first, dimension));
    const showing = policies.some(({ rules }) =>
      rules.some(({ effect, kinds }) => effect === 'show' && kinds.includes(first.kind)),
    );
    // What hides it before and after alike changes nothing while nobody asks for it.
    const untouched = relevant.filter(
      (dimension) =>
        dimension.by === 'host' &&
        !showing &&
        relevance.isUntouched(first, dimension) &&
        !relevance.hasDefault(dimension),
    );
    const tried = relevant.filter((dimension) => !untouched.includes(dimension));
    const spoken = relevance.spokenDimension(first, tried);
    const dimensions = spoken === undefined ? tried : [...tried, spoken];
    const left: string[] = [];
    while (productOf(dimensions) > MAX_COMBINATIONS) left.unshift(dimensions.pop()?.name ?? '');
    if (left.length > 0) {
      const what = left.length === 1 ? `${left[0]} was` : `${left.join(', ')} were`;
      gaps.add(`There are too many combinations for ${first.name}: ${what} taken as not asked for.`);
    }
    return { members, first, dimensions, untouched };
  });
}

function classKey({ kind, mappings }: Paired): string {
  return JSON.stringify([
    kind,
    ...mappings.map(
      (mapping) =>
        mapping && [mapping.mapped, mapping.offers.map((offer) => offer?.offered ?? null), mapping.slots],
    ),
  ]);
}

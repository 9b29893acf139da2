import type { Policy } from '../../engine/policy.js';
import { groupBy } from '../language/group-by.js';
import type { PrimitivePair } from './primitive-pairs.js';
import type { Relevance } from './relevance.js';
import { productOf, type RequestDimension } from './request-space.js';

/** Primitives that both policies treat alike: if one of them changes in a configuration, all of them do. */
export interface PairClass {
  readonly members: readonly PrimitivePair[];
  /** The member that represents the class. */
  readonly first: PrimitivePair;
  /** The dimensions that are tried in all combinations. */
  readonly dimensions: readonly RequestDimension[];
  /** The dimensions that hide the primitives in the same way before and after. They are not tried. */
  readonly unchanged: readonly RequestDimension[];
}

/** At most this many combinations of choices are tried, for one class of primitives or for all changes together. */
export const MAX_COMBINATIONS = 20_000;

/**
 * Groups primitives into classes, and chooses the dimensions to try for each class.
 *
 * @param policies the old and the new policy
 * @param pairs all primitives
 * @param relevance tells which dimensions make a difference to a primitive
 * @param gaps receives one sentence for each class with dimensions that cannot be tried
 * @returns the classes, in the order of their first members
 */
export function classesOf(
  policies: readonly [Policy, Policy],
  pairs: readonly PrimitivePair[],
  relevance: Relevance,
  gaps: Set<string>,
): PairClass[] {
  return [...groupBy(pairs, classKey).values()].map((members) => {
    const [first] = members;
    const relevant = relevance.dimensions.filter((dimension) => relevance.isRelevant(first, dimension));
    const hasShowRules = policies.some(({ rules }) =>
      rules.some(({ effect, kinds }) => effect === 'show' && kinds.includes(first.kind)),
    );
    // A dimension that hides the primitive alike before and after cannot cause a change, so it is not tried.
    const unchanged = relevant.filter(
      (dimension) =>
        dimension.type === 'host' &&
        !hasShowRules &&
        relevance.isUnchanged(first, dimension) &&
        !relevance.hasDefault(dimension),
    );
    const tried = relevant.filter((dimension) => !unchanged.includes(dimension));
    const other = relevance.otherConcernDimension(first, tried);
    const dimensions = other === undefined ? tried : [...tried, other];
    const dropped: string[] = [];
    while (productOf(dimensions) > MAX_COMBINATIONS) dropped.unshift(dimensions.pop()?.name ?? '');
    if (dropped.length > 0) {
      const subject = dropped.length === 1 ? `${dropped[0]} was` : `${dropped.join(', ')} were`;
      gaps.add(`There are too many combinations for ${first.name}: ${subject} treated as not requested.`);
    }
    return { members, first, dimensions, unchanged };
  });
}

function classKey({ kind, mappings }: PrimitivePair): string {
  return JSON.stringify([
    kind,
    ...mappings.map(
      (mapping) =>
        mapping && [
          mapping.mapped,
          mapping.change ?? null,
          mapping.offers.map((offer) => offer?.offered ?? null),
          mapping.slots,
        ],
    ),
  ]);
}

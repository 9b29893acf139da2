import { identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { mapListed } from '../../engine/pins.js';
import { KINDS } from '../../engine/policy.js';
import { usePrimitives } from '../../engine/uses/use-primitives.js';
import { groupBy } from '../../once.js';
import type { PrimitivePair } from './change.js';
import { hasDefault, isRelevant, isUnchanged } from './relevance.js';
import { concernOf, type Policies, productOf, type RequestDimension } from './request-space.js';

/** Primitives that both policies treat alike: if one of them changes in a configuration, all of them do. */
export interface PairClass {
  readonly members: readonly PrimitivePair[];
  /** The member that represents the class. */
  readonly first: PrimitivePair;
  /** The dimensions that are tried in all combinations. */
  readonly dimensions: readonly RequestDimension[];
  /** The dimensions that hide the primitives in the same way before and after. They are not tried. */
  readonly unchanged: readonly RequestDimension[];
  /** Whether all combinations that can make a difference are tried. */
  readonly isWhole: boolean;
}

/** At most this many combinations of choices are tried, for one class of primitives or for all changes together. */
export const MAX_COMBINATIONS = 20_000;

/**
 * Pairs the primitives of two catalogs by kind and name, and maps each with the policy of its side.
 *
 * @param policies the old and the new policy
 * @param before the old catalog
 * @param after the new catalog
 * @returns one pair for every primitive of either catalog, those of the new catalog first within each kind
 */
export function primitivePairsOf(
  policies: Policies,
  before: ServerCatalog,
  after: ServerCatalog,
): PrimitivePair[] {
  return KINDS.flatMap((kind) => {
    const byName = (list: readonly Primitive[] = []) =>
      new Map(list.map((primitive) => [identityOf(kind, primitive), primitive]));
    // A use that only one policy tells apart is one of the other, too.
    const withUses = (list: readonly Primitive[] = []) =>
      kind === 'tools'
        ? list.flatMap((tool) => [tool, ...policies.flatMap((policy) => usePrimitives(policy, tool))])
        : list;
    const [old, now] = [byName(withUses(before[kind])), byName(withUses(after[kind]))];
    return [...new Set([...now.keys(), ...old.keys()])].map((name) => {
      const pair = [old.get(name), now.get(name)] as const;
      const map = (at: 0 | 1) =>
        pair[at] === undefined ? undefined : mapListed(policies[at], kind, pair[at]);
      return { kind, name, before: pair[0], after: pair[1], mappings: [map(0), map(1)] as const };
    });
  });
}

/**
 * Groups primitives into classes, and chooses the dimensions to try for each class.
 *
 * @param policies the old and the new policy
 * @param pairs all primitives
 * @param all all dimensions of the request space
 * @param gaps receives one sentence for each class with dimensions that cannot be tried
 * @returns the classes, in the order of their first members
 */
export function classesOf(
  policies: Policies,
  pairs: readonly PrimitivePair[],
  all: readonly RequestDimension[],
  gaps: Set<string>,
): PairClass[] {
  return [...groupBy(pairs, classKey).values()].map((members) => {
    const [first] = members;
    const relevant = all.filter((dimension) => isRelevant(policies, first, dimension));
    const hasShowRules = policies.some(({ rules }) =>
      rules.some(({ effect, kinds }) => effect === 'show' && kinds.includes(first.kind)),
    );
    // A dimension that hides the primitive alike before and after cannot cause a change, so it is not tried.
    const unchanged = relevant.filter(
      (dimension) =>
        dimension.type === 'host' &&
        !hasShowRules &&
        isUnchanged(policies, first, dimension) &&
        !policies.some((policy) => hasDefault(policy, dimension)),
    );
    const tried = relevant.filter((dimension) => !unchanged.includes(dimension));
    const dimensions = [...tried, ...otherConcern(policies, tried, all)];
    const dropped: string[] = [];
    while (productOf(dimensions) > MAX_COMBINATIONS) dropped.unshift(dimensions.pop()?.name ?? '');
    if (dropped.length > 0) {
      const subject = dropped.length === 1 ? `${dropped[0]} was` : `${dropped.join(', ')} were`;
      gaps.add(`There are too many combinations for ${first.name}: ${subject} treated as not requested.`);
    }
    return { members, first, dimensions, unchanged, isWhole: dropped.length === 0 };
  });
}

/**
 * With `defaults: aware`, defaults apply as soon as a host requests any concern. This returns a dimension for "the host
 * requests a concern that is not tried", if that makes a difference.
 */
function otherConcern(
  policies: Policies,
  tried: readonly RequestDimension[],
  all: readonly RequestDimension[],
): RequestDimension[] {
  const isAware = policies.some(
    (policy) =>
      policy.settings.defaults === 'aware' &&
      tried.some((dimension) => dimension.type === 'host' && hasDefault(policy, dimension)),
  );
  const other = all.find(
    (each) =>
      each.type === 'host' &&
      !tried.includes(each) &&
      policies.every((policy) => concernOf(policy, each.name)?.setBy === 'host'),
  );
  if (!isAware || other === undefined) return [];
  // Without a key: whatever is requested, it has the same effect.
  const choices = [{}, { text: 'else', value: true }];
  return [{ type: 'other-concern', name: other.name, key: '', choices }];
}

function classKey({ kind, name, mappings }: PrimitivePair): string {
  // What is left of the arguments of a tool is its own.
  const isOwn = mappings.some(
    (mapping) => mapping?.alternatives !== undefined || mapping?.tool !== undefined,
  );
  return JSON.stringify([
    kind,
    isOwn ? name : null,
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

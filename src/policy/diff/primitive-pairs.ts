import { identityOf, type Mapping, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { mapListed } from '../../engine/pins.js';
import { KINDS, type Policy } from '../../engine/policy.js';
import type { Changed } from './change.js';

/**
 * One primitive on both sides of a comparison, with the values that each policy gives it. A side is `undefined` if its
 * server does not list the primitive.
 */
export interface PrimitivePair extends Changed {
  readonly mappings: readonly [before: Mapping | undefined, after: Mapping | undefined];
}

/**
 * Pairs the primitives of two catalogs by kind and name, and maps each with the policy of its side.
 *
 * @param policies the old and the new policy
 * @param before the old catalog
 * @param after the new catalog
 * @returns one pair for every primitive of either catalog, those of the new catalog first within each kind
 */
export function primitivePairsOf(
  policies: readonly [Policy, Policy],
  before: ServerCatalog,
  after: ServerCatalog,
): PrimitivePair[] {
  return KINDS.flatMap((kind) => {
    const byName = (list: readonly Primitive[] = []) =>
      new Map(list.map((primitive) => [identityOf(kind, primitive), primitive]));
    const [old, now] = [byName(before[kind]), byName(after[kind])];
    return [...new Set([...now.keys(), ...old.keys()])].map((name) => {
      const pair = [old.get(name), now.get(name)] as const;
      const map = (at: 0 | 1) =>
        pair[at] === undefined ? undefined : mapListed(policies[at], kind, pair[at]);
      return { kind, name, before: pair[0], after: pair[1], mappings: [map(0), map(1)] as const };
    });
  });
}

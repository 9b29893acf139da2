import type { ServerCatalog } from '../../engine/mapping.js';
import { identityOf, type Mapping, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Policy } from '../../engine/policy.js';
import type { Changed } from './change.js';

/** A primitive with what each policy says of it. */
export interface Paired extends Changed {
  readonly mappings: readonly [Mapping | undefined, Mapping | undefined];
}

/**
 * @param policies the two policies
 * @param old what the server had
 * @param now what it has
 * @returns every primitive of either, with what each policy says of it
 */
export function pairsOf(
  policies: readonly [Policy, Policy],
  old: ServerCatalog,
  now: ServerCatalog,
): Paired[] {
  return KINDS.flatMap((kind) => {
    const index = (list: readonly Primitive[] = []) =>
      new Map(list.map((primitive) => [identityOf(kind, primitive), primitive]));
    const [before, after] = [index(old[kind]), index(now[kind])];
    return [...new Set([...after.keys(), ...before.keys()])].map((name) => {
      const pair = [before.get(name), after.get(name)] as const;
      const map = (at: 0 | 1) =>
        pair[at] === undefined ? undefined : mapPrimitive(policies[at], kind, pair[at]);
      return { kind, name, before: pair[0], after: pair[1], mappings: [map(0), map(1)] as const };
    });
  });
}

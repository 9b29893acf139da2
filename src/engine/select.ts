import type { Configuration } from './configuration.js';
import { decide } from './evaluate.js';
import { countHidden, type HiddenCounts } from './hidden.js';
import { LruMap } from './lru-map.js';
import { type Mapping, mapPrimitive, type Primitive } from './mapping.js';
import type { Kind, Policy } from './policy.js';

/** What stays of a list under a configuration. */
export interface Selection<T> {
  /** In the order of the list. */
  readonly kept: readonly T[];
  readonly total: number;
  /** Why the others are hidden; the counts add up to them. */
  readonly hidden: HiddenCounts;
}

/** A list of primitives bound to a policy: everything that does not depend on a configuration is done. */
export interface Catalog<T extends Primitive> {
  readonly policy: Policy;
  readonly kind: Kind;
  readonly items: readonly T[];
  /** For each item the number of its class: items of one class have equal values, so they share every verdict. */
  readonly classOf: readonly number[];
  readonly classes: readonly Mapping[];
  /** Values in `_meta.concerns` of items that the policy does not declare, a few of them. */
  readonly unknown: readonly string[];
  readonly memo: LruMap<Selection<T>>;
}

/** Selections kept per catalog, and references kept in all of them: a host that sends ever new configurations costs no more. */
const MEMO = { entries: 256, references: 200_000 };
const MAX_UNKNOWN = 10;

/**
 * Binds a list to a policy. Do it once for a list, `select` from it as often as configurations come.
 *
 * @param policy the policy
 * @param kind what the list holds
 * @param items the list, as the server gives it
 * @returns the bound list
 * @example
 * select(bindCatalog(policy, 'tools', tools), configuration).kept;
 */
export function bindCatalog<T extends Primitive>(
  policy: Policy,
  kind: Kind,
  items: readonly T[],
): Catalog<T> {
  const classOf: number[] = [];
  const classes: Mapping[] = [];
  const unknown: string[] = [];
  const known = new Map<string, number>();
  for (const item of items) {
    const mapping = mapPrimitive(policy, kind, item);
    if (unknown.length < MAX_UNKNOWN) unknown.push(...mapping.unknown);
    const key = classKey(mapping);
    let number = known.get(key);
    if (number === undefined) {
      number = classes.push(mapping) - 1;
      known.set(key, number);
    }
    classOf.push(number);
  }
  const memo = new LruMap<Selection<T>>({
    maxEntries: MEMO.entries,
    maxSize: MEMO.references,
    sizeOf: ({ kept }) => kept.length + 1,
  });
  return { policy, kind, items, classOf, classes, unknown: unknown.slice(0, MAX_UNKNOWN), memo };
}

/**
 * Selects what a configuration shows. The verdict is found once for each class, not for each primitive, and the
 * selection is kept for the next request with the same configuration.
 *
 * @param catalog a bound list
 * @param configuration what is in effect
 * @returns what stays, in the order of the list
 * @example
 * select(catalog, resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'high' } }])).kept;
 */
export function select<T extends Primitive>(catalog: Catalog<T>, configuration: Configuration): Selection<T> {
  const remembered = catalog.memo.get(configuration.key);
  if (remembered !== undefined) return remembered;

  const { policy, items, classOf, classes } = catalog;
  const decisions = classes.map((mapping) => decide(policy, mapping, configuration));
  const isShown = decisions.map(({ effect }) => effect === 'show');
  const sizes: number[] = new Array(classes.length).fill(0);
  const kept: T[] = [];
  for (let index = 0; index < items.length; index++) {
    const number = classOf[index] as number;
    if (isShown[number] === true) kept.push(items[index] as T);
    else sizes[number] = (sizes[number] ?? 0) + 1;
  }

  const selection = { kept, total: items.length, hidden: countHidden(policy, decisions, sizes) };
  catalog.memo.set(configuration.key, selection);
  return selection;
}

function classKey({ mapped, offers, slots }: Mapping): string {
  let key = String(mapped);
  for (const offer of offers) key += offer === undefined ? ';' : `${offer.offered.join()};`;
  return slots.length === 0 ? key : key + JSON.stringify(slots);
}

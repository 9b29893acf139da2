import QuickLRU from 'quick-lru';
import { configurationFor } from './added-tools.js';
import { type Classes, classify } from './classify.js';
import type { Configuration } from './configuration.js';
import { decide, type IndexedDecision } from './evaluate.js';
import { countHidden, type HiddenCounts } from './hidden.js';
import { itemAt } from './item-at.js';
import { identityOf, type Primitive } from './mapping.js';
import type { Kind, Policy } from './policy.js';
import { present, weakerHints } from './present.js';
import { ONE_SERVER } from './servers/outside-names.js';
import { remainingOf, type ToolRemaining } from './uses/remaining.js';
import type { ToolUses } from './uses/tool-uses.js';

/** The part of a list that a configuration shows. */
export interface Selection<T> {
  /** The primitives that are shown, in the order of the list. */
  readonly kept: readonly T[];
  /** What is left of tools of which not every call is left. */
  readonly narrowed: ReadonlyMap<T, NarrowedTool>;
  readonly total: number;
  /** Why the other primitives are hidden. The counts add up to their number. */
  readonly hidden: HiddenCounts;
}

/** A list of primitives bound to a policy: everything that does not depend on a configuration is precomputed. */
export interface Catalog<T extends Primitive> extends Classes {
  readonly policy: Policy;
  readonly kind: Kind;
  readonly items: readonly T[];
  /** The servers whose names the items have; none if there is one server, whose names are its own. */
  readonly servers: ReadonlySet<string>;
  /** Not the type of QuickLRU, which does not compile in projects without `skipLibCheck`. */
  readonly memo: Pick<Map<string, Selection<T>>, 'size' | 'get' | 'set' | 'clear'>;
  /** The tools with a hint that the policy must not present, see `weakerHints`. */
  readonly weakened: readonly string[];
}

/** Bounds the remembered selections of a catalog, and the items in all of them, however many configurations a host sends. */
const MEMO = { entries: 256, references: 200_000 };

/**
 * Binds a list to a policy. Bind each list once, then call `select` for each configuration.
 *
 * @param policy the policy
 * @param kind the kind of primitives in the list
 * @param items the list, as the server returns it
 * @param servers the names of several servers; none for a single one
 * @returns the bound list
 * @example
 * select(bindCatalog(policy, 'tools', tools), configuration).kept;
 */
export function bindCatalog<T extends Primitive>(
  policy: Policy,
  kind: Kind,
  items: readonly T[],
  servers: ReadonlySet<string> = ONE_SERVER,
): Catalog<T> {
  const entries = Math.min(MEMO.entries, MEMO.references / (items.length + 1));
  // QuickLRU keeps up to twice `maxSize` entries. With one entry, it would move the entry each time it is read.
  const memo = new QuickLRU<string, Selection<T>>({ maxSize: Math.max(2, Math.floor(entries / 2)) });
  const classes = classify(policy, kind, items);
  const bound = { policy, kind, items, servers, ...classes, memo, weakened: [] };
  if (policy.presented.size === 0 || kind !== 'tools') return bound;
  const weakened = items
    .filter((item) => weakerHints(item, policy.presented.get(identityOf(kind, item)) ?? {}).length > 0)
    .map((item) => identityOf(kind, item));
  // Decided by what the server lists, and shown as the policy presents it.
  return { ...bound, items: items.map((item) => present(policy, kind, item)), weakened };
}

/**
 * Selects what a configuration shows. It decides once per class instead of once per primitive, and remembers the
 * selection for the next request with the same configuration.
 *
 * @param catalog a bound list
 * @param configuration the values in effect, see `resolveConfiguration`
 * @returns the primitives that are shown, in the order of the list
 * @throws {RangeError} if the list is bound to another policy than the configuration belongs to
 * @example
 * select(catalog, resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'high' } }])).kept;
 */
export function select<T extends Primitive>(catalog: Catalog<T>, configuration: Configuration): Selection<T> {
  requireSamePolicy(catalog, configuration);
  const remembered = catalog.memo.get(configuration.key);
  if (remembered !== undefined) return remembered;

  const { kind, items, classOf, classes, uses } = catalog;
  const narrowed = new Map<T, NarrowedTool>();
  const isAnySwitched = configuration.added !== undefined || configuration.switched !== undefined;
  const decisions = classes.map((mapping) => decide(mapping, configuration));
  const sizes: number[] = new Array(classes.length).fill(0);
  const kept: T[] = [];
  // An indexed loop is faster here than `for ... of`, and it runs for every new configuration.
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (item === undefined) continue;
    let number = classOf[index] ?? 0;
    const own = isAnySwitched ? configurationFor(configuration, kind, identityOf(kind, item)) : configuration;
    if (own !== configuration) {
      // A tool that was switched by itself is a class of its own.
      number = decisions.push(decide(itemAt(classes, number), own)) - 1;
      sizes.push(0);
    }
    if (decisions[number]?.effect !== 'show') {
      sizes[number] = (sizes[number] ?? 0) + 1;
      continue;
    }
    kept.push(item);
    const ofTool = uses[index];
    if (ofTool === undefined) continue;
    const left = remainingOf(ofTool, configuration);
    if (!left.isSame) narrowed.set(item, { uses: ofTool, left });
  }

  const selection = {
    kept,
    narrowed,
    total: items.length,
    hidden: countHidden(decisions, configuration, sizes),
  };
  catalog.memo.set(configuration.key, selection);
  return selection;
}

/**
 * Decides about one item of a bound list.
 *
 * @param catalog a bound list
 * @param position the position of the item in the list
 * @param configuration the values in effect, see `resolveConfiguration`
 * @returns the decision that `select` makes about the item
 * @throws {RangeError} if the list is bound to another policy than the configuration belongs to, or has no such item
 * @example
 * decideItem(catalog, 0, configuration).effect; // 'show'
 */
export function decideItem(
  catalog: Catalog<Primitive>,
  position: number,
  configuration: Configuration,
): IndexedDecision {
  requireSamePolicy(catalog, configuration);
  const { kind, items, classes, classOf } = catalog;
  const own = configurationFor(configuration, kind, identityOf(kind, items[position] ?? {}));
  return decide(itemAt(classes, itemAt(classOf, position)), own);
}

/** What is left of a tool, and what the policy says about its arguments. */
export interface NarrowedTool {
  readonly uses: ToolUses;
  readonly left: ToolRemaining;
}

/** Returns a text that is the same for lists that look the same. */
export const listText = ({ kept, narrowed }: Selection<Primitive>): string =>
  JSON.stringify(narrowed.size === 0 ? kept : kept.map((item) => [item, textOf(narrowed.get(item))]));

/** Returns whether two selections of one list look the same. */
export const looksSame = (old: Selection<Primitive>, now: Selection<Primitive>): boolean =>
  old.kept.length === now.kept.length &&
  old.kept.every((item, position) => item === now.kept[position]) &&
  [...old.narrowed.keys(), ...now.narrowed.keys()].every(
    (item) => textOf(old.narrowed.get(item)) === textOf(now.narrowed.get(item)),
  );

const textOf = (found: NarrowedTool | undefined): string | undefined => found && partsText(found);

/** Returns a text that is the same where the same is left of a tool. */
export const partsText = ({ left }: NarrowedTool): string =>
  JSON.stringify(
    left.parts.map(({ values, canBeAbsent, fill }) => [values, canBeAbsent, fill !== undefined]),
  );

/** Concerns and values are numbers, which mean something else in another policy. */
function requireSamePolicy({ policy }: Catalog<Primitive>, configuration: Configuration): void {
  if (policy === configuration.policy) return;
  throw new RangeError('The list is bound to another policy than the configuration belongs to.');
}

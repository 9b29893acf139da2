import { isForPages, isNamed, ownersOf } from './companions.js';
import { SlotFiller } from './expression/slots.js';
import {
  collectOffers,
  identityOf,
  type Mapping,
  ownConcerns,
  type Primitive,
  partsFor,
  readable,
} from './mapping.js';
import type { Kind, Policy } from './policy.js';
import { Sequence } from './sequence.js';

/** The classes of a list: items of one class have equal values, so they share every decision. */
export interface Classes {
  /** For each item the index of its class. */
  readonly classOf: readonly number[];
  readonly classes: readonly Mapping[];
  /** The first few values in the items' `_meta.concerns` that the policy does not declare. */
  readonly unknown: readonly string[];
}

const MAX_UNKNOWN = 10;

type Offers = ReturnType<typeof collectOffers>;

/**
 * Divides a list into classes. Values are collected once for each combination of parts of the policy that give them, and
 * not once per item.
 *
 * @param policy the policy
 * @param kind the kind of primitives in the list
 * @param items the list, as the server returns it
 * @returns its classes
 * @example
 * classify(policy, 'tools', tools).classes.length;
 */
export function classify(policy: Policy, kind: Kind, items: readonly Primitive[]): Classes {
  const classOf: number[] = [];
  const classes: Mapping[] = [];
  const undeclared: string[] = [];
  const byParts = new Sequence<Offers>();
  const byValues = new Map<string, Offers>();
  const filler = new SlotFiller(policy.slots, () => new Sequence<number>());
  for (const item of items) {
    const data = readable(policy, kind, item);
    const parts = partsFor(policy, kind, item, data);
    // Values of the item's own are an object that no other item has, so they are always read.
    let given = byParts.follow(ownConcerns(item._meta));
    for (const { number } of parts) given = given.follow(number);
    if (given.end === undefined) {
      const offers = collectOffers(policy, item, parts);
      if (undeclared.length < MAX_UNKNOWN) undeclared.push(...offers.unknown);
      const values = textOf(offers);
      given.end = byValues.get(values) ?? offers;
      if (given.end === offers) byValues.set(values, offers);
    }
    const { slots, rest } = filler.fill(data);
    const found = rest.follow(given.end);
    if (found.end === undefined) {
      const { mapped, offers, unknown } = given.end;
      found.end = classes.push({ kind, mapped, offers, unknown, primitive: data, slots }) - 1;
    }
    classOf.push(found.end);
  }
  if (kind === 'tools') addOwners(policy, items, { classOf, classes });
  return { classOf, classes, unknown: undeclared.slice(0, MAX_UNKNOWN) };
}

/** Gives each tool that only pages can call a class that knows the tools it belongs to, unless the policy names it. */
function addOwners(
  policy: Policy,
  items: readonly Primitive[],
  { classOf, classes }: { readonly classOf: number[]; readonly classes: Mapping[] },
): void {
  items.forEach((item, position) => {
    const own = classes[classOf[position] ?? -1];
    if (own === undefined || !isForPages(item) || isNamed(policy, 'tools', identityOf('tools', item))) return;
    const owners = ownersOf(items, item).flatMap((each) => classes[classOf[each] ?? -1] ?? []);
    if (owners.length > 0) classOf[position] = classes.push({ ...own, owners }) - 1;
  });
}

function textOf({ mapped, offers }: Offers): string {
  return JSON.stringify([mapped, offers.map((offer) => offer?.offered)]);
}

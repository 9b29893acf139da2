import { SlotFiller } from './expression/slot-filler.js';
import {
  type Change,
  collectOffers,
  identityOf,
  type Mapping,
  ownConcerns,
  type Primitive,
  partsFor,
  readable,
} from './mapping.js';
import { changeOf } from './pins.js';
import type { Kind, Policy } from './policy.js';

/** The classes of a list: items of one class have equal values, so they share every decision. */
export interface Classes {
  /** For each item the index of its class. */
  readonly classOf: readonly number[];
  readonly classes: readonly Mapping[];
  /** The first few values in the items' `_meta.concerns` that the policy does not declare. */
  readonly unknown: readonly string[];
  /** The names of the first few items whose definition is not the pinned one. */
  readonly changed: readonly string[];
}

/** For the log: what a server lists has no bound. */
const MAX_NAMED = 10;

/** Items that differ only in this are in different classes. */
const CHANGES: readonly (Change | undefined)[] = [undefined, 'changed', 'new'];

type Offers = ReturnType<typeof collectOffers>;

/** Equal values have the same number, counted from 0. */
interface NumberedOffers {
  readonly number: number;
  readonly values: Offers;
}

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
  const changed: string[] = [];
  const byParts = new Map<string | object, NumberedOffers>();
  const byValues = new Map<string, NumberedOffers>();
  const filler = new SlotFiller<number[]>(policy.slots, () => []);
  for (const item of items) {
    const data = readable(policy, kind, item);
    const parts = partsFor(policy, kind, item, data);
    // Values of the item's own are an object that no other item has, so they are always read.
    const key = ownConcerns(item._meta) ?? parts.map(({ number }) => number).join();
    let given = byParts.get(key);
    if (given === undefined) {
      const offers = collectOffers(policy, item, parts);
      if (undeclared.length < MAX_NAMED) undeclared.push(...offers.unknown);
      const equal = keyOf(offers);
      given = byValues.get(equal) ?? { number: byValues.size, values: offers };
      byValues.set(equal, given);
      byParts.set(key, given);
    }
    const { slots, rest } = filler.fill(data);
    const change = changeOf(policy, kind, item);
    if (change !== undefined && changed.length < MAX_NAMED) changed.push(identityOf(kind, item));
    const { values } = given;
    const number = given.number * CHANGES.length + CHANGES.indexOf(change);
    if (rest[number] === undefined) {
      const { mapped, offers, unknown } = values;
      rest[number] = classes.push({ kind, change, mapped, offers, unknown, primitive: data, slots }) - 1;
    }
    classOf.push(rest[number]);
  }
  return { classOf, classes, unknown: undeclared.slice(0, MAX_NAMED), changed };
}

/** @returns a text that is equal for equal values, without the places where they were written */
function keyOf({ mapped, offers }: Offers): string {
  return `${mapped};${offers.map((offer) => (offer === undefined ? 'none' : offer.offered)).join(';')}`;
}

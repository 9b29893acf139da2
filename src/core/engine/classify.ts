import { getOrMake } from '../once.js';
import {
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
import { withUses } from './uses/map-tool.js';
import { type ArgumentGroups, type ToolUses, usesOf } from './uses/tool-uses.js';

/** The classes of a list: items of one class have equal values, so they share every decision. */
export interface Classes {
  /** For each item the index of its class. */
  readonly classOf: readonly number[];
  readonly classes: readonly Mapping[];
  /** For each tool what the policy says about its arguments. Items without are missing. */
  readonly uses: readonly (ToolUses | undefined)[];
  /** The first few values in the items' `_meta.concerns` that the policy does not declare. */
  readonly unknown: readonly string[];
  /** The names of the first few items whose definition is not the pinned one. */
  readonly changed: readonly string[];
}

/** For the log: what a server lists has no bound. */
const MAX_NAMED = 10;

/** The values that some parts of the policy give, and a number that is equal for equal values. */
interface Given {
  readonly offers: ReturnType<typeof collectOffers>;
  readonly number: number;
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
  const uses: (ToolUses | undefined)[] = [];
  const groups: ArgumentGroups = new Map();
  const undeclared: string[] = [];
  const changed: string[] = [];
  const byParts = new Map<number | string | object, Given>();
  // Of these texts, 200 bytes each for a policy with many concerns, each item's key has only the number.
  const byValues = new Map<string, number>();
  // A text for each of thousands of items takes twice the time of a number.
  const numbers = new Map<number | string, number>();
  for (const item of items) {
    const data = readable(policy, kind, item);
    const parts = partsFor(policy, kind, item, data);
    // Values of the item's own are an object that no other item has, so they are always read.
    const only = parts.length === 1 ? parts[0]?.number : undefined;
    const own = ownConcerns(item._meta) ?? only ?? parts.map(({ number }) => number).join();
    const given = getOrMake(byParts, own, () => {
      const offers = collectOffers(policy, item, parts);
      if (undeclared.length < MAX_NAMED) undeclared.push(...offers.unknown.slice(0, MAX_NAMED));
      return { offers, number: getOrMake(byValues, keyOf(offers), () => byValues.size) };
    });
    const slots = policy.slots.fill(data);
    const change = changeOf(policy, kind, item);
    if (change !== undefined && changed.length < MAX_NAMED) changed.push(identityOf(kind, item));
    const texts = slots.map((each) => textOf(each, `item ${classOf.length}`));
    const isPlain = change === undefined && texts.length === 0;
    const key = isPlain ? given.number : [given.number, change, ...texts].join();
    const ofTool = kind === 'tools' ? usesOf(policy, item, data, groups) : undefined;
    const made = () =>
      classes.push(withUses(ofTool, { kind, change, ...given.offers, primitive: data, slots })) - 1;
    // What is left of the arguments of a tool is its own.
    classOf.push(
      ofTool === undefined || ofTool.arguments.length === 0 ? getOrMake(numbers, key, made) : made(),
    );
    if (ofTool !== undefined) uses[classOf.length - 1] = ofTool;
  }
  return { classOf, classes, uses, unknown: undeclared.slice(0, MAX_NAMED), changed };
}

/** @returns a text that is equal for equal values, without the places where they were written */
function keyOf({ mapped, offers }: Given['offers']): string {
  return `${mapped};${offers.map((offer) => (offer === undefined ? 'none' : offer.offered)).join(';')}`;
}

/** @returns a text that only equal values have; the other one if there is none, for example because the value nests too deeply */
function textOf(value: unknown, other: string): string {
  if (typeof value !== 'object') return typeof value === 'string' ? JSON.stringify(value) : String(value);
  try {
    // JSON has no NaN and no Infinity: without the replacer, they would equal null.
    return JSON.stringify(value, (_name, each) => (isNotFinite(each) ? `\u0000${each}` : each));
  } catch {
    return other;
  }
}

const isNotFinite = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value);

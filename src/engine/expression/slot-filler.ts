import { itemAt } from '../item-at.js';
import { Sequence } from '../sequence.js';
import { type RuleData, readOwn, type Slots } from './evaluate.js';
import { annotationOf, fieldOf, isPlain, type Readable } from './readable.js';
import type { Facts, PartGroup, SlotTable } from './slots.js';

/** The values of all slots, and what the caller keeps for primitives with these values. */
interface Filled<T> {
  readonly slots: Slots;
  readonly rest: T;
}

/** The values of a group's slots. Equal values are the same object and have the same number, counted from 0. */
interface GroupValues {
  readonly number: number;
  readonly values: Slots;
}

/** A group, and what it has found in a list. */
interface FoundGroup extends PartGroup {
  readonly facts: readonly FactNames[] | undefined;
  readonly byFacts: Sequence<GroupValues>;
  readonly byValues: Sequence<GroupValues>;
  count: number;
}

interface FactNames extends Facts {
  /** `inside`, if each is one name that plain objects do not inherit: looking for own properties takes most of the time. */
  readonly names: readonly string[] | undefined;
}

/** Combinations of the values of several groups, by their numbers: an index takes less time than a Map. */
interface Combination<T> {
  readonly longer: (Combination<T> | undefined)[];
  end: Filled<T> | undefined;
}

/**
 * Fills the slots for the primitives of one list. A list has few different annotations and tags, so parts that read only
 * such fields are evaluated once for each different content.
 */
export class SlotFiller<T> {
  private readonly groups: readonly FoundGroup[];
  private readonly known: Combination<T> = { longer: [], end: undefined };

  constructor(
    private readonly table: SlotTable,
    private readonly makeRest: () => T,
  ) {
    // Each property by its name: V8 reads objects that were copied and then extended at half the speed.
    this.groups = table.groups.map((group) => ({
      slots: group.slots,
      parts: group.parts,
      facts: group.facts?.map((facts) => ({
        field: facts.field,
        inside: facts.inside,
        names: uninherited(facts),
      })),
      byFacts: new Sequence(),
      byValues: new Sequence(),
      count: 0,
    }));
  }

  /** @returns the values of all slots for one primitive; primitives with equal values get the same object */
  fill(primitive: Readable): Filled<T> {
    let known = this.known;
    for (let index = 0; index < this.groups.length; index++) {
      const found = valuesOf(itemAt(this.groups, index), primitive);
      const { number } = found;
      let longer = known.longer[number];
      if (longer === undefined) {
        longer = { longer: [], end: undefined };
        known.longer[number] = longer;
      }
      known = longer;
    }
    known.end ??= { slots: this.merge(primitive), rest: this.makeRest() };
    return known.end;
  }

  private merge(primitive: Readable): Slots {
    const all = new Array<unknown>(this.table.parts.length);
    for (let at = 0; at < this.groups.length; at++) {
      const { values } = valuesOf(itemAt(this.groups, at), primitive);
      itemAt(this.groups, at).slots.forEach((slot, index) => {
        all[slot] = values[index];
      });
    }
    return all;
  }
}

function uninherited({ inside }: Facts): string[] | undefined {
  const names = inside.flat();
  const isNames = inside.every(({ length }) => length === 1);
  return isNames && !names.some((name) => name in Object.prototype) ? names : undefined;
}

/** @returns the values of a group's slots for a primitive */
function valuesOf(group: FoundGroup, primitive: Readable): GroupValues {
  if (group.facts === undefined) return evaluateGroup(group, primitive);
  let known = group.byFacts;
  for (let index = 0; index < group.facts.length; index++) {
    known = followFacts(known, itemAt(group.facts, index), primitive);
  }
  known.end ??= evaluateGroup(group, primitive);
  return known.end;
}

function followFacts<T>(
  start: Sequence<T>,
  { field, inside, names }: FactNames,
  primitive: Readable,
): Sequence<T> {
  let known = start;
  const value = fieldOf(primitive, field);
  if (names !== undefined && isPlain(value)) {
    // An indexed loop is faster here than `for ... of`, and it runs for every primitive.
    for (let index = 0; index < names.length; index++) {
      known = known.followContent(annotationOf(value, names[index] ?? ''));
    }
  } else {
    for (const each of inside) known = known.followContent(readInside(value, each));
  }
  return known;
}

function readInside(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) found = readOwn(found, name);
  return found;
}

function evaluateGroup(group: FoundGroup, primitive: Readable): GroupValues {
  const data: RuleData = { primitive };
  let equal = group.byValues;
  for (const evaluate of group.parts) equal = equal.followContent(evaluate(data, NO_SLOTS));
  equal.end ??= {
    number: group.count++,
    values: group.parts.map((evaluate) => evaluate(data, NO_SLOTS)),
  };
  return equal.end;
}

const NO_SLOTS: Slots = [];

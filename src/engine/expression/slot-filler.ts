import type { Slots } from './evaluate.js';
import type { SlotTable } from './slots.js';

/** The values of all slots, and what the caller keeps for primitives with these values. */
interface Filled<T> {
  readonly slots: Slots;
  readonly rest: T;
}

/** Fills the slots for the primitives of one list. Primitives with equal values get the same object. */
export class SlotFiller<T> {
  private readonly known = new Map<unknown, Filled<T>>();

  constructor(
    private readonly table: SlotTable,
    private readonly makeRest: () => T,
  ) {}

  fill(primitive: unknown): Filled<T> {
    const slots = this.table.fill(primitive);
    const key = textOf(slots);
    const filled = this.known.get(key) ?? { slots, rest: this.makeRest() };
    this.known.set(key, filled);
    return filled;
  }
}

/** @returns the JSON of a value; something unique if it cannot be written, for example because it nests too deeply */
function textOf(value: unknown): unknown {
  try {
    // JSON has no NaN: without the replacer, it would equal null.
    return JSON.stringify(value, (_name, each) => (Number.isNaN(each) ? '\u0000NaN' : each));
  } catch {
    return Symbol('not written');
  }
}

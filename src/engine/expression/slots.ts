import type { Evaluate, Slots } from './evaluate.js';

/** The parts of rules that depend only on the primitive. Rules that contain the same part share its slot. */
export class SlotTable {
  private readonly known = new Map<string, number>();
  readonly parts: Evaluate[] = [];

  add(json: unknown, evaluate: Evaluate): number {
    const key = JSON.stringify(json);
    const slot = this.known.get(key) ?? this.parts.push(evaluate) - 1;
    this.known.set(key, slot);
    return slot;
  }

  /** @returns the values of all slots for one primitive */
  fill(primitive: unknown): Slots {
    return this.parts.map((evaluate) => evaluate({ primitive }, []));
  }
}

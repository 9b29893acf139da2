import { getOrMake } from '../../once.js';
import type { Evaluate, Slots } from './evaluate.js';

/** The parts of rules that depend only on the primitive. Rules that contain the same part share its slot. */
export class SlotTable {
  private readonly known = new Map<string, number>();
  readonly parts: Evaluate[] = [];

  add(json: unknown, evaluate: Evaluate): number {
    const key = JSON.stringify(json);
    return getOrMake(this.known, key, () => this.parts.push(evaluate) - 1);
  }

  /** @returns the values of all slots for one primitive */
  fill(primitive: unknown, args?: unknown): Slots {
    return this.parts.map((evaluate) => evaluate({ primitive, arguments: args }, []));
  }
}

import type { Evaluate, RuleData } from './evaluate.js';
import { keysOf } from './expression.js';

/** A part of rules that depends only on the primitive, and the dotted paths that it reads. */
interface SlotPart {
  readonly evaluate: Evaluate;
  readonly paths: readonly string[];
}

/** The parts of rules that depend only on the primitive. Rules that contain the same part share its slot. */
export class SlotTable {
  private readonly known = new Map<string, number>();
  private grouped: readonly PartGroup[] | undefined;
  readonly parts: SlotPart[] = [];

  add(json: unknown, evaluate: Evaluate, paths: readonly string[]): number {
    const key = JSON.stringify(json);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const slot = this.parts.push({ evaluate, paths }) - 1;
    this.known.set(key, slot);
    this.grouped = undefined;
    return slot;
  }

  /** The parts, grouped by the fields that they read. */
  get groups(): readonly PartGroup[] {
    this.grouped ??= groupParts(this.parts);
    return this.grouped;
  }

  /** @returns the values of all slots for one primitive */
  fill(primitive: unknown): unknown[] {
    const data: RuleData = { primitive };
    return this.parts.map(({ evaluate }) => evaluate(data, []));
  }
}

/** Fields that differ between almost all primitives. Grouping primitives by them would only cost time. */
const UNIQUE_FIELDS: ReadonlySet<string> = new Set(['', 'name', 'title', 'uri']);

/** Parts that read the same fields of a primitive, for example only its annotations. */
export interface PartGroup {
  readonly slots: readonly number[];
  readonly parts: readonly Evaluate[];
  /** What the parts read, by field; `undefined` if that includes a unique field. */
  readonly facts: readonly Facts[] | undefined;
}

/** What parts read of one field of a primitive. */
export interface Facts {
  readonly field: string;
  /** The rest of each path, split at its dots. */
  readonly inside: readonly (readonly string[])[];
}

function groupParts(parts: readonly SlotPart[]): PartGroup[] {
  const byFields = new Map<string, number[]>();
  parts.forEach(({ paths }, slot) => {
    const fields = fieldsOf(paths).sort().join();
    byFields.set(fields, [...(byFields.get(fields) ?? []), slot]);
  });
  const groups = [...byFields.values()].map((slots): PartGroup => {
    const own = slots.flatMap((slot) => parts[slot] ?? []);
    const paths = [...new Set(own.flatMap((part) => part.paths))];
    const fields = fieldsOf(paths);
    const isUnique = fields.some((field) => UNIQUE_FIELDS.has(field));
    return {
      slots,
      parts: own.map(({ evaluate }) => evaluate),
      facts: isUnique ? undefined : fields.map((field) => ({ field, inside: insideOf(field, paths) })),
    };
  });
  // Those with the fewest different values first: then fewer combinations begin differently.
  const breadth = ({ facts }: PartGroup) => (facts ?? []).flatMap(({ inside }) => inside).length;
  return groups.sort((a, b) => breadth(a) - breadth(b));
}

const namesOf = (path: string): string[] => keysOf(path).slice(1);

/** @returns the fields that differ between the primitives of one list; the kind does not */
function fieldsOf(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => namesOf(path)[0] ?? ''))].filter((field) => field !== 'kind');
}

function insideOf(field: string, paths: readonly string[]): string[][] {
  return paths.map(namesOf).flatMap(([first, ...inside]) => (first === field ? [inside] : []));
}

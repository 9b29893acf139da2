/**
 * Values are compared as numbers: the position in `values` for a list, the number itself for a range. `at-least` and
 * `at-most` are then the same comparison for both.
 */
export interface Assignment {
  readonly concern: number;
  readonly offered: readonly number[] | 'any';
  readonly source: string;
}

/** A part of a policy that gives values to primitives. */
export interface Values {
  readonly assignments: readonly Assignment[];
  /** Parts with the same number assign the same values. */
  readonly number: number;
  /** False if a primitive with only these values still counts as unmapped. */
  readonly maps?: false | undefined;
}

/** What an entry of a policy says. */
export interface Entry extends Values {
  readonly name: string;
  readonly source: string;
}

import type { Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import type { AskedDimension } from './request-space.js';

/** A primitive, as it was before and as it is after a change; one of them is missing if the server changed. */
export interface Changed {
  readonly kind: Kind;
  readonly name: string;
  readonly before: Primitive | undefined;
  readonly after: Primitive | undefined;
}

/** One dimension of a condition, and the choices of it that are meant. */
export interface Term {
  readonly dimension: AskedDimension;
  readonly choices: ReadonlySet<number>;
}

/** What happens under one condition. */
export interface ChangeGroup {
  /** Any of these; each holds if all of its terms do. One without terms always holds. */
  readonly when: readonly (readonly Term[])[];
  readonly hidden: readonly Changed[];
  readonly shown: readonly Changed[];
  /** Whether each of them changes wherever the condition holds; else values that did not change still apply. */
  readonly exact: boolean;
}

/** How many combinations of what matters see a change. */
export interface Extent {
  readonly affected: number;
  readonly total: number;
  readonly names: readonly string[];
}

import type { Mapping, Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import type { RequestDimension } from './request-space.js';

/** A primitive before and after a change. One of the two is missing if the server gained or lost the primitive. */
export interface Changed {
  readonly kind: Kind;
  readonly name: string;
  readonly before: Primitive | undefined;
  readonly after: Primitive | undefined;
}

/**
 * One primitive on both sides of a comparison, with the values that each policy gives it. A side is `undefined` if its
 * server does not list the primitive.
 */
export interface PrimitivePair extends Changed {
  readonly mappings: readonly [before: Mapping | undefined, after: Mapping | undefined];
}

/** One part of a condition: it holds if the choice in `dimension` is one of `choices`, which are indexes. */
export interface Term {
  readonly dimension: RequestDimension;
  readonly choices: ReadonlySet<number>;
}

/** The primitives that a change hides or shows under one condition. */
export interface ChangeGroup {
  /** The condition holds if all terms of any of these lists hold. An empty list of terms always holds. */
  readonly when: readonly (readonly Term[])[];
  readonly hidden: readonly Changed[];
  readonly shown: readonly Changed[];
  /** Whether every primitive changes wherever the condition holds. If not, unchanged values still decide as well. */
  readonly exact: boolean;
}

/** How many combinations of preferences and claims see a change. */
export interface Extent {
  readonly affected: number;
  readonly total: number;
  /** The names of the dimensions that were combined. */
  readonly names: readonly string[];
}

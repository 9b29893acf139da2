import type { Bounds } from './domain.js';
import type { Scalar } from './use-name.js';

/** What is left of the values of an argument, in a form that a schema can say. */
export type LeftValues =
  | { readonly type: 'all' | 'none' }
  | { readonly type: 'values'; readonly values: readonly Scalar[] }
  | { readonly type: 'texts'; readonly pattern: string; readonly orNull: boolean }
  | ({ readonly type: 'range'; readonly orNull: boolean } & Bounds);

/** What is left of the values of an argument, and whether that is exactly what calls may send. */
export interface Left {
  readonly values: LeftValues;
  /** If not, calls can be refused that the schema allows. */
  readonly isExact: boolean;
}

/** Returns these values as what is left. */
export const someOf = (values: readonly Scalar[]): LeftValues =>
  values.length === 0 ? { type: 'none' } : { type: 'values', values };

import type { ConcernValues } from '../../engine/policy.js';
import type { PolicyDocument } from './schema.js';

/** The declaration of a concern, as the policy file contains it. */
export type ConcernDocument = NonNullable<PolicyDocument['concerns']>[string];

/** A declaration whose values are plain names, or a range. */
export type ConcernDeclaration = Omit<ConcernDocument, 'values'> & {
  readonly values: ConcernValues;
  readonly valueDescriptions: Readonly<Record<string, string>>;
};

/**
 * Separates the names of values from their descriptions.
 *
 * @param concern the declaration, as the policy file contains it
 * @returns the declaration with the names in the order of the file, and the descriptions by name
 * @example
 * declarationOf({ values: [{ stocks: 'Prices of companies' }, 'news'] }).values; // ['stocks', 'news']
 */
export function declarationOf(concern: ConcernDocument): ConcernDeclaration {
  const { values } = concern;
  if (!Array.isArray(values)) return { ...concern, values, valueDescriptions: {} };
  const names = values.map((value) => (typeof value === 'string' ? value : (Object.keys(value)[0] ?? '')));
  const described = values.flatMap((value) => (typeof value === 'string' ? [] : Object.entries(value)));
  return { ...concern, values: names, valueDescriptions: Object.fromEntries(described) };
}

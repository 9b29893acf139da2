import type { Configuration } from '../effective.js';
import { type Domain, isIn } from './domain.js';
import type { PolicyArgument } from './tool-uses.js';
import type { Scalar } from './use-name.js';

/**
 * Returns the values that `bind` leaves of an argument: those that each part of the policy gives that binds it. Claims are often texts
 * where arguments are numbers, so a number and the text that JSON writes for it are the same.
 *
 * @returns `undefined` if nothing binds the argument; no values if what should give them is missing or has another type
 * @example
 * boundValues(argument, configuration); // ['acme']
 */
export function boundValues(
  { bound, domain }: PolicyArgument,
  { data }: Configuration,
): readonly Scalar[] | undefined {
  if (bound.length === 0) return undefined;
  const [first = [], ...rest] = bound.map(({ evaluate }) =>
    [evaluate(data, [])].flat().flatMap((each) => valuesAs(domain, each)),
  );
  return [...new Set(first)].filter((each) => rest.every((values) => values.includes(each)));
}

function valuesAs(domain: Domain, value: unknown): readonly Scalar[] {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
  if (isIn(domain, value)) return [value];
  const other = typeof value === 'number' ? String(value) : Number(value);
  const isSame = typeof value !== 'boolean' && String(other) === String(value) && isIn(domain, other);
  return isSame ? [other] : [];
}

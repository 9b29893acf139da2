import type { Concern } from '../policy.js';
import { ancestorsOf } from './within.js';

/**
 * Lists the preferences that ask for more than the present ones: one value is replaced by a value above it. Parents come
 * before grandparents.
 *
 * @param concern a concern with `match: within`; for any other concern there are no such preferences
 * @param present the values in effect, as positions in `values`
 * @returns sets of values, as positions in `values`
 * @example
 * widenings(topic, [1]); // [[0]] if the values are [finance, finance.stocks]
 */
export function widenings(
  { match, values }: Pick<Concern, 'match' | 'values'>,
  present: readonly number[],
): number[][] {
  if (match !== 'within' || 'min' in values) return [];
  const found: number[][] = [];
  const above = present.map((each) => ancestorsOf(values, each));
  const steps = Math.max(0, ...above.map(({ length }) => length));
  for (let step = 0; step < steps; step++) {
    present.forEach((each, at) => {
      const wider = above[at]?.[step];
      if (wider === undefined) return;
      // The wider value includes everything below it, so those values are left out.
      const others = present.filter((other) => other !== each && !ancestorsOf(values, other).includes(wider));
      found.push([...new Set([...others, wider])].sort((a, b) => a - b));
    });
  }
  return found;
}

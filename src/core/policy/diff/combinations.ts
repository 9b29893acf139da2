import type { Configuration } from '../../engine/configuration.js';
import { decide } from '../../engine/evaluate.js';
import { getOrMake } from '../../once.js';
import { combinationAt } from './cover.js';
import type { PairClass } from './pair-classes.js';
import { configure, type Policies, productOf, type RequestDimension, sizeOf } from './request-space.js';

/** The configuration of one request under the old and the new policy. */
export type ConfigurationPair = readonly [before: Configuration, after: Configuration];

/** Returns whether a class of primitives is shown before the change (0), or after it (1). */
export function isShown({ first }: PairClass, pair: ConfigurationPair, at: 0 | 1): boolean {
  const mapping = first.mappings[at];
  return mapping !== undefined && decide(mapping, pair[at]).effect === 'show';
}

/**
 * Configures both policies for combinations of preferences and claims. Many classes have the same dimensions, so the
 * combinations of them are configured once.
 *
 * @param policies the old and the new policy
 * @returns a function that configures every combination of some dimensions, in the order of `combinationAt`
 */
export function combinationsOf([before, after]: Policies) {
  const known = new Map<string, readonly ConfigurationPair[]>();
  return (dimensions: readonly RequestDimension[]): readonly ConfigurationPair[] => {
    const key = dimensions.map((each) => `${each.type} ${each.key}`).join('\n');
    const sizes = dimensions.map(sizeOf);
    const pairAt = (number: number): ConfigurationPair => {
      const point = combinationAt(sizes, number);
      const chosen = dimensions.map((each, at) => [each, each.choices[point[at] ?? 0]] as const);
      return [configure(before, chosen), configure(after, chosen)];
    };
    const length = productOf(dimensions);
    return getOrMake(known, key, () => Array.from({ length }, (_, number) => pairAt(number)));
  };
}

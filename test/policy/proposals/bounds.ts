import type { Proposal } from '../../../src/policy/propose/propose-policy.js';
import { OTHER } from '../../../src/policy/propose/topics/propose-topics.js';

/** The topics of a proposal that are too large or too small, each with its number of tools. */
export function outsideBounds({ tools, topics }: Proposal): string[] {
  return topics.flatMap((topic) => {
    const { length } = tools.filter(({ topics: own }) => own !== 'any' && own.includes(topic));
    const isRight =
      topic === OTHER
        ? length <= 0.1 * tools.length
        : length >= 3 && length <= 40 && length <= 0.25 * tools.length;
    return isRight ? [] : [`${topic}: ${length} of ${tools.length}`];
  });
}

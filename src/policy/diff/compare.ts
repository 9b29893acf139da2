import { analyze } from '../../analysis/analyze.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { type CompiledPolicy, preparePolicy } from '../../engine/policy.js';
import { CallerFacts } from './caller-facts.js';
import type { ChangeGroup, Extent } from './change.js';
import { Comparison } from './comparison.js';
import { pairsOf } from './pairs.js';

/** A policy, and the primitives of the server that it is for. */
export interface Side {
  readonly compiled: CompiledPolicy;
  readonly surface: ServerCatalog;
}

export interface Difference {
  readonly groups: readonly ChangeGroup[];
  /** Nothing where there are too many combinations to count. */
  readonly extent: Extent | undefined;
  /** A configuration that shows nothing at all now, and showed something before. */
  readonly newlyEmpty: Readonly<Record<string, unknown>> | undefined;
  /** What was not looked at, one sentence each. */
  readonly gaps: readonly string[];
}

/**
 * Compares what two policies, or one policy on two servers, make of everything that hosts can ask for. Primitives that
 * change under the same condition form a group, so that the answer is as short as the change.
 *
 * @param before the old policy and the old server
 * @param after the new ones
 * @returns the groups, the most far-reaching first
 * @example
 * compareSides({ compiled: old, surface }, { compiled, surface }).groups;
 */
export function compareSides(before: Side, after: Side): Difference {
  const facts = new CallerFacts();
  const policies = [
    preparePolicy(facts.free(before.compiled)),
    preparePolicy(facts.free(after.compiled)),
  ] as const;
  const comparison = new Comparison(policies, pairsOf(policies, before.surface, after.surface), facts);
  const groups = comparison.groups();
  return {
    groups,
    extent: comparison.extent(),
    // What hides nothing leaves nobody with nothing.
    newlyEmpty: groups.some(({ hidden }) => hidden.length > 0)
      ? newlyEmpty(before, after, comparison)
      : undefined,
    gaps: [...comparison.gaps],
  };
}

function newlyEmpty(
  before: Side,
  after: Side,
  comparison: Comparison,
): Readonly<Record<string, unknown>> | undefined {
  const now = analyze(preparePolicy(after.compiled), after.surface).showsNothing;
  if (now === undefined) return undefined;
  const old = analyze(preparePolicy(before.compiled), before.surface).showsNothing;
  if (old === undefined) return now;
  const found = comparison.emptied();
  if (found === 'too many') {
    comparison.gaps.add(
      'Some configurations show nothing, before and after; there are too many to say whether others joined them.',
    );
    return undefined;
  }
  return (
    found &&
    Object.fromEntries(
      found.flatMap(({ dimension, choices }) => {
        const choice = dimension.choices[[...choices][0] ?? 0];
        return choice?.text === undefined ? [] : [[dimension.name, choice.text]];
      }),
    )
  );
}

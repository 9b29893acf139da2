import { analyze } from '../../analysis/analyze.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { type CompiledPolicy, preparePolicy } from '../../engine/policy.js';
import { CallerFacts } from './caller-facts.js';
import type { ChangeGroup, Extent } from './change.js';
import { Comparison } from './comparison.js';
import { primitivePairsOf } from './primitive-pairs.js';

/** One side of a comparison: a policy and the catalog of the server. */
export interface Side {
  readonly compiled: CompiledPolicy;
  readonly catalog: ServerCatalog;
}

/** What a change does to hosts. */
export interface Difference {
  /** The changes grouped by condition. The group that concerns the most configurations comes first. */
  readonly groups: readonly ChangeGroup[];
  /** `undefined` if there are too many combinations to count. */
  readonly extent: Extent | undefined;
  /** A configuration that shows no primitive after the change and showed at least one before it, if there is one. */
  readonly newlyEmpty: Readonly<Record<string, unknown>> | undefined;
  /** One sentence for each part that could not be analyzed. */
  readonly gaps: readonly string[];
}

/**
 * Compares two policies, or one policy on two servers, over all preferences and claims. Primitives that change under the
 * same condition form a group, so that a small change gives a short result.
 *
 * @param before the old policy and the old catalog
 * @param after the new policy and the new catalog
 * @returns the groups of changes, and the parts that could not be analyzed
 * @example
 * compareSides({ compiled: old, catalog }, { compiled, catalog }).groups;
 */
export function compareSides(before: Side, after: Side): Difference {
  const facts = new CallerFacts();
  const policies = [
    preparePolicy(facts.free(before.compiled)),
    preparePolicy(facts.free(after.compiled)),
  ] as const;
  const comparison = new Comparison(
    policies,
    primitivePairsOf(policies, before.catalog, after.catalog),
    facts,
  );
  const groups = comparison.groups();
  return {
    groups,
    extent: comparison.extent(),
    // A change that hides no primitive cannot empty a configuration.
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
  const now = analyze(preparePolicy(after.compiled), after.catalog).showsNothing;
  if (now === undefined) return undefined;
  const old = analyze(preparePolicy(before.compiled), before.catalog).showsNothing;
  if (old === undefined) return now;
  return comparison.emptied();
}

import { analyze } from '../../analysis/analyze.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { type CompiledPolicy, type Kind, preparePolicy } from '../../engine/policy.js';
import { CallerFacts } from './caller-facts.js';
import type { ChangeGroup, Extent } from './change.js';
import { changeOf, groupsOf } from './changes.js';
import { type ConfigurationPair, combinationsOf, isShown } from './combinations.js';
import { combinationAt } from './cover.js';
import { classesOf, MAX_COMBINATIONS, type PairClass, primitivePairsOf } from './pair-classes.js';
import { productOf, type RequestDimension, requestDimensions, sizeOf } from './request-space.js';

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
  /** The primitives with combinations that were not tried. */
  readonly untried: readonly { readonly kind: Kind; readonly name: string }[];
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
  const pairs = primitivePairsOf(policies, before.catalog, after.catalog);
  const all = requestDimensions(policies, facts.all, pairs);
  const gaps = new Set<string>();
  const classes = classesOf(policies, pairs, all, gaps);
  const combinations = combinationsOf(policies);
  const changes = classes.flatMap((each) => {
    const own = combinations(each.dimensions);
    return (['hidden', 'shown'] as const).flatMap(
      (direction) => changeOf(policies, each, direction, own) ?? [],
    );
  });
  /** All combinations that make a difference to some classes; `undefined` if there are too many. */
  const space = (some: readonly PairClass[]): Space | undefined => {
    const dimensions = all.filter((dimension) =>
      some.some((each) => each.dimensions.includes(dimension) || each.unchanged.includes(dimension)),
    );
    if (productOf(dimensions) > MAX_COMBINATIONS) return undefined;
    return { classes: some, dimensions, pairs: combinations(dimensions) };
  };
  // A change that hides no primitive cannot empty a configuration.
  const mayEmpty = changes.some(({ direction }) => direction === 'hidden');
  return {
    groups: groupsOf(changes),
    extent: extentOf(space([...new Set(changes.map((change) => change.of))])),
    newlyEmpty: mayEmpty ? newlyEmpty(before, after, () => space(classes), gaps) : undefined,
    gaps: [...gaps],
    untried: classes.flatMap(({ isWhole, members }) =>
      isWhole ? [] : members.map(({ kind, name }) => ({ kind, name })),
    ),
  };
}

/** Combinations of preferences and claims, and the classes that they are about. */
interface Space {
  readonly classes: readonly PairClass[];
  readonly dimensions: readonly RequestDimension[];
  readonly pairs: readonly ConfigurationPair[];
}

function extentOf(space: Space | undefined): Extent | undefined {
  if (space === undefined) return undefined;
  const { classes, dimensions, pairs } = space;
  const affected = pairs.filter((pair) =>
    classes.some((each) => isShown(each, pair, 0) !== isShown(each, pair, 1)),
  );
  const names = dimensions.map(({ name }) => name);
  return { affected: affected.length, total: pairs.length, names };
}

function newlyEmpty(
  before: Side,
  after: Side,
  space: () => Space | undefined,
  gaps: Set<string>,
): Difference['newlyEmpty'] {
  const empty = ({ compiled, catalog }: Side) => analyze(preparePolicy(compiled), catalog).showsNothing;
  const now = empty(after);
  if (now === undefined || empty(before) === undefined) return now;
  const tried = space();
  if (tried === undefined) {
    gaps.add(
      'Some configurations show no primitive, both before and after the change. There are too many configurations to tell whether the change added more of them.',
    );
    return undefined;
  }
  const { classes, dimensions, pairs } = tried;
  const showsAny = (pair: ConfigurationPair, at: 0 | 1) => classes.some((each) => isShown(each, pair, at));
  const found = pairs.findIndex((pair) => showsAny(pair, 0) && !showsAny(pair, 1));
  if (found === -1) return undefined;
  const point = combinationAt(dimensions.map(sizeOf), found);
  const chosen = dimensions.map(({ name, choices }, at) => [name, choices[point[at] ?? 0]?.text] as const);
  return Object.fromEntries(chosen.filter(([, text]) => text !== undefined));
}

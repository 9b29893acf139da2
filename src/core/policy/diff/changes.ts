import { groupBy } from '../../once.js';
import type { ChangeGroup, Term } from './change.js';
import { type ConfigurationPair, isShown } from './combinations.js';
import { type Cube, findCover } from './cover.js';
import type { PairClass } from './pair-classes.js';
import { isFilter, isUnchanged } from './relevance.js';
import { type Policies, type RequestDimension, sizeOf } from './request-space.js';

/** When a class of primitives changes in one direction. */
export interface Change extends Pick<ChangeGroup, 'when' | 'exact'> {
  readonly of: PairClass;
  readonly direction: 'hidden' | 'shown';
  /** The share of the combinations for which the condition holds. */
  readonly share: number;
}

/**
 * Finds the condition under which a class of primitives changes in one direction.
 *
 * @param policies the old and the new policy
 * @param of the class
 * @param direction whether it is no longer shown, or newly shown
 * @param pairs the configurations for every combination of its dimensions
 * @returns `undefined` if no combination changes the class in this direction
 */
export function changeOf(
  policies: Policies,
  of: PairClass,
  direction: Change['direction'],
  pairs: readonly ConfigurationPair[],
): Change | undefined {
  const { first, dimensions, unchanged } = of;
  // The primitive is shown on one side of the change, and hidden on the other.
  const [side, otherSide] = direction === 'hidden' ? ([0, 1] as const) : ([1, 0] as const);
  const decisions = pairs.map((pair) => [isShown(of, pair, side), isShown(of, pair, otherSide)] as const);
  const has = decisions.map(([shown, shownOnOther]) => shown && !shownOnOther);
  if (!has.includes(true)) return undefined;
  // Combinations that hide the primitive before and after are don't-cares, because the condition is about the change.
  // A primitive that becomes shown must still match all other preferences, as every primitive must, so a concern
  // that only filters needs no term. A primitive that was never shown before is new: its condition has to be complete.
  const isNew = !decisions.some(([, shownOnOther]) => shownOnOther);
  const mayUseDontCare = dimensions.map(
    (dimension) =>
      direction === 'hidden' ||
      isUnchanged(policies, first, dimension) ||
      (!isNew && isFilter(policies, first, dimension)),
  );
  const dontCare = decisions.map(([shown, shownOnOther]) => !shown && !shownOnOther);
  const { cubes, size } = findCover(dimensions.map(sizeOf), has, dontCare, mayUseDontCare);
  // In the order of the dimensions of their first terms.
  const placeOf = ([term]: readonly Term[]): number => (term ? dimensions.indexOf(term.dimension) : -1);
  const when = cubes.map((cube) => toTerms(cube, dimensions)).sort((a, b) => placeOf(a) - placeOf(b));
  const exact = unchanged.length === 0 && size === has.filter(Boolean).length;
  return { of, direction, when, exact, share: size / has.length };
}

/** Groups changes by condition. The group with the largest share of combinations comes first. */
export function groupsOf(changes: readonly Change[]): ChangeGroup[] {
  const keyOfTerm = ({ dimension: { type, key }, choices }: Term) => [type, key, ...choices];
  const keyOf = ({ when }: Change): string => JSON.stringify(when.map((terms) => terms.map(keyOfTerm)));
  const groups = [...groupBy(changes, keyOf).values()].map((own) => {
    const [{ when, share }] = own;
    const members = (direction: Change['direction']) =>
      own.flatMap((each) => (each.direction === direction ? each.of.members : []));
    const [hidden, shown] = [members('hidden'), members('shown')];
    const exact = own.every((each) => each.exact);
    return { share, size: hidden.length + shown.length, group: { when, hidden, shown, exact } };
  });
  return groups.sort((a, b) => b.share - a.share || b.size - a.size).map(({ group }) => group);
}

function toTerms(cube: Cube, dimensions: readonly RequestDimension[]): Term[] {
  return dimensions.flatMap((dimension, at) => {
    const choices = new Set(cube[at]?.toSorted((a, b) => a - b));
    // With all choices, the dimension makes no difference.
    return choices.size === sizeOf(dimension) ? [] : [{ dimension, choices }];
  });
}

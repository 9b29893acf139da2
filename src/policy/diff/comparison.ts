import { decide } from '../../engine/evaluate.js';
import type { Policy } from '../../engine/policy.js';
import type { CallerFacts } from './caller-facts.js';
import type { Changed, ChangeGroup, Extent, Term } from './change.js';
import { type Cube, combinationAt, findCover } from './cover.js';
import { classesOf, MAX_COMBINATIONS, type PairClass } from './pair-classes.js';
import type { PrimitivePair } from './primitive-pairs.js';
import { Relevance } from './relevance.js';
import {
  type ConfigurationPair,
  configurePair,
  productOf,
  type RequestDimension,
  requestDimensions,
  sizeOf,
} from './request-space.js';

/** When primitives change. `share`: the share of the combinations for which it holds. */
interface Condition {
  readonly when: Term[][];
  exact: boolean;
  readonly share: number;
}

/** Compares the decisions of two policies on the same primitives, over all combinations of preferences and claims. */
export class Comparison {
  /** One sentence for each part that could not be analyzed. */
  readonly gaps = new Set<string>();
  readonly dimensions: readonly RequestDimension[];
  readonly classes: readonly PairClass[];
  private readonly relevance: Relevance;
  private readonly changed = new Set<PairClass>();
  private readonly pairsByDimensions = new Map<string, readonly ConfigurationPair[]>();

  constructor(
    private readonly policies: readonly [Policy, Policy],
    pairs: readonly PrimitivePair[],
    facts: CallerFacts,
  ) {
    const mappings = [0, 1].map((at) => pairs.flatMap((pair) => pair.mappings[at] ?? []));
    this.dimensions = requestDimensions(policies, facts.all, [mappings[0] ?? [], mappings[1] ?? []]);
    this.relevance = new Relevance(policies, this.dimensions);
    this.classes = classesOf(policies, pairs, this.relevance, this.gaps);
  }

  /** @returns the changes, grouped by condition; the group with the largest share of combinations comes first */
  groups(): ChangeGroup[] {
    const groups = new Map<string, Condition & { hidden: Changed[]; shown: Changed[] }>();
    for (const each of this.classes) {
      for (const direction of ['hidden', 'shown'] as const) {
        const found = this.condition(each, direction);
        if (found === undefined) continue;
        this.changed.add(each);
        const key = JSON.stringify(
          found.when.map((terms) =>
            terms.map(({ dimension: { type, key: own }, choices }) => [
              type,
              type === 'other-concern' ? '' : own,
              ...choices,
            ]),
          ),
        );
        const group = groups.get(key) ?? { ...found, hidden: [], shown: [] };
        group[direction].push(...each.members);
        group.exact &&= found.exact;
        groups.set(key, group);
      }
    }
    const size = ({ hidden, shown }: ChangeGroup): number => hidden.length + shown.length;
    return [...groups.values()]
      .sort((a, b) => b.share - a.share || size(b) - size(a))
      .map(({ share: _, ...group }) => group);
  }

  /** @returns how many combinations see a change; `undefined` if there are too many to count. Call `groups` first. */
  extent(): Extent | undefined {
    const changed = [...this.changed];
    const dimensions = this.dimensionsOf(changed);
    if (productOf(dimensions) > MAX_COMBINATIONS) return undefined;
    const affected = this.pairsOver(dimensions).filter((pair) =>
      changed.some(({ first }) => this.isShown(first, pair, 0) !== this.isShown(first, pair, 1)),
    );
    return {
      affected: affected.length,
      total: productOf(dimensions),
      names: dimensions.map(({ name }) => name),
    };
  }

  /**
   * @returns a configuration that shows no primitive after the change and showed one before it; `undefined` if there is
   * none, or if the combinations exceed `MAX_COMBINATIONS`
   */
  emptied(): Readonly<Record<string, unknown>> | undefined {
    const dimensions = this.dimensionsOf(this.classes);
    if (productOf(dimensions) > MAX_COMBINATIONS) {
      this.gaps.add(
        'Some configurations show no primitive, both before and after the change. There are too many configurations to tell whether the change added more of them.',
      );
      return undefined;
    }
    const showsAny = (pair: ConfigurationPair, at: 0 | 1) =>
      this.classes.some(({ first }) => this.isShown(first, pair, at));
    const found = this.pairsOver(dimensions).findIndex((pair) => showsAny(pair, 0) && !showsAny(pair, 1));
    if (found === -1) return undefined;
    const point = combinationAt(dimensions.map(sizeOf), found);
    const chosen = dimensions.map(({ name, choices }, at) => [name, choices[point[at] ?? 0]?.text] as const);
    return Object.fromEntries(chosen.filter(([, text]) => text !== undefined));
  }

  /** @returns the dimensions that make a difference to any of the classes */
  private dimensionsOf(classes: readonly PairClass[]): RequestDimension[] {
    return this.dimensions.filter((dimension) =>
      classes.some((each) => each.dimensions.includes(dimension) || each.unchanged.includes(dimension)),
    );
  }

  /** Finds the condition under which a class of primitives changes in one direction. */
  private condition(
    { first, dimensions, unchanged }: PairClass,
    direction: 'hidden' | 'shown',
  ): Condition | undefined {
    const pairs = this.pairsOver(dimensions);
    // The primitive is shown on one side of the change, and hidden on the other.
    const [side, otherSide] = direction === 'hidden' ? ([0, 1] as const) : ([1, 0] as const);
    const decisions = pairs.map(
      (pair) => [this.isShown(first, pair, side), this.isShown(first, pair, otherSide)] as const,
    );
    const has = decisions.map(([isShown, isShownOnOther]) => isShown && !isShownOnOther);
    if (!has.includes(true)) return undefined;
    // Combinations that hide the primitive before and after are don't-cares, because the condition is about the change.
    // A primitive that becomes shown must still match all other preferences, as every primitive must, so a concern
    // that only filters needs no term. A primitive that was never shown before is new: its condition has to be complete.
    const isNew = direction === 'shown' && !decisions.some(([, isShownOnOther]) => isShownOnOther);
    const mayUseDontCare = (dimension: RequestDimension | undefined): boolean => {
      if (dimension === undefined) return false;
      if (direction === 'hidden' || this.relevance.isUnchanged(first, dimension)) return true;
      return !isNew && this.relevance.isFilter(first, dimension);
    };
    const dontCare = decisions.map(([isShown, isShownOnOther]) => !isShown && !isShownOnOther);
    const sizes = dimensions.map(sizeOf);
    const { cubes, size } = findCover({ sizes, has, dontCare }, (at) => mayUseDontCare(dimensions[at]));
    const when = cubes.map((cube) => toTerms(cube, dimensions)).sort(byDimension(dimensions));
    const exact = unchanged.length === 0 && size === has.filter(Boolean).length;
    return { when, exact, share: size / has.length };
  }

  private isShown({ mappings }: PrimitivePair, pair: ConfigurationPair, at: 0 | 1): boolean {
    const mapping = mappings[at];
    return mapping !== undefined && decide(mapping, pair[at]).effect === 'show';
  }

  /** Configures both policies for every combination of the given dimensions. */
  private pairsOver(dimensions: readonly RequestDimension[]): readonly ConfigurationPair[] {
    // The dimension `other-concern` may use another value for another class, so its value is part of the key.
    const key = dimensions
      .map(
        ({ type, key: own, choices }) =>
          `${type} ${own} ${type === 'other-concern' ? choices[1]?.value : ''}`,
      )
      .join('\n');
    const known = this.pairsByDimensions.get(key);
    if (known !== undefined) return known;
    const sizes = dimensions.map(sizeOf);
    const pairs = Array.from({ length: productOf(dimensions) }, (_, number) => {
      const point = combinationAt(sizes, number);
      return configurePair(
        this.policies,
        dimensions.map((dimension, at) => [dimension, dimension.choices[point[at] ?? 0]]),
      );
    });
    this.pairsByDimensions.set(key, pairs);
    return pairs;
  }
}

/** Orders conditions by the dimension of their first term. */
function byDimension(order: readonly RequestDimension[]): (a: readonly Term[], b: readonly Term[]) => number {
  const first = ([term]: readonly Term[]): number =>
    term === undefined ? -1 : order.indexOf(term.dimension);
  return (a, b) => first(a) - first(b);
}

function toTerms(cube: Cube, dimensions: readonly RequestDimension[]): Term[] {
  return dimensions.flatMap((dimension, at) => {
    const choices = new Set(cube[at]?.toSorted((a, b) => a - b));
    // With all choices, the dimension makes no difference.
    return choices.size === sizeOf(dimension) ? [] : [{ dimension, choices }];
  });
}

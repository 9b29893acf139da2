import { decide } from '../../engine/evaluate.js';
import type { Policy } from '../../engine/policy.js';
import type { CallerFacts } from './caller-facts.js';
import type { Changed, ChangeGroup, Extent, Term } from './change.js';
import { type Box, combinationsOf, coverWithBoxes, project } from './cover.js';
import { classesOf, MAX_COMBINATIONS, type PairClass } from './pair-classes.js';
import type { Paired } from './pairs.js';
import { Relevance } from './relevance.js';
import {
  type AskedDimension,
  askedDimensions,
  configurePair,
  type Pair,
  productOf,
  sizeOf,
} from './request-space.js';

/** What two policies make of the same primitives, under everything that can be asked for. */
export class Comparison {
  readonly gaps = new Set<string>();
  readonly dimensions: readonly AskedDimension[];
  readonly classes: readonly PairClass[];
  private readonly relevance: Relevance;
  private readonly changed = new Set<PairClass>();
  private readonly memo = new Map<string, readonly Pair[]>();

  constructor(
    private readonly policies: readonly [Policy, Policy],
    pairs: readonly Paired[],
    facts: CallerFacts,
  ) {
    const mappings = [0, 1].map((at) => pairs.flatMap((pair) => pair.mappings[at] ?? []));
    this.dimensions = askedDimensions(policies, facts.all, [mappings[0] ?? [], mappings[1] ?? []]);
    this.relevance = new Relevance(policies, this.dimensions);
    this.classes = classesOf(policies, pairs, this.relevance, this.gaps);
  }

  groups(): ChangeGroup[] {
    const groups = new Map<
      string,
      { when: Term[][]; hidden: Changed[]; shown: Changed[]; exact: boolean; share: number }
    >();
    for (const each of this.classes) {
      for (const direction of ['hidden', 'shown'] as const) {
        const found = this.condition(each, direction);
        if (found === undefined) continue;
        this.changed.add(each);
        const key = JSON.stringify(
          found.when.map((box) =>
            box.map(({ dimension: { by, key: own }, choices }) => [
              by,
              by === 'spoken' ? '' : own,
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

  extent(): Extent | undefined {
    const changed = [...this.changed];
    const dimensions = this.dimensions.filter((dimension) =>
      changed.some((each) => each.dimensions.includes(dimension) || each.untouched.includes(dimension)),
    );
    if (productOf(dimensions) > MAX_COMBINATIONS) return undefined;
    const affected = this.pairsOver(dimensions).filter((pair) =>
      changed.some(({ first }) => this.shown(first, pair, 0) !== this.shown(first, pair, 1)),
    );
    return {
      affected: affected.length,
      total: productOf(dimensions),
      names: dimensions.map(({ name }) => name),
    };
  }

  /** @returns a configuration that shows nothing now and something before, if all can be tried */
  emptied(): 'too many' | readonly Term[] | undefined {
    const dimensions = this.dimensions.filter((dimension) =>
      this.classes.some((each) => each.dimensions.includes(dimension) || each.untouched.includes(dimension)),
    );
    if (productOf(dimensions) > MAX_COMBINATIONS) return 'too many';
    const pairs = this.pairsOver(dimensions);
    const any = (pair: Pair, at: 0 | 1) => this.classes.some(({ first }) => this.shown(first, pair, at));
    const found = pairs.findIndex((pair) => any(pair, 0) && !any(pair, 1));
    const point = found === -1 ? undefined : [...combinationsOf(dimensions.map(sizeOf))][found];
    return point === undefined
      ? undefined
      : dimensions.map((dimension, at) => ({ dimension, choices: new Set([point[at] ?? 0]) }));
  }

  private condition(
    { first, dimensions, untouched }: PairClass,
    direction: 'hidden' | 'shown',
  ): { when: Term[][]; exact: boolean; share: number } | undefined {
    const pairs = this.pairsOver(dimensions);
    const from = direction === 'hidden' ? 0 : 1;
    const to = direction === 'hidden' ? 1 : 0;
    const verdicts = pairs.map(
      (pair) => [this.shown(first, pair, from), this.shown(first, pair, to)] as const,
    );
    const has = verdicts.map(([is, other]) => is && !other);
    if (!has.includes(true)) return undefined;
    // Where nobody sees it before and after, a condition may hold or not: what goes was there before. What comes has to
    // fit what is asked for, as everything has; but what was never shown is new, so there the condition says it all.
    const fresh = direction === 'shown' && !verdicts.some(([, other]) => other);
    const free = (dimension: AskedDimension | undefined): boolean => {
      if (dimension === undefined) return false;
      if (direction === 'hidden' || this.relevance.isUntouched(first, dimension)) return true;
      return !fresh && this.relevance.isFilter(first, dimension);
    };
    const open = verdicts.map(([is, other]) => !is && !other);
    const sizes = dimensions.map(sizeOf);
    const left = project({ sizes, has, open }, (at) => free(dimensions[at]));
    const kept = left.dimensions.flatMap((at) => dimensions[at] ?? []);
    const boxes = coverWithBoxes(left.points, (at) => free(kept[at]));
    const when = boxes.map((box) => toTerms(box, kept)).sort(byDimension(kept));
    let held = 0;
    for (const point of combinationsOf(sizes)) {
      const holds = when.some((terms) =>
        terms.every(({ dimension, choices }) => choices.has(point[dimensions.indexOf(dimension)] ?? 0)),
      );
      if (holds) held++;
    }
    return {
      when,
      exact: untouched.length === 0 && held === has.filter(Boolean).length,
      share: held / has.length,
    };
  }

  private shown({ mappings }: Paired, pair: Pair, at: 0 | 1): boolean {
    const mapping = mappings[at];
    return mapping !== undefined && decide(this.policies[at], mapping, pair[at]).effect === 'show';
  }

  private pairsOver(dimensions: readonly AskedDimension[]): readonly Pair[] {
    // What else is asked for may be another value for another class.
    const key = dimensions
      .map(({ by, key: own, choices }) => `${by} ${own} ${by === 'spoken' ? choices[1]?.value : ''}`)
      .join('\n');
    const known = this.memo.get(key);
    if (known !== undefined) return known;
    const pairs = [...combinationsOf(dimensions.map(sizeOf))].map((point) =>
      configurePair(
        this.policies,
        dimensions.map((dimension, at) => [dimension, dimension.choices[point[at] ?? 0]]),
      ),
    );
    this.memo.set(key, pairs);
    return pairs;
  }
}

/** Conditions in the order of the concerns that they begin with. */
function byDimension(order: readonly AskedDimension[]): (a: readonly Term[], b: readonly Term[]) => number {
  const first = ([term]: readonly Term[]): number =>
    term === undefined ? -1 : order.indexOf(term.dimension);
  return (a, b) => first(a) - first(b);
}

function toTerms(box: Box, dimensions: readonly AskedDimension[]): Term[] {
  return dimensions.flatMap((dimension, at) => {
    const choices = box[at];
    return choices === undefined ? [] : [{ dimension, choices }];
  });
}

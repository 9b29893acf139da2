import { analyse } from '../engine/analyse.js';
import { decide } from '../engine/evaluate.js';
import type { Surface } from '../engine/mapping.js';
import { fromNumber, identityOf, type Mapping, mapPrimitive, type Primitive } from '../engine/mapping.js';
import { type CompiledPolicy, KINDS, type Kind, type Policy, preparePolicy } from '../engine/policy.js';
import { type AskedDimension, askedDimensions, configurePair, type Pair } from './asked-space.js';
import { type Box, combinationsOf, coverWithBoxes, project } from './boxes.js';
import { CallerFacts } from './caller-facts.js';

/** A policy, and the primitives of the server that it is for. */
export interface Side {
  readonly compiled: CompiledPolicy;
  readonly surface: Surface;
}

/** A primitive, as it was before and as it is after a change; one of them is missing if the server changed. */
export interface Changed {
  readonly kind: Kind;
  readonly name: string;
  readonly before: Primitive | undefined;
  readonly after: Primitive | undefined;
}

/** One dimension of a condition, and the choices of it that are meant. */
export interface Term {
  readonly dimension: AskedDimension;
  readonly choices: ReadonlySet<number>;
}

/** What happens under one condition. */
export interface ChangeGroup {
  /** Any of these; each holds if all of its terms do. One without terms always holds. */
  readonly when: readonly (readonly Term[])[];
  readonly hidden: readonly Changed[];
  readonly shown: readonly Changed[];
  /** Whether each of them changes wherever the condition holds; else values that did not change still apply. */
  readonly exact: boolean;
}

/** How many combinations of what matters see a change. */
export interface Extent {
  readonly affected: number;
  readonly total: number;
  readonly names: readonly string[];
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

/** Combinations of choices that are tried for one class of primitives, or for all that changed. */
const MAX_COMBINATIONS = 20_000;

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

/** A primitive with what each policy says of it. */
interface Paired extends Changed {
  readonly mappings: readonly [Mapping | undefined, Mapping | undefined];
}

function pairsOf(policies: readonly [Policy, Policy], old: Surface, now: Surface): Paired[] {
  return KINDS.flatMap((kind) => {
    const index = (list: readonly Primitive[] = []) =>
      new Map(list.map((primitive) => [identityOf(kind, primitive), primitive]));
    const [before, after] = [index(old[kind]), index(now[kind])];
    return [...new Set([...after.keys(), ...before.keys()])].map((name) => {
      const pair = [before.get(name), after.get(name)] as const;
      const map = (at: 0 | 1) =>
        pair[at] === undefined ? undefined : mapPrimitive(policies[at], kind, pair[at]);
      return { kind, name, before: pair[0], after: pair[1], mappings: [map(0), map(1)] as const };
    });
  });
}

/** Primitives that nothing tells apart: what happens to one of them happens to all. */
interface PairClass {
  readonly members: readonly Paired[];
  readonly first: Paired;
  /** What is tried in all combinations. */
  readonly dimensions: readonly AskedDimension[];
  /** What hides it as it always did. */
  readonly untouched: readonly AskedDimension[];
}

class Comparison {
  readonly gaps = new Set<string>();
  readonly dimensions: readonly AskedDimension[];
  readonly classes: readonly PairClass[];
  private readonly changed = new Set<PairClass>();
  private readonly memo = new Map<string, readonly Pair[]>();

  constructor(
    private readonly policies: readonly [Policy, Policy],
    pairs: readonly Paired[],
    facts: CallerFacts,
  ) {
    const mappings = [0, 1].map((at) => pairs.flatMap((pair) => pair.mappings[at] ?? []));
    this.dimensions = askedDimensions(policies, facts.all, [mappings[0] ?? [], mappings[1] ?? []]);
    const classes = new Map<string, Paired[]>();
    for (const pair of pairs) {
      const key = classKey(pair);
      classes.set(key, [...(classes.get(key) ?? []), pair]);
    }
    this.classes = [...classes.values()].flatMap((members) => {
      const [first] = members;
      return first === undefined ? [] : [this.toClass(members, first)];
    });
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
            box.map(({ dimension, choices }) => [dimension.by, dimension.key, [...choices]]),
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
      if (direction === 'hidden' || this.isUntouched(first, dimension)) return true;
      return !fresh && this.isFilter(first, dimension);
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
    return mapping !== undefined && decide(this.policies[at], mapping, pair[at]).shown;
  }

  private pairsOver(dimensions: readonly AskedDimension[]): readonly Pair[] {
    const key = dimensions.map(({ by, key: own }) => `${by} ${own}`).join('\n');
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

  private toClass(members: readonly Paired[], first: Paired): PairClass {
    const relevant = this.dimensions.filter((dimension) => this.isRelevant(first, dimension));
    const showing = this.policies.some(({ rules }) =>
      rules.some(({ effect, kinds }) => effect === 'show' && kinds.includes(first.kind)),
    );
    // What hides it before and after alike changes nothing while nobody asks for it.
    const untouched = relevant.filter(
      (dimension) =>
        dimension.by === 'host' &&
        !showing &&
        this.isUntouched(first, dimension) &&
        this.policies.every((policy) => concernOf(policy, dimension.name)?.default === undefined),
    );
    const tried = relevant.filter((dimension) => !untouched.includes(dimension));
    const spoken = this.spokenDimension(first, tried);
    const dimensions = spoken === undefined ? tried : [...tried, spoken];
    const left: string[] = [];
    while (productOf(dimensions) > MAX_COMBINATIONS) left.unshift(dimensions.pop()?.name ?? '');
    if (left.length > 0) {
      const what = left.length === 1 ? `${left[0]} was` : `${left.join(', ')} were`;
      this.gaps.add(`There are too many combinations for ${first.name}: ${what} taken as not asked for.`);
    }
    return { members, first, dimensions, untouched };
  }

  /** Defaults of `aware` apply once a host asked for anything: that it asked for something else matters then. */
  private spokenDimension(first: Paired, tried: readonly AskedDimension[]): AskedDimension | undefined {
    const aware = this.policies.some(
      (policy) =>
        policy.settings.defaults === 'aware' &&
        tried.some(({ by, name }) => by === 'host' && concernOf(policy, name)?.default !== undefined),
    );
    if (!aware) return undefined;
    for (const dimension of this.dimensions) {
      if (dimension.by !== 'host' || this.isRelevant(first, dimension)) continue;
      // It has to be a value that both policies take.
      const choice = dimension.choices.find((each) => {
        if (each.value === undefined) return false;
        const pair = configurePair(this.policies, [[dimension, each]]);
        return pair.every(({ accepted }) => accepted.some((value) => value !== undefined));
      });
      if (choice === undefined) continue;
      const { name, key } = dimension;
      return { by: 'spoken', name, key, choices: [{}, { text: 'else', value: choice.value }] };
    }
    return undefined;
  }

  private isRelevant({ kind, mappings }: Paired, { by, name, key }: AskedDimension): boolean {
    return this.policies.some((policy, at) => {
      const rules = policy.rules.filter(({ kinds }) => kinds.includes(kind));
      if (mappings[at] === undefined) return false;
      if (by === 'fact') return rules.some(({ paths }) => paths.includes(`claims.${key}`));
      const index = policy.indexOf.get(name);
      const setBy = by === 'host' ? 'host' : 'operator';
      if (index === undefined || policy.concerns[index]?.setBy !== setBy) return false;
      return (
        mappings[at].offers[index] !== undefined ||
        rules.some(({ paths }) => paths.includes(`concerns.${name}`))
      );
    });
  }

  /** Whether a concern does nothing but hide what does not fit. */
  private isFilter({ kind }: Paired, { by, name }: AskedDimension): boolean {
    if (by === 'fact' || by === 'spoken') return false;
    return !this.policies.some(({ rules }) =>
      rules.some(({ kinds, paths }) => kinds.includes(kind) && paths.includes(`concerns.${name}`)),
    );
  }

  /** Whether a concern means the same for a primitive as before, and hides it as before. */
  private isUntouched(paired: Paired, dimension: AskedDimension): boolean {
    const { mappings } = paired;
    if (mappings.includes(undefined) || !this.isFilter(paired, dimension)) return false;
    const [before, after] = this.policies.map((policy, at) => {
      const index = policy.indexOf.get(dimension.name) ?? -1;
      const { description: _, ...concern } = policy.concerns[index] ?? {};
      const offered = mappings[at]?.offers[index]?.offered.map((each) => fromNumber(policy, index, each));
      return JSON.stringify([concern, offered?.toSorted()]);
    });
    return before === after;
  }
}

/** Conditions in the order of the concerns that they begin with. */
function byDimension(order: readonly AskedDimension[]): (a: readonly Term[], b: readonly Term[]) => number {
  const first = ([term]: readonly Term[]): number =>
    term === undefined ? -1 : order.indexOf(term.dimension);
  return (a, b) => first(a) - first(b);
}

const sizeOf = ({ choices }: AskedDimension): number => choices.length;
const productOf = (dimensions: readonly AskedDimension[]): number =>
  dimensions.reduce((product, dimension) => product * sizeOf(dimension), 1);
const concernOf = (policy: Policy, name: string) => policy.concerns[policy.indexOf.get(name) ?? -1];

function toTerms(box: Box, dimensions: readonly AskedDimension[]): Term[] {
  return dimensions.flatMap((dimension, at) => {
    const choices = box[at];
    return choices === undefined ? [] : [{ dimension, choices }];
  });
}

function classKey({ kind, mappings }: Paired): string {
  return JSON.stringify([
    kind,
    ...mappings.map(
      (mapping) =>
        mapping && [mapping.mapped, mapping.offers.map((offer) => offer?.offered ?? null), mapping.slots],
    ),
  ]);
}

function newlyEmpty(
  before: Side,
  after: Side,
  comparison: Comparison,
): Readonly<Record<string, unknown>> | undefined {
  const now = analyse(preparePolicy(after.compiled), after.surface).emptySurface;
  if (now === undefined) return undefined;
  const old = analyse(preparePolicy(before.compiled), before.surface).emptySurface;
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

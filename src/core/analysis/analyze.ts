import { isAbout } from '../engine/evaluate.js';
import {
  identityOf,
  involvedIn,
  type Mapping,
  type Primitive,
  type ServerCatalog,
} from '../engine/mapping.js';
import { type Concern, KINDS, type Kind, type Policy, type Rule } from '../engine/policy.js';
import { bindCatalog } from '../engine/select.js';
import { usesOf } from '../engine/uses/tool-uses.js';
import { and, type Formula, not, or, satisfy, simplify } from './formula.js';
import { describeAssignment, type Space, spanSpace } from './space.js';

/** What is true for every configuration of a policy on one server. */
export interface Analysis {
  /** Primitives that no configuration shows. */
  readonly neverVisible: readonly { readonly kind: Kind; readonly name: string }[];
  /** Primitives that every configuration shows although they have values for concerns. */
  readonly alwaysVisible: readonly { readonly kind: Kind; readonly name: string }[];
  /**
   * A configuration that shows no primitive, in the words of the policy; absent if there is none. It is not one of a caller
   * whose claim matches no value of a concern with a default: that hides on purpose.
   */
  readonly showsNothing?: Readonly<Record<string, unknown>>;
  /** The preferences of `showsNothing`, if the same caller sees something without preferences. */
  readonly hiddenByHost?: Readonly<Record<string, unknown>>;
  readonly rules: readonly { readonly id: string; readonly fires: 'never' | 'always' | 'sometimes' }[];
  /** The number of configurations. A comparison that reads a claim or the client counts as two: true and false. */
  readonly configurations: number;
  /** What could not be decided within the step limit, in words. Everything else is exact. */
  readonly unanswered: readonly string[];
}

/**
 * Analyzes all configurations of a policy at once. It works on classes of primitives with equal values and decides whole
 * branches of configurations together, so it is exact even where there are too many configurations to try each one.
 *
 * @param policy the policy
 * @param catalog the server's primitives
 * @returns which primitives and rules always, never or sometimes take effect
 * @example
 * analyze(policy, { tools }).neverVisible;
 */
export function analyze(policy: Policy, catalog: ServerCatalog): Analysis {
  const classes = KINDS.flatMap((kind) => classesOf(policy, kind, catalog[kind] ?? []));
  const mappings = classes.map(({ mapping }) => mapping);
  const space = spanSpace(policy, mappings);
  const involved = mappings.flatMap(involvedIn);
  const formulas = mappings.map((mapping) => space.shown(mapping));
  const unanswered: string[] = [...space.gaps];
  const isPossible = (formula: Formula, claim: string): boolean => {
    const search = satisfy(formula, space.sizes);
    if (!search.found && search.exhausted) unanswered.push(claim);
    // If the search gave up, nothing is reported as impossible.
    return search.found || search.exhausted;
  };
  const named = (keep: (formula: Formula, mapping: Mapping, names: string) => boolean) =>
    classes.flatMap(({ kind, names, mapping }, index) =>
      keep(formulas[index] ?? true, mapping, names.join(', ')) ? names.map((name) => ({ kind, name })) : [],
    );

  const neverVisible = named(
    (formula, _mapping, names) => !isPossible(formula, `whether ${names} can be shown`),
  );
  const alwaysVisible = named(
    (formula, { offers }, names) =>
      offers.some((offer) => offer !== undefined) &&
      !isPossible(not(formula), `whether ${names} can be hidden`),
  );
  const empty = classes.length === 0 ? undefined : satisfy(not(or(formulas)), sizesWithDefaults(space));
  const isHost = (index: number) => policy.concerns[index]?.setBy === 'host';
  const caller = empty?.found
    ? space.sizes.map((_, index) => (isHost(index) ? 0 : empty.assignment[index]))
    : [];
  const sees = satisfy(or(formulas.map((formula) => simplify(formula, caller))), space.sizes);
  const isOfHosts = empty?.found === true && (sees.found || sees.exhausted);
  if (empty?.found === false && empty.exhausted) unanswered.push('whether a configuration shows nothing');
  const rules = policy.rules.map((rule) => {
    if (readsUndecided(rule, policy, catalog)) return { id: rule.id, fires: 'sometimes' } as const;
    const fires = involved
      .filter((mapping) => rule.kinds.includes(mapping.kind) && isAbout(rule, mapping))
      .map((mapping) => space.fires(rule, mapping));
    const can = isPossible(or(fires), `whether rule ${rule.id} can fire`);
    const cannot = isPossible(or(fires.map(not)), `whether rule ${rule.id} always fires`);
    return { id: rule.id, fires: can ? (cannot ? 'sometimes' : 'always') : 'never' } as const;
  });
  return {
    neverVisible,
    alwaysVisible,
    ...(empty?.found ? { showsNothing: describeAssignment(space, empty.assignment) } : {}),
    ...(isOfHosts
      ? {
          hiddenByHost: describeAssignment(
            space,
            empty.assignment.map((each, index) => (isHost(index) ? each : undefined)),
          ),
        }
      : {}),
    rules,
    configurations: space.sizes.reduce((product, size) => product * Math.max(1, size), 1),
    unanswered,
  };
}

/** Whether a rule is about an argument whose values cannot be decided. Then no call may send it. */
const readsUndecided = ({ argument }: Rule, policy: Policy, { tools = [] }: ServerCatalog): boolean =>
  argument !== undefined &&
  tools.some((tool) =>
    usesOf(policy, tool)?.arguments.some(
      ({ name, isUndecidable }) => isUndecidable && name === argument.name,
    ),
  );

/**
 * Finds out whether a host can see one primitive without another.
 *
 * @param policy the policy
 * @param shown the values of one primitive, see `mapPrimitive`; `undefined` to check only whether `hidden` can be hidden
 * @param hidden the values of another primitive
 * @returns whether some configuration shows the first and hides the second
 * @example
 * canShowWithout(policy, mapPrimitive(policy, 'tools', read), mapPrimitive(policy, 'tools', write)); // true
 */
export function canShowWithout(policy: Policy, shown: Mapping | undefined, hidden: Mapping): boolean {
  const space = spanSpace(policy, shown === undefined ? [hidden] : [shown, hidden]);
  const separated = and([shown === undefined || space.shown(shown), not(space.shown(hidden))]);
  return satisfy(separated, space.sizes).found;
}

/** The number of values of each dimension, without that of a claim that matches no value of a concern with a default. */
function sizesWithDefaults({ policy: { concerns }, sizes }: Space): readonly number[] {
  const isDenied = (concern: Concern | undefined) =>
    concern?.setBy === 'operator' && concern.default !== undefined;
  return sizes.map((size, index) => (isDenied(concerns[index]) ? size - 1 : size));
}

/**
 * Finds out whether one caller can use a tool in some ways, and not in another.
 *
 * @param policy the policy
 * @param shown what the policy says about the ways, see `mappingsOf`
 * @param hidden what it says about the other one
 * @returns whether some configuration shows all of the first, and hides the last
 */
export function canSeparate(policy: Policy, shown: readonly Mapping[], hidden: readonly Mapping[]): boolean {
  const space = spanSpace(policy, [...shown, ...hidden]);
  const all = (mappings: readonly Mapping[]) => and(mappings.map((each) => space.shown(each)));
  return satisfy(and([all(shown), not(all(hidden))]), space.sizes).found;
}

/**
 * Finds a way to use a tool that some caller cannot use, although it can use one before and one after it.
 *
 * @param policy the policy
 * @param ways what the policy says about each way, in their order
 * @returns the index of the first such way; `undefined` if what is left is always one range
 */
export function hiddenBetween(policy: Policy, ways: readonly (readonly Mapping[])[]): number | undefined {
  const space = spanSpace(policy, ways.flat());
  const shown = ways.map((each) => and(each.map((mapping) => space.shown(mapping))));
  const found = shown.findIndex((formula, at) => {
    const [before, after] = [or(shown.slice(0, at)), or(shown.slice(at + 1))];
    return satisfy(and([before, not(formula), after]), space.sizes).found;
  });
  return found === -1 ? undefined : found;
}

/** Primitives of one kind that every configuration decides about in the same way. */
export interface PrimitiveClass {
  readonly kind: Kind;
  readonly mapping: Mapping;
  readonly names: readonly string[];
}

export function classesOf(
  policy: Policy,
  kind: Kind,
  items: readonly Primitive[],
): readonly PrimitiveClass[] {
  const { classes, classOf } = bindCatalog(policy, kind, items);
  return classes.map((mapping, number) => ({
    kind,
    mapping,
    names: items.filter((_item, index) => classOf[index] === number).map((item) => identityOf(kind, item)),
  }));
}

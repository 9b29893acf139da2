import { identityOf, type Mapping, type Primitive, type ServerCatalog } from '../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../engine/policy.js';
import { bindCatalog } from '../engine/select.js';
import { and, type Formula, not, or, satisfy } from './formula.js';
import { describeAssignment, type Space, spanSpace } from './space.js';

/** What is true of all configurations of a policy on a surface. */
export interface Analysis {
  /** No configuration shows them. */
  readonly neverVisible: readonly { readonly kind: Kind; readonly name: string }[];
  /** Every configuration shows them, although they have values that look as if they mattered. */
  readonly alwaysVisible: readonly { readonly kind: Kind; readonly name: string }[];
  /** A configuration that shows nothing at all, in the words of the policy. */
  readonly emptySurface?: Readonly<Record<string, unknown>>;
  readonly rules: readonly { readonly id: string; readonly fires: 'never' | 'always' | 'sometimes' }[];
  /** How many configurations this speaks of, comparisons of claims and the client counted as true or false. */
  readonly configurations: number;
  /** Questions that were given up, in words; everything else is exact. */
  readonly unanswered: readonly string[];
}

/**
 * Answers questions about all configurations at once. It works on classes of primitives with equal values, and decides
 * whole branches of configurations together, so it stays exact where there are too many to try one by one.
 *
 * @param policy the policy
 * @param surface the primitives
 * @returns what never, always and sometimes happens
 * @example
 * analyse(policy, { tools }).neverVisible;
 */
export function analyse(policy: Policy, surface: ServerCatalog): Analysis {
  const classes = KINDS.flatMap((kind) => classesOf(policy, kind, surface[kind] ?? []));
  const space = spanSpace(
    policy,
    classes.map(({ mapping }) => mapping),
  );
  const formulas = classes.map(({ mapping }) => space.shown(mapping));
  const unanswered: string[] = [...space.gaps];
  const possible = (formula: Formula, question: string): boolean => {
    const search = satisfy(formula, space.sizes);
    if (!search.found && search.exhausted) unanswered.push(question);
    // What was given up is not claimed to be impossible.
    return search.found || search.exhausted;
  };
  const named = (keep: (formula: Formula, mapping: Mapping, names: string) => boolean) =>
    classes.flatMap(({ kind, names, mapping }, index) =>
      keep(formulas[index] ?? true, mapping, names.join(', ')) ? names.map((name) => ({ kind, name })) : [],
    );

  const neverVisible = named(
    (formula, _mapping, names) => !possible(formula, `whether ${names} can be shown`),
  );
  const alwaysVisible = named(
    (formula, { offers }, names) =>
      offers.some((offer) => offer !== undefined) &&
      !possible(not(formula), `whether ${names} can be hidden`),
  );
  const empty = classes.length === 0 ? undefined : satisfy(not(or(formulas)), space.sizes);
  if (empty?.found === false && empty.exhausted) unanswered.push('whether a configuration shows nothing');
  const rules = policy.rules.map((rule) => {
    const fires = classes
      .filter(({ kind }) => rule.kinds.includes(kind))
      .map(({ mapping }) => space.fires(rule, mapping));
    const can = possible(or(fires), `whether rule ${rule.id} can fire`);
    const cannot = possible(or(fires.map(not)), `whether rule ${rule.id} can stay silent`);
    return { id: rule.id, fires: can ? (cannot ? 'sometimes' : 'always') : 'never' } as const;
  });
  return {
    neverVisible,
    alwaysVisible,
    ...(empty?.found ? { emptySurface: describeAssignment(space, empty.assignment) } : {}),
    rules,
    configurations: countOf(space),
    unanswered,
  };
}

/**
 * @param policy the policy
 * @param shown what the policy says of one primitive
 * @param hidden what it says of another; nothing to ask whether the first can be hidden at all
 * @returns whether some configuration shows the one and hides the other
 */
export function canPart(policy: Policy, shown: Mapping | undefined, hidden: Mapping): boolean {
  const space = spanSpace(policy, shown === undefined ? [hidden] : [shown, hidden]);
  const apart = and([shown === undefined || space.shown(shown), not(space.shown(hidden))]);
  return satisfy(apart, space.sizes).found;
}

function countOf({ sizes }: Space): number {
  return sizes.reduce((product, size) => product * Math.max(1, size), 1);
}

function classesOf(
  policy: Policy,
  kind: Kind,
  items: readonly Primitive[],
): { kind: Kind; names: string[]; mapping: Mapping }[] {
  const { classes, classOf } = bindCatalog(policy, kind, items);
  return classes.map((mapping, number) => ({
    kind,
    mapping,
    names: items.filter((_item, index) => classOf[index] === number).map((item) => identityOf(kind, item)),
  }));
}

import { claimName } from '../engine/claims.js';
import { neededFacts, pathsOf, readsCaller } from '../engine/expression/expression.js';
import type { Mapping, ServerCatalog } from '../engine/mapping.js';
import { KINDS, type Kind, type Policy, type Rule } from '../engine/policy.js';
import { isScopeClaim } from '../engine/scope-claims.js';
import { classesOf } from './analyze.js';
import { type Assignment, and, type Formula, not, or, satisfy, simplify } from './formula.js';
import { type Lack, lacks, lacksOf, mayOpenByScopes, SCOPES, scopesIn, without } from './lacks.js';
import { type Space, spanSpace } from './space.js';
import { findWitness, type Pair } from './witness.js';

/** Primitives that a caller sees because it lacks something. */
export interface Opening {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly lack: Lack;
  /** The rule that decides differently for the two callers. */
  readonly rule: string | undefined;
  /** The caller that does not see them, and the one that does. */
  readonly pair: Pair;
}

/** What a policy shows to callers that have less. */
export interface Openings {
  readonly openings: readonly Opening[];
  /** What is not known, each as the end of a sentence that begins with "determine". */
  readonly unanswered: readonly string[];
}

/**
 * Finds what a policy shows to a caller because it lacks something. Without an opening and without unanswered questions, no caller
 * sees more than one that has more: the search compares all callers, and reports only what it finds two callers for.
 *
 * @param policy the policy
 * @param catalog the primitives of the server
 * @returns one opening for each class of equal primitives that has one, and what is not known
 * @example
 * openings(policy, { tools: [{ name: 'wipe' }] }).openings[0]?.lack; // { type: 'scope', name: 'guest' }
 */
export function openings(policy: Policy, catalog: ServerCatalog): Openings {
  const listed = KINDS.flatMap((kind) => classesOf(policy, kind, catalog[kind] ?? []));
  const classes = listed.flatMap((each) => [each, ...usesIn(each.mapping)]);
  const space = spanSpace(
    policy,
    classes.map(({ mapping }) => mapping),
  );
  const opened = new Map<Mapping, Opening>();
  const unknown = new Map<Mapping, { readonly names: readonly string[]; readonly lack: Lack }>();
  for (const lack of lacksOf(policy)) {
    if (classes.every(({ mapping }) => opened.has(mapping))) break;
    const pairs: Pair[] = [];
    const lacking = lackingSide(space, lack);
    for (const { kind, names, mapping } of classes) {
      // One way to open a primitive is enough: the next one shows after the first is fixed.
      if (opened.has(mapping)) continue;
      const suspects = suspectsOf(space, lacking, mapping);
      if (suspects.length === 0) continue;
      const found = findWitness(policy, mapping, lack, suspects, pairs);
      if (found === undefined) {
        // What a client can do is not for a policy to keep from it.
        if (!unknown.has(mapping) && !isAboutCapabilities(lack, suspects))
          unknown.set(mapping, { names, lack });
        continue;
      }
      if (!pairs.includes(found.pair)) pairs.push(found.pair);
      opened.set(mapping, { kind, names, lack, rule: found.rule?.id, pair: found.pair });
    }
  }
  const open = policy.rules.filter((rule) => mayOpenByScopes(rule, policy));
  const questions = [...unknown].filter(([mapping]) => !opened.has(mapping));
  return {
    openings: [...opened.values()],
    unanswered: [
      ...open.map(({ id }) => `whether the rule "${id}" shows more to a caller with fewer scopes`),
      ...questions.map(
        ([, { names, lack }]) => `whether ${some(names)} can be seen by a caller ${inWords(lack)}`,
      ),
    ],
  };
}

/** The uses of a tool are primitives, too. */
const usesIn = (tool: Mapping) =>
  (tool.alternatives?.().flat(2) ?? []).map((use) => {
    return { kind: tool.kind, mapping: { ...use, tool }, names: [use.use ?? ''] };
  });

/** Whether the rules could open only to a client that can do less. */
const isAboutCapabilities = ({ type }: Lack, suspects: readonly Rule[]): boolean =>
  type === 'capability' ||
  (type === 'everything' &&
    suspects.every(({ paths }) =>
      paths.every((path) => !readsCaller(path) || path.startsWith('client.capabilities')),
    ));

/** What the rules are for a caller that lacks something. */
interface LackingSide {
  readonly rules: readonly Rule[];
  /** The kinds of primitives that such a caller may see differently. */
  readonly changed: ReadonlySet<Kind>;
  /** The operator concerns that are denied then. */
  readonly denied: Assignment;
  /** The number of values that a caller with the claim can have of each concern. */
  readonly sizes: readonly number[];
}

function lackingSide({ policy, sizes: all }: Space, lack: Lack): LackingSide {
  const denied: (number | undefined)[] = all.map(() => undefined);
  const sizes = [...all];
  const deniedPaths = new Set<string>();
  policy.concerns.forEach(({ name, setBy, claim, default: fallback }, index) => {
    const path = isScopeClaim(claim ?? '') ? SCOPES : `claims.${claimName(claim ?? '')}`;
    if (setBy !== 'operator' || !lacks(lack, path)) return;
    const last = (sizes[index] ?? 1) - 1;
    // A claim that no value matches is denied on purpose.
    sizes[index] = last;
    // A default is what the policy says about callers without the claim.
    if (fallback !== undefined) return;
    denied[index] = last;
    deniedPaths.add(`concerns.${name}`);
  });
  const rules = policy.rules.map((rule): Rule => {
    const isRead =
      rule.paths.some((path) => lacks(lack, path)) ||
      (lack.type === 'scope' && scopesIn(rule.when).includes(lack.name));
    if (!isRead) return rule.paths.some((path) => deniedPaths.has(path)) ? { ...rule } : rule;
    // Where the capabilities are not known, a rule that reads them does not fire.
    const isUnknown = lacks(lack, 'client.capabilities') && rule.needs.includes('client.capabilities');
    const when = isUnknown ? NEVER : without(rule.when, lack);
    return { ...rule, when, needs: neededFacts(pathsOf(when)) };
  });
  const changed = new Set(
    rules.filter((rule, index) => rule !== policy.rules[index]).flatMap(({ kinds }) => kinds),
  );
  return { rules, changed, denied, sizes };
}

const NEVER = { type: 'literal', value: false, json: false, place: [] } as const;

/**
 * Finds the rules that may show a primitive to a caller that lacks something. A rule that reads nothing that is lacking decides the
 * same for both callers. Each other rule is searched on its own: together they would connect all rules, and no search could
 * end.
 */
function suspectsOf(
  space: Space,
  { rules, changed, denied, sizes }: LackingSide,
  mapping: Mapping,
): readonly Rule[] {
  const { policy } = space;
  if (!changed.has(mapping.kind)) return [];
  const less = simplify(space.shown(mapping, rules), denied);
  const showing = policy.rules.filter(({ effect }) => effect === 'show');
  return policy.rules.filter((rule, at) => {
    const after = rules[at];
    if (after === undefined || after === rule || !rule.kinds.includes(mapping.kind)) return false;
    const hidden: Formula =
      rule.effect === 'hide'
        ? space.fires(rule, mapping)
        : and([
            simplify(space.fires(after, mapping), denied),
            not(or(showing.map((each) => space.fires(each, mapping)))),
            not(space.shown(mapping, [])),
          ]);
    // Formulas can have added dimensions.
    const now = space.sizes.map((size, index) => sizes[index] ?? size);
    const search = satisfy(and([less, hidden]), now);
    return search.found || search.exhausted;
  });
}

const some = (names: readonly string[]): string =>
  `${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}`;

/** @returns what a caller lacks, in words that follow "a caller" */
export function inWords({ type, name }: Lack): string {
  switch (type) {
    case 'scope':
      return `without the scope "${name}"`;
    case 'everything':
      return 'of which nothing is known';
    default:
      return `without ${name}`;
  }
}

import { claimName } from '../engine/claims.js';
import { childrenOf, type Expression, pathsOf, readsCaller } from '../engine/expression/expression.js';
import { parseExpression } from '../engine/expression/parse.js';
import type { Mapping, ServerCatalog } from '../engine/mapping.js';
import { KINDS, type Kind, type Policy, type Rule } from '../engine/policy.js';
import { isScopeClaim } from '../engine/scope-claims.js';
import { classesOf } from './analyze.js';
import { type Assignment, and, type Formula, not, or, satisfy, simplify } from './formula.js';
import { describeAssignment, spanSpace } from './space.js';

/** What a caller can be without: a claim, a scope, a capability or name of its client, or all of them. */
export interface Lack {
  readonly what: string;
  readonly lacks: (path: string) => boolean;
  readonly scope?: string;
}

/** Primitives that a caller sees because it lacks something. */
export interface Opening {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly without: string;
  /** What the caller that has it may not see them with. */
  readonly unlike: Readonly<Record<string, unknown>>;
  readonly certain: boolean;
}

const SCOPES = 'caller.scopes';

/** Everything that a caller of the policy can be without. */
export function lacksOf({ rules, concerns }: Policy): Lack[] {
  const known = rules.some(({ needs }) => needs.includes('client.capabilities'))
    ? ['client.capabilities']
    : [];
  const read = [...new Set([...known, ...rules.flatMap(({ paths }) => paths)])].filter(readsCaller);
  const claimed = concerns.flatMap(({ claim }) =>
    claim === undefined || isScopeClaim(claim) ? [] : [`claims.${claimName(claim)}`],
  );
  const paths = [...new Set([...read, ...claimed])].filter(
    (path) => path !== SCOPES && path !== 'protocol.era',
  );
  const scopes = [...new Set(rules.flatMap(({ when }) => scopesIn(when)))];
  return [
    { what: 'everything', lacks: (path) => path !== 'protocol.era' },
    ...paths.map((path): Lack => ({ what: path, lacks: (each) => `${each}.`.startsWith(`${path}.`) })),
    ...scopes.map((scope): Lack => ({ what: `the scope ${scope}`, lacks: () => false, scope })),
  ];
}

/** The texts that an expression looks for in the scopes of a caller. */
function scopesIn(expression: Expression): string[] {
  const found = expression.type === 'operation' && expression.operator === 'in' ? expression.operands : [];
  const [member, list] = found;
  const isScope = list?.type === 'read' && list.path === SCOPES;
  const own = isScope && member?.type === 'literal' && typeof member.value === 'string' ? [member.value] : [];
  return [...own, ...childrenOf(expression).flatMap(scopesIn)];
}

/** The condition for a caller that lacks something, as JSON Logic. */
function without(expression: Expression, lack: Lack): unknown {
  const { json } = expression;
  switch (expression.type) {
    case 'read':
      if (!lack.lacks(expression.path)) return json;
      if (expression.path === SCOPES) return [];
      return expression.fallback === undefined ? null : without(expression.fallback, lack);
    case 'missing': {
      const gone = expression.paths.filter(lack.lacks);
      return gone.length === 0 ? json : gone;
    }
    case 'list':
      return expression.items.map((item) => without(item, lack));
    case 'quantified':
      return { [expression.operator]: [without(expression.list, lack), without(expression.condition, lack)] };
    case 'operation': {
      const { operator, operands } = expression;
      if (operator === 'in' && lack.scope !== undefined && scopesIn(expression).includes(lack.scope))
        return false;
      return { [operator]: operands.map((operand) => without(operand, lack)) };
    }
    default:
      return json;
  }
}

/**
 * Finds what a policy shows to a caller because it lacks something: what `not found` proves for every caller.
 *
 * @param policy the policy
 * @param catalog the primitives of the server
 * @returns the openings; empty if no caller sees more than one who has more
 */
export function openings(policy: Policy, catalog: ServerCatalog): Opening[] {
  const classes = KINDS.flatMap((kind) => classesOf(policy, kind, catalog[kind] ?? []));
  const space = spanSpace(
    policy,
    classes.map(({ mapping }) => mapping),
  );
  const showing = policy.rules.filter(({ effect }) => effect === 'show');
  const scopesOf = new Map(policy.rules.map((rule) => [rule, new Set(scopesIn(rule.when))] as const));
  // One way to open a primitive is enough: the next shows after the first is fixed, and a search for each takes cubic time.
  const opened = new Set<Mapping>();
  return lacksOf(policy).flatMap((lack) => {
    // A concern without a default is denied then. A default is what the author says about callers without the claim.
    const denied: (number | undefined)[] = [];
    const sizes = [...space.sizes];
    policy.concerns.forEach(({ setBy, claim, default: fallback }, index) => {
      const path = isScopeClaim(claim ?? '') ? SCOPES : `claims.${claimName(claim ?? '')}`;
      if (setBy !== 'operator' || !lack.lacks(path)) return;
      const size = sizes[index] ?? 0;
      if (fallback === undefined) denied[index] = size - 1;
      // A claim that no value matches is denied on purpose.
      sizes[index] = size - 1;
    });
    const readsDenied = ({ paths }: Rule) =>
      policy.concerns.some(
        ({ name }, index) => denied[index] !== undefined && paths.includes(`concerns.${name}`),
      );
    const rules = policy.rules.map((rule): Rule => {
      const reads =
        rule.paths.some(lack.lacks) ||
        (lack.scope !== undefined && scopesOf.get(rule)?.has(lack.scope) === true);
      if (!reads) return readsDenied(rule) ? { ...rule } : rule;
      // Where the capabilities are not known, a rule that reads them does not fire.
      const isUnknown = lack.lacks('client.capabilities') && rule.needs.includes('client.capabilities');
      const when = parseExpression(isUnknown ? false : without(rule.when, lack)).expression;
      return {
        ...rule,
        when,
        needs: rule.needs.filter((fact) => pathsOf(when).some((path) => `${path}.`.startsWith(`${fact}.`))),
      };
    });
    const changed = new Set(
      rules.filter((rule, index) => rule !== policy.rules[index]).flatMap(({ kinds }) => kinds),
    );
    const lacking = assignmentOf(denied, space.sizes.length);
    return classes.flatMap(({ kind, names, mapping }): Opening[] => {
      if (!changed.has(kind) || opened.has(mapping)) return [];
      const bare = space.shown(mapping, []);
      const less = simplify(space.shown(mapping, rules), lacking);
      // A rule that reads nothing that is lacking decides the same for both callers. Each way to be hidden is searched on its
      // own: together they would connect all rules, and no search could end.
      const ways = policy.rules.flatMap((rule, at): Formula[] => {
        const after = rules[at] ?? rule;
        if (after === rule || !rule.kinds.includes(kind)) return [];
        if (rule.effect === 'hide') return [space.fires(rule, mapping)];
        return [
          and([
            simplify(space.fires(after, mapping), lacking),
            not(or(showing.map((each) => space.fires(each, mapping)))),
            not(bare),
          ]),
        ];
      });
      const searches = ways.map((hidden) => satisfy(and([less, hidden]), sizesNow(sizes, space.sizes)));
      const search =
        searches.find(({ found }) => found) ?? searches.find((each) => !each.found && each.exhausted);
      if (search === undefined) return [];
      opened.add(mapping);
      const unlike = search.found ? describeAssignment(space, search.assignment) : {};
      return [{ kind, names, without: lack.what, unlike, certain: search.found }];
    });
  });
}

const assignmentOf = (denied: readonly (number | undefined)[], length: number): Assignment =>
  Array.from({ length }, (_, index) => denied[index]);

/** Formulas can have added dimensions. */
const sizesNow = (sizes: readonly number[], all: readonly number[]): number[] =>
  all.map((size, index) => sizes[index] ?? size);

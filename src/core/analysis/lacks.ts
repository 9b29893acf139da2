import { claimName } from '../engine/claims.js';
import { connects } from '../engine/expression/closed.js';
import { childrenOf, type Expression, pathsOf, readsCaller } from '../engine/expression/expression.js';
import type { Policy, Rule } from '../engine/policy.js';
import { isScopeClaim } from '../engine/scope-claims.js';

/** Something that a caller can be without. */
export interface Lack {
  readonly type: 'scope' | 'client' | 'claim' | 'everything' | 'capability';
  /** The scope or the path; empty for everything. */
  readonly name: string;
}

export const SCOPES = 'caller.scopes';
const CAPABILITIES = 'client.capabilities';

/**
 * Lists everything that a caller of a policy can be without and that the policy reads. What callers choose comes first, so that it
 * is reported first; capabilities come last, because a rule about them is about what a client can do.
 *
 * @param policy the policy
 * @returns the scopes, paths of clients and claims, everything at once, and capabilities
 */
export function lacksOf({ rules, concerns }: Policy): readonly Lack[] {
  const claimed = concerns.flatMap(({ claim }) =>
    claim === undefined || isScopeClaim(claim) ? [] : [`claims.${claimName(claim)}`],
  );
  const known = rules.some(({ needs }) => needs.includes(CAPABILITIES)) ? [CAPABILITIES] : [];
  const read = new Set([...known, ...rules.flatMap(({ paths }) => paths).filter(readsCaller), ...claimed]);
  const paths = [...read].filter((path) => path !== SCOPES && path !== 'protocol.era');
  const scopes = [...new Set(rules.flatMap(({ when }) => scopesIn(when)))];
  const ofType = (type: Lack['type'], names: readonly string[]) =>
    names.map((name): Lack => ({ type, name }));
  const isCapability = (path: string) => path.startsWith(CAPABILITIES);
  return [
    ...ofType('scope', scopes),
    ...ofType(
      'client',
      paths.filter((path) => path.startsWith('client.') && !isCapability(path)),
    ),
    ...ofType(
      'claim',
      paths.filter((path) => path.startsWith('claims.')),
    ),
    { type: 'everything', name: '' },
    ...ofType('capability', paths.filter(isCapability)),
  ];
}

/** Whether a caller without it has no value at the path. */
export function lacks({ type, name }: Lack, path: string): boolean {
  if (type === 'everything') return readsCaller(path) && path !== 'protocol.era';
  return type !== 'scope' && `${path}.`.startsWith(`${name}.`);
}

/** @returns the texts that an expression looks for in the scopes of a caller */
export function scopesIn(expression: Expression): readonly string[] {
  const own = scopeOf(expression);
  return [...(own === undefined ? [] : [own]), ...childrenOf(expression).flatMap(scopesIn)];
}

function scopeOf(expression: Expression): string | undefined {
  if (expression.type !== 'operation' || expression.operator !== 'in') return undefined;
  const [member, list] = expression.operands;
  if (list?.type !== 'read' || list.path !== SCOPES || member?.type !== 'literal') return undefined;
  return typeof member.value === 'string' ? member.value : undefined;
}

/**
 * Rewrites the condition of a rule as a caller meets it that lacks something.
 *
 * @param expression the condition, closed as `preparePolicy` does it
 * @param lack what the caller does not have
 * @returns the condition, in which what the caller lacks is a constant
 */
export function without(expression: Expression, lack: Lack): Expression {
  const inner = (each: Expression) => without(each, lack);
  const { place } = expression;
  switch (expression.type) {
    case 'read': {
      if (!lacks(lack, expression.path)) return expression;
      if (expression.path === SCOPES) return { type: 'list', items: [], json: [], place };
      return expression.fallback === undefined ? constant(null, place) : inner(expression.fallback);
    }
    case 'missing': {
      const gone = expression.paths.filter((path) => lacks(lack, path)).map((path) => constant(path, place));
      return gone.length === 0 ? expression : { type: 'list', items: gone, json: gone.map(jsonOf), place };
    }
    case 'list': {
      const items = expression.items.map(inner);
      return { ...expression, items, json: items.map(jsonOf) };
    }
    case 'quantified': {
      const { operator } = expression;
      const [list, condition] = [inner(expression.list), inner(expression.condition)];
      return { ...expression, list, condition, json: { [operator]: [list.json, condition.json] } };
    }
    case 'operation': {
      if (lack.type === 'scope' && scopeOf(expression) === lack.name) return constant(false, place);
      const operands = expression.operands.map(inner);
      return { ...expression, operands, json: { [expression.operator]: operands.map(jsonOf) } };
    }
    case 'closed': {
      const gone = expression.needs.filter(({ path }) => lacks(lack, path));
      if (gone.some(({ hasFallback }) => !hasFallback)) return constant(expression.counts, place);
      const part = inner(expression.part);
      const needs = expression.needs.filter((need) => !gone.includes(need));
      return needs.length === 0 ? part : { ...expression, part, needs, json: part.json };
    }
    default:
      return expression;
  }
}

const jsonOf = ({ json }: Expression): unknown => json;

const constant = (value: unknown, place: Expression['place']): Expression => ({
  type: 'literal',
  value,
  json: value,
  place,
});

/**
 * Whether a caller with fewer scopes can meet a rule that reads scopes in a way that `without` cannot rewrite. Parts that are true
 * for more callers the more scopes these have do no harm where they show, or where they hide and are negated.
 *
 * @param rule the rule
 * @param policy the policy, whose concerns can come from scopes
 * @returns whether the rule could show more to a caller with fewer scopes
 */
export function mayOpenByScopes({ when, effect }: Rule, { concerns }: Policy): boolean {
  const ofScopes = new Set([
    SCOPES,
    ...concerns.flatMap(({ name, claim }) => (isScopeClaim(claim ?? '') ? [`concerns.${name}`] : [])),
  ]);
  const isSafe = (part: Expression, isNegated: boolean): boolean => {
    if (part.type === 'closed') return isSafe(part.part, isNegated);
    if (part.type === 'operation' && connects(part.operator)) {
      if (
        part.operator === 'if' &&
        part.operands.some((each) => pathsOf(each).some((path) => ofScopes.has(path)))
      )
        return part.operands.every((each) => isExact(each) || !readsAny(each, ofScopes));
      return part.operands.every((each) => isSafe(each, part.operator === '!' ? !isNegated : isNegated));
    }
    if (!readsAny(part, ofScopes) || isExact(part)) return true;
    return isIncreasing(part, ofScopes) && (effect === 'hide') === isNegated;
  };
  return !isSafe(when, false);
}

const readsAny = (part: Expression, paths: ReadonlySet<string>): boolean =>
  pathsOf(part).some((path) => paths.has(path));

/** Whether `without` rewrites all reads of scopes in the part. */
function isExact(part: Expression): boolean {
  if (scopeOf(part) !== undefined) return true;
  if (part.type === 'closed') return isExact(part.part);
  if (part.type !== 'operation' || !connects(part.operator)) return !pathsOf(part).includes(SCOPES);
  return part.operands.every(isExact);
}

/** Whether the part stays true if the caller gets more scopes. */
function isIncreasing(part: Expression, ofScopes: ReadonlySet<string>): boolean {
  const isList = (each: Expression | undefined) =>
    each?.type === 'read' && each.fallback === undefined && ofScopes.has(each.path);
  if (part.type === 'quantified')
    return part.operator === 'some' && isList(part.list) && !readsAny(part.condition, ofScopes);
  if (part.type !== 'operation' || part.operator !== 'in') return false;
  const [member, list] = part.operands;
  return member !== undefined && !readsAny(member, ofScopes) && isList(list);
}

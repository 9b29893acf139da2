import { isObject, membersOf, readOwn } from './expression/evaluate.js';
import { itemAt } from './item-at.js';
import type { ClaimPath, Concern, ConcernValue, Policy } from './policy.js';
import type { PreferredValue } from './preference-source.js';
import { isScopeClaim, SCOPE_CLAIMS } from './scope-claims.js';

/** The verified part of what is known about a caller. */
export interface Verified {
  readonly claims?: ReadonlyMap<string, unknown> | undefined;
  /** The scopes that the verifier of the token found, beside those in the claims. */
  readonly scopes?: readonly string[] | undefined;
}

/** @returns the names of the claims that a claim of a policy reads, in words */
export const claimNames = (claim: ClaimPath): readonly string[] =>
  isScopeClaim(claim) ? SCOPE_CLAIMS : [claimName(claim)];

/** @returns a claim of a policy in words: `realm_access.roles` */
export const claimName = (claim: ClaimPath): string => [claim].flat().join('.');

/** The most scopes of a caller that count. A header of 16 kB, in which tokens arrive, has room for a few hundred. */
export const MAX_SCOPES = 1000;

/** Every concern and rule that reads scopes asks for those of the same caller. */
const collected = new WeakMap<Verified, readonly string[] | undefined>();

/**
 * Collects the scopes of a caller: texts are split at blanks, and lists and texts are one set.
 *
 * @param caller the claims, and the scopes that the verifier of the token found
 * @returns the scopes, each once and sorted, because equal sets must decide the same; `undefined` if they are more than
 *   `MAX_SCOPES`, of which none counts then
 * @example
 * scopesOf({ claims: new Map([['scope', 'notes:write notes:read']]) }); // ['notes:read', 'notes:write']
 */
export function scopesOf(caller: Verified): readonly string[] | undefined {
  if (!collected.has(caller)) collected.set(caller, collectScopes(caller));
  return collected.get(caller);
}

function collectScopes({ claims, scopes = [] }: Verified): readonly string[] | undefined {
  const words = new Set<string>();
  for (const each of [...SCOPE_CLAIMS.map((name) => claims?.get(name)), scopes].flatMap(listOf)) {
    for (const [word] of textOf(each).matchAll(/\S+/g)) {
      words.add(word);
      if (words.size > MAX_SCOPES) return undefined;
    }
  }
  return [...words].sort();
}

/**
 * Finds the value that the claim of an operator concern gives it. A claim that no value matches or that cannot be read gives
 * none, nor does one with several elements if the concern takes one value. A verified caller always has scopes, perhaps none.
 *
 * @param policy the policy
 * @param index the index of the concern
 * @param caller the claims and scopes
 * @returns the value; `no-claim` if the caller does not have the claim, or why the claim gives no value
 * @example
 * claimedValue(policy, index, { claims: new Map([['groups', ['staff']]]) }); // 0
 */
export function claimedValue(
  policy: Policy,
  index: number,
  caller: Verified,
): PreferredValue | 'no-claim' | 'unmatched-claim' | 'several-claims' {
  const { claim = '', multiple, values } = itemAt(policy.concerns, index);
  const isScope = isScopeClaim(claim);
  const [root = ''] = [claim].flat();
  if (isScope ? !isVerified(caller) : caller.claims?.get(root) === undefined) return 'no-claim';
  const list = listOf(isScope ? scopesOf(caller) : readClaim(caller, claim));
  if ('min' in values) {
    const number = list.length === 1 ? toNumber(list[0]) : undefined;
    return number !== undefined && number >= values.min && number <= values.max ? number : 'unmatched-claim';
  }
  const numbers = itemAt(policy.claimed, index);
  const matched = new Set(list.flatMap((each) => numbers.get(textOf(each)) ?? []));
  if (matched.size === 0) return 'unmatched-claim';
  if (multiple) return [...matched].sort((a, b) => a - b);
  // Every caller has scopes for other things too: of scopes, only those that the concern declares count.
  const [only = 0] = matched;
  return (isScope ? matched.size : list.length) === 1 ? only : 'several-claims';
}

/**
 * Gives a caller the claim that sets an operator concern.
 *
 * @param caller the caller
 * @param concern the concern
 * @param given the values that it has then. Scopes, and a claim of a concern that takes several values, keep what they had
 * @returns the caller with the claim
 * @example
 * withClaim({}, { claim: ['realm_access', 'roles'], multiple: true, ... }, ['ops']).claims;
 */
export function withClaim<C extends Verified>(
  caller: C,
  concern: Concern,
  given: readonly ConcernValue[],
): C {
  const { claim = '', multiple } = concern;
  const texts = given.map((value) => claimText(concern, value));
  const claims = new Map(caller.claims);
  if (isScopeClaim(claim)) {
    return { ...caller, claims: claims.set('scope', [claims.get('scope') ?? [], ...texts].flat().join(' ')) };
  }
  const before = listOf(readClaim(caller, claim) ?? []);
  return {
    ...caller,
    claims: setClaim(claims, claim, multiple ? [...new Set([...before, ...texts])] : texts[0]),
  };
}

/** Parses a claim that a person writes. It is JSON, because tokens contain numbers, booleans and lists; any other text is a string. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sets a claim at its path, and keeps the other members of the objects on it. */
export function setClaim(
  claims: Map<string, unknown>,
  claim: ClaimPath,
  value: unknown,
): Map<string, unknown> {
  const [name = '', ...names] = [claim].flat();
  return claims.set(name, placedAt(names, value, claims.get(name)));
}

/** @returns what a claim must contain for a value of the concern */
export function claimText({ claimValues }: Concern, value: ConcernValue): ConcernValue {
  const texts = readOwn(claimValues, String(value));
  return Array.isArray(texts) ? texts[0] : value;
}

/** Reads through objects only: a list or a text has no members that a token names. */
function readClaim({ claims }: Verified, claim: ClaimPath): unknown {
  const [name = '', ...names] = [claim].flat();
  const member = (value: unknown, key: string) => (isObject(value) ? readOwn(value, key) : undefined);
  return names.reduce(member, claims?.get(name));
}

const isVerified = ({ claims, scopes }: Verified): boolean =>
  scopes !== undefined || (claims !== undefined && claims.size > 0);

function placedAt([name, ...names]: readonly string[], value: unknown, before: unknown): unknown {
  if (name === undefined) return value;
  return { ...membersOf(before), [name]: placedAt(names, value, readOwn(before, name)) };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** @returns an element of a claim as a text; an empty one, which no value has, for objects and lists */
function textOf(element: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof element) ? String(element) : '';
}

function toNumber(element: unknown): number | undefined {
  if (typeof element === 'number') return element;
  return typeof element === 'string' && /^-?\d+(\.\d+)?$/.test(element) ? Number(element) : undefined;
}

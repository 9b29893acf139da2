/**
 * Where tokens carry scopes: RFC 8693 and 9068, Entra and Okta, others. In a policy, each of these names means all of them.
 * https://datatracker.ietf.org/doc/html/rfc9068#section-2.2.3
 */
export const SCOPE_CLAIMS: readonly string[] = ['scope', 'scp', 'scopes'];

/** @returns whether a claim of a policy means the scopes of the caller */
export function isScopeClaim(claim: string | readonly string[] | undefined): boolean {
  const [name = '', ...rest] = [claim ?? []].flat();
  return rest.length === 0 && SCOPE_CLAIMS.includes(name);
}

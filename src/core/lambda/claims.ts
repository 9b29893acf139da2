import { bearerToken, callerOfClaims } from '../http/callers/authorization.js';
import type { AuthInfo } from '../wire/transport.js';
import { claimFromText, contextFromText, payloadOf } from './claim-texts.js';
import type { Authorizer, HttpEvent, IamIdentity } from './event.js';

/** Where the token is that an authorizer verified: in the header `Authorization`, or elsewhere. */
export const VERIFIED_TOKENS = ['none', 'authorization'] as const;
export type VerifiedToken = (typeof VERIFIED_TOKENS)[number];

/**
 * Reads the caller from what the authorizer in front of the function found out: a JWT authorizer or Amazon Cognito, a
 * Lambda authorizer, or IAM. A client can write anything into its headers. A token in them counts only if the authorizer verified
 * that one, and only where it says the same as the event, see `claimFromText`. No comparison of claims can tell that it did: a
 * client with a verified token can repeat all its claims in another one.
 *
 * @param event the event
 * @param verified where the token is that the authorizer verified
 * @returns the caller, with the claims in `extra`; `undefined` if no authorizer verified the caller
 * @example
 * callerOf(event)?.extra?.['custom:tier']; // 'pro'
 */
export function callerOf(event: HttpEvent, verified: VerifiedToken = 'none'): AuthInfo | undefined {
  const { authorizer } = event.requestContext;
  const token = bearerToken(event.headers?.authorization) ?? '';
  const claims =
    authorizer && claimsOf(authorizer, event.version, verified === 'authorization' ? payloadOf(token) : {});
  if (claims === undefined) return undefined;
  // Not `jwt.scopes`: these are scopes that the route accepts, and a token needs only one of them.
  return callerOfClaims(token, claims);
}

function claimsOf(
  { jwt, lambda, iam }: Authorizer,
  version: string | undefined,
  payload: object,
): Record<string, unknown> | undefined {
  const isRest = version === '1.0';
  if (jwt?.claims !== undefined) {
    // An HTTP API leaves out claims that are null.
    const empty = Object.entries(payload).filter(([, value]) => value === null);
    const read = (value: unknown, name: string) => claimFromText(value, name, payload, isRest);
    return { ...Object.fromEntries(empty), ...mapped(jwt.claims, read) };
  }
  // A REST API passes the context of a Lambda authorizer as text, an HTTP API as JSON.
  if (lambda) return isRest ? mapped(lambda, contextFromText) : { ...lambda };
  return iam?.userArn ? iamClaims(iam, iam.userArn) : undefined;
}

const mapped = (
  claims: Readonly<Record<string, unknown>>,
  read: (value: unknown, name: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, read(value, name)]));

/**
 * The identity that signed a request, as claims. `iss` and `sub` bind sessions to it. The session of an assumed role is a
 * caller of its own: its name is part of the ARN.
 */
function iamClaims(iam: IamIdentity, arn: string): Record<string, unknown> {
  // arn:aws:sts::123456789012:assumed-role/ROLE/SESSION
  const [, role] = /^arn:[^:]*:sts::[^:]*:assumed-role\/([^/]+)\//.exec(arn) ?? [];
  const claims = {
    iss: 'aws:iam',
    sub: arn,
    'aws:account': iam.accountId,
    'aws:role': role,
    'aws:organization': iam.principalOrgId,
    'aws:cognito-identity': iam.cognitoIdentity?.identityId,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => (value ?? null) !== null));
}

import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { scopesOf } from '../engine/claims.js';
import { bearerToken } from '../http/callers/authorization.js';
import type { Authorizer, HttpEvent, IamIdentity } from './event.js';

/** Claims that are names (RFC 7519, RFC 9068): `42` in them stays a string. */
const NAMES: ReadonlySet<string> = new Set(['iss', 'sub', 'jti', 'client_id', 'azp', 'username']);

/**
 * Reads the caller from what the authorizer in front of the function found out: a JWT authorizer or Amazon Cognito, a
 * Lambda authorizer, or IAM. Nothing else is read, because a client can write anything into its headers.
 *
 * @param event the event
 * @returns the caller, with the claims in `extra`; `undefined` if no authorizer verified the caller
 * @example
 * callerOf(event)?.extra?.['custom:tier']; // 'pro'
 */
export function callerOf(event: HttpEvent): AuthInfo | undefined {
  const { authorizer } = event.requestContext;
  const claims = authorizer && claimsOf(authorizer, event.version);
  if (claims === undefined) return undefined;
  const { client_id: client, azp, exp } = claims;
  const scopes = scopesOf({ claims: new Map(Object.entries(claims)) });
  return {
    token: bearerToken(event.headers?.authorization) ?? '',
    clientId: String(client ?? azp ?? ''),
    // Not `jwt.scopes`: these are scopes that the route accepts, and a token needs only one of them.
    scopes: [...(scopes ?? [])],
    ...(typeof exp === 'number' ? { expiresAt: exp } : {}),
    extra: claims,
  };
}

function claimsOf(authorizer: Authorizer, version: string | undefined): Record<string, unknown> | undefined {
  const { jwt, lambda, iam } = authorizer;
  if (jwt?.claims !== undefined) return mapped(jwt.claims, version === '1.0' ? fromCognito : unflatten);
  // A REST API passes the context of a Lambda authorizer as text, an HTTP API as JSON.
  if (lambda) return mapped(lambda, version === '1.0' ? fromText : (value) => value);
  return iam?.userArn ? iamClaims(iam, iam.userArn) : undefined;
}

function mapped(
  claims: Readonly<Record<string, unknown>>,
  read: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [name, NAMES.has(name) ? value : read(value, name)]),
  );
}

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

/**
 * Restores a claim that an HTTP API wrote as text: `[a b]` for a list, digits for a number, JSON for an object. A claim that was text in the
 * token cannot always be distinguished: `42` becomes a number, but `007` and `1e3` stay text, because an HTTP API does not
 * write numbers like that.
 *
 * @param value a claim of the event
 * @returns the claim as it was in the token, as far as this can be known
 * @example
 * unflatten('[admin users]'); // ['admin', 'users']
 */
export function unflatten(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const object = value.startsWith('{') ? fromJson(value) : undefined;
  if (object !== undefined) return object;
  const list = /^\[(.*)\]$/s.exec(value)?.[1];
  if (list === undefined) return scalar(value);
  return list === '' ? [] : list.split(' ').map(scalar);
}

/** The Amazon Cognito authorizer of a REST API writes the groups of a user as one text, separated by commas. */
const fromCognito = (value: unknown, name: string): unknown =>
  name === 'cognito:groups' ? String(value).split(',') : unflatten(value);

/** Lambda authorizers of a REST API return text, so they write lists and objects as JSON. */
const fromText = (value: unknown): unknown =>
  typeof value === 'string' ? (fromJson(value) ?? scalar(value)) : value;

/** @returns the list or object that a text is the JSON of; `undefined` if it is not one */
function fromJson(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function scalar(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}

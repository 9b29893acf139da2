import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { bearerToken } from '../http/authorization.js';
import type { HttpEvent } from './event.js';

/** Claims that are names (RFC 7519, RFC 9068): `42` in them stays a string. */
const NAMES: ReadonlySet<string> = new Set(['iss', 'sub', 'jti', 'client_id', 'azp', 'username']);

/**
 * Reads the caller from the result of the JWT authorizer of an HTTP API. Nothing else is read, because a client can
 * write anything into its headers. A function URL has no authorizer, and so no claims.
 *
 * @param event the event
 * @returns the caller, with the claims in `extra`; `undefined` if no authorizer verified a token
 * @example
 * callerOf(event)?.extra?.['custom:tier']; // 'pro'
 */
export function callerOf(event: HttpEvent): AuthInfo | undefined {
  const jwt = event.requestContext.authorizer?.jwt;
  if (jwt?.claims === undefined) return undefined;
  const claims = Object.fromEntries(
    Object.entries(jwt.claims).map(([name, value]) => [name, NAMES.has(name) ? value : unflatten(value)]),
  );
  const { client_id: client, azp, scope, exp } = claims;
  return {
    token: bearerToken(event.headers?.authorization) ?? '',
    clientId: String(client ?? azp ?? ''),
    scopes: [...(jwt.scopes ?? (typeof scope === 'string' ? scope.split(' ') : []))],
    ...(typeof exp === 'number' ? { expiresAt: exp } : {}),
    extra: claims,
  };
}

/**
 * Restores a claim that an HTTP API wrote as text: `[a b]` for a list, digits for a number. A claim that was text in the
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
  const list = /^\[(.*)\]$/s.exec(value)?.[1];
  if (list === undefined) return scalar(value);
  return list === '' ? [] : list.split(' ').map(scalar);
}

function scalar(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}

import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { bearerToken } from '../http/authorization.js';
import type { HttpEvent } from './event.js';

/** Claims that name somebody or something: `42` in them is a name, not a number (RFC 7519, RFC 9068). */
const NAMES: ReadonlySet<string> = new Set(['iss', 'sub', 'jti', 'client_id', 'azp', 'username']);

/**
 * Tells who calls, from what the JWT authorizer of an HTTP API found in the token. Nothing else is looked at: headers
 * are the client's own words. A function URL has no authorizer, and so no claims.
 *
 * @param event the event
 * @returns the caller, with the claims in `extra`; nothing if nobody verified a token
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
 * Undoes what an HTTP API does to claims, which it writes as text: `[a b]` for a list, digits for a number. What was
 * text from the start cannot always be told apart: `42` becomes a number, but `007` and `1e3`, which no number is
 * written as, stay as they are.
 *
 * @param value a claim of the event
 * @returns the claim as the token had it, as far as can be told
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

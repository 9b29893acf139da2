import { scopesOf } from '../../engine/claims.js';
import type { AuthInfo } from '../../wire/transport.js';
import type { FetchHandler, FetchOptions } from '../fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http-errors.js';
import { isCard, isForCard } from '../server-card/serve-card.js';

/** How hosts log in at an endpoint. */
export interface Authorization {
  /** The issuers whose tokens are accepted. Hosts log in there. */
  readonly servers: readonly string[];
  /** The public URL of the endpoint. Defaults to the URL of the request; set it behind a CDN. */
  readonly resource?: string | undefined;
  /** The scopes that hosts should request. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Verifies tokens if nothing in front of the endpoint does. A function URL of Lambda has no authorizer. The type is that of
   * `OAuthTokenVerifier` of SDK v1, whose own declaration compiles only beside the types of Express.
   */
  readonly verifier?: { verifyAccessToken(token: string): Promise<AuthInfo> } | undefined;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** The endpoint that the document at the root describes. */
const ENDPOINT = '/mcp';

/**
 * Requires a verified caller for each request, and tells hosts where to log in.
 *
 * @param handle answers the requests of verified callers
 * @param authorization how hosts log in; if `undefined`, anyone may call
 * @returns a handler that answers 401 to other callers
 * @example
 * const handle = requireLogin(createHandler({ server, policy }), { servers: ['https://login.example'] });
 */
export function requireLogin(handle: FetchHandler, authorization: Authorization | undefined): FetchHandler {
  if (authorization === undefined) return handle;
  return async (request, given = {}) => {
    if (isForCard(request)) {
      const response = await handle(request, { ...given, authInfo: undefined });
      // Any other answer of the handler needs a login, whatever the path is.
      if (isCard(response)) return response;
      await response.body?.cancel();
    }
    const document = describeLogin(request, authorization);
    if (document !== undefined) return document;
    const caller = await authorize(request, authorization, given.authInfo);
    return caller instanceof Response
      ? caller
      : handle(request, { ...given, authInfo: caller, resource: authorization.resource ?? given.resource });
  };
}

/**
 * Answers requests for the protected resource metadata (RFC 9728), which hosts read before they have a token.
 *
 * @param request the HTTP request
 * @param authorization how hosts log in
 * @returns the document; `undefined` if the request is for something else
 */
export function describeLogin(request: Request, authorization: Authorization): Response | undefined {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || !(pathname === WELL_KNOWN || pathname.startsWith(`${WELL_KNOWN}/`))) {
    return undefined;
  }
  const { servers, scopes, resource } = authorization;
  const document = {
    resource: resource ?? `${origin}${pathname.slice(WELL_KNOWN.length) || ENDPOINT}`,
    authorization_servers: servers,
    ...(scopes === undefined || scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  };
  // The document is public, and the same for all callers.
  const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=3600' };
  return Response.json(document, { headers });
}

/**
 * Verifies the caller.
 *
 * @param request the HTTP request
 * @param authorization how hosts log in
 * @param verified the caller, if something in front of the endpoint verified it
 * @returns the caller, or a 401 that tells where to log in
 */
async function authorize(
  request: Request,
  authorization: Authorization,
  verified: AuthInfo | undefined,
): Promise<AuthInfo | Response> {
  const { verifier } = authorization;
  if (verifier === undefined) return verified ?? unauthorized(request, authorization, false);
  const token = bearerToken(request.headers.get('authorization'));
  if (token === undefined) return unauthorized(request, authorization, false);
  try {
    const caller = await verifier.verifyAccessToken(token);
    const expired = caller.expiresAt !== undefined && caller.expiresAt <= Date.now() / 1000;
    return expired ? unauthorized(request, authorization, true) : caller;
  } catch (cause) {
    // The SDK's error class has this code if the verifier could not decide. That is not the caller's fault.
    const undecided = cause instanceof Error && 'errorCode' in cause && cause.errorCode === 'server_error';
    if (undecided) throw cause;
    return unauthorized(request, authorization, true);
  }
}

/** @returns the caller whom the claims of a verified token name */
export function callerOfClaims(token: string, claims: Readonly<Record<string, unknown>>): AuthInfo {
  const { client_id: client, azp, exp } = claims;
  const scopes = scopesOf({ claims: new Map(Object.entries(claims)) });
  return {
    token,
    clientId: String(client ?? azp ?? ''),
    scopes: [...(scopes ?? [])],
    ...(typeof exp === 'number' ? { expiresAt: exp } : {}),
    extra: { ...claims },
  };
}

function unauthorized(
  request: Request,
  { resource, scopes = [] }: Authorization,
  invalid: boolean,
): Response {
  const message = invalid
    ? 'The access token is not valid, or no longer valid. Log in again.'
    : 'This endpoint requires an access token. The WWW-Authenticate header tells where to log in.';
  return challenge(401, message, resource ?? request.url, invalid ? 'invalid_token' : undefined, scopes);
}

/**
 * Tells a verified caller which scopes a request takes, so that its host can ask the person to grant them.
 *
 * @param scope the scopes, with a blank between each two of them
 * @param request the HTTP request
 * @param given what is known about it
 * @returns a 403: https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-challenge-handling
 */
export function insufficientScope(scope: string, request: Request, given: FetchOptions): Response {
  const message = `Insufficient scope: this request requires ${scope}.`;
  const resource = given.authInfo?.resource?.href ?? given.resource ?? request.url;
  return challenge(403, message, resource, 'insufficient_scope', [scope]);
}

function challenge(
  status: number,
  message: string,
  resource: string,
  error: string | undefined,
  scopes: readonly string[],
): Response {
  const { origin, pathname } = new URL(resource);
  const parameters = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    `resource_metadata="${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}"`,
  ];
  return failure(status, HTTP_ERRORS.refused, message, {
    'WWW-Authenticate': `Bearer ${parameters.join(', ')}`,
  });
}

/** @returns the token of an `Authorization: Bearer` header */
export function bearerToken(header: string | null | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

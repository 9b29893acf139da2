import { join } from 'node:path';
import { ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { bearerToken, describeLogin, requireLogin } from '../../../core/http/callers/authorization.js';
import type { FetchHandler } from '../../../core/http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../../../core/http/http-errors.js';
import { sameSecret } from '../../../core/http/same-secret.js';
import { userKey } from '../../control/user-keys.js';
import { CliError } from '../../errors.js';
import type { Service } from '../../options/service-options.js';
import { stateFolder } from '../../project/state-folder.js';
import { verifyTokens } from './verify-tokens.js';

/** What keeps callers out who may not use an endpoint for many. */
export interface Access {
  /** What callers need, for people. */
  readonly needs: string;
  /** Answers 401 to those without it. */
  readonly guard: (handle: FetchHandler) => FetchHandler;
  /** Answers requests for the document that says where to log in. */
  readonly describe?: (request: Request) => Response | undefined;
}

const KEY = 'MCP_CONCERNS_ENDPOINT_KEY';

/**
 * Lets callers in by the key of the endpoint, or by a token of its issuer.
 *
 * @param service what callers need
 * @param environment the variables of the process, which may have the key
 * @throws {CliError} if the key is too short, or cannot be kept
 * @example
 * const { guard } = accessOf(service, process.env);
 */
export function accessOf({ isOpen, tokens }: Service, environment: NodeJS.ProcessEnv): Access {
  if (tokens !== undefined) return byToken(tokens);
  if (isOpen) return { needs: 'nothing', guard: (handle) => handle };
  const given = secretIn(KEY, environment);
  const key = given ?? userKey('endpoint-key', environment);
  const place = given === undefined ? join(stateFolder(environment), 'endpoint-key') : KEY;
  return {
    needs: `the header "Authorization: Bearer KEY" with the key in ${place}`,
    guard: (handle) => async (request, given) =>
      sameSecret(bearerToken(request.headers.get('authorization')) ?? '', key)
        ? handle(request, given)
        : failure(401, HTTP_ERRORS.refused, 'This endpoint requires its key.', {
            'WWW-Authenticate': 'Bearer',
          }),
  };
}

function byToken({ issuer, audience }: NonNullable<Service['tokens']>): Access {
  const authorization = {
    servers: [issuer],
    // An audience is usually the public URL of the endpoint (RFC 8707).
    resource: URL.canParse(audience) ? audience : undefined,
    verifier: verifyTokens(issuer, audience),
  };
  const undecided = (cause: unknown): Response => {
    if (!(cause instanceof ServerError)) throw cause;
    return failure(503, HTTP_ERRORS.internal, `${cause.message} Try again later.`, { 'Retry-After': '5' });
  };
  return {
    needs: `a token of ${issuer}`,
    guard: (handle) => {
      const decide = requireLogin(handle, authorization);
      return (request, given) => decide(request, given).catch(undecided);
    },
    describe: (request) => describeLogin(request, authorization),
  };
}

/**
 * @returns a secret that the processes of a service share by their environment; `undefined` if it is not set
 * @throws {CliError} if it is too short
 */
export function secretIn(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const text = environment[name] || undefined;
  if (text === undefined || /^[\w.~+/=-]{24,}$/.test(text)) return text;
  throw new CliError(
    `${name} must have at least 24 letters, digits and -._~+/=. Make one with "openssl rand -hex 32".`,
  );
}

import type { Policy } from '../engine/policy.js';
import { LivePolicy } from '../gate/request/live-policy.js';
import type { Authorization } from '../http/callers/authorization.js';
import { checkOptions } from '../http/check-options.js';
import type { FetchHandler, HandlerOptions } from '../http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http/http-errors.js';
import { answerKnownLists } from '../http/known-lists/handler.js';
import { createKnownLists } from '../http/known-lists/known-lists.js';

import { parserOf, readJson } from '../http/request-body.js';

import { withServerCard } from '../http/server-card/serve-card.js';
import { onlyNew } from '../http/servers/new-servers.js';
import { once } from '../once.js';
import { createDynamoStore } from '../session/dynamodb.js';
import { createMemoryStore } from '../session/memory.js';
import type { SessionStore } from '../session/store.js';
import { countPolicy, countRequest } from '../telemetry/counts.js';
import type { PolicyEvent } from '../telemetry/policy-event.js';
import type { WriteLog } from '../telemetry/request-log.js';
import { PROTOCOL_VERSION_META, read } from '../wire/messages.js';
import { type BufferedHandler, bufferedHandler } from './buffered.js';
import { checkTokensAreVerified } from './check-tokens.js';
import { withMetrics } from './emf.js';
import type { InvocationOptions } from './invocation.js';
import { createLog, createLogger, logPolicyEvent, serviceOf, withSpans } from './log.js';
import { createPolicyRefresh } from './remote-policy/policy-refresh.js';
import { createReadText } from './remote-policy/read-text.js';
import { type FunctionSettings, forwardingProblem, readSettings, SettingsError } from './settings.js';
import { type StreamingHandler, streamingHandler } from './streamed.js';

/** The options that both kinds of function share. Each default comes from the environment; see `readSettings`. */
export interface CommonFunctionOptions
  extends Pick<HandlerOptions, 'policy' | 'store'>,
    Omit<InvocationOptions, 'authorization' | 'verifiedToken' | 'log'> {
  /** `stream` needs a function URL or a REST API that streams. Defaults to `MCP_CONCERNS_RESPONSE`. */
  readonly response?: 'buffered' | 'stream' | undefined;
  /**
   * How hosts log in. Each member that you leave out comes from the environment. Without `servers`, here or in
   * `MCP_CONCERNS_ISSUERS`, anyone may call, and a `verifier` is not used.
   */
  readonly authorization?: Partial<Authorization> | undefined;
  /** Writes the log; called once for each invocation. Defaults to a Powertools Logger that writes JSON to stdout. */
  readonly log?: WriteLog | undefined;
  /** Receives warnings at the start of the function. Defaults to the log. */
  readonly warn?: ((message: string) => void) | undefined;
  /** The environment variables. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A function that serves a server of SDK v1. */
export interface ServerFunctionOptions
  extends CommonFunctionOptions,
    Pick<HandlerOptions, 'server' | 'catalog' | 'preferences' | 'maxBodyBytes' | 'keepsNumbers'> {
  /**
   * Makes the handler of both eras for hosts of 2026-07-28, which SDK v1 does not know. The first request of one calls it, so
   * that the import of the function does not take the time that SDK v2 needs.
   */
  readonly modern?: ((store: SessionStore | undefined) => Promise<FetchHandler>) | undefined;
  /**
   * Whether a server behind the endpoint gets the header `Authorization` of hosts: `forward` of `mcp-concerns/upstream`. The
   * function does not start then where that header is for the endpoint itself. Defaults to false.
   */
  readonly forwards?: boolean | undefined;
  readonly handler?: undefined;
}

/** A function that serves any handler of HTTP requests, for example `createHandler` of `mcp-concerns/http/v2`. */
export interface HandlerFunctionOptions extends CommonFunctionOptions {
  /** Makes the handler. It receives the session store, or `undefined` if the environment turns sessions off. */
  readonly handler: (store: SessionStore | undefined) => FetchHandler;
  readonly server?: undefined;
}

/** The options of {@link createFunction}. */
export type FunctionOptions = ServerFunctionOptions | HandlerFunctionOptions;

/**
 * Makes the handler of a Lambda function behind an HTTP API, a REST API or a function URL. Options that you leave out come from the
 * environment variables that `serverless.yml` sets.
 *
 * Pass `server` for a server of SDK v1. The SDK is loaded by the first request that needs it if `catalog` is a saved
 * catalog, and while Lambda initializes if not. Pass `handler` for a server of SDK v2, or for any other handler.
 *
 * Outside the runtime of Lambda, which alone can stream, responses are buffered.
 *
 * @param options the policy, what to serve, and what the environment does not decide
 * @returns the handler to export; it rejects with an {@link EventError} if an event is not an HTTP request
 * @throws {SettingsError} if an environment variable is not valid
 * @throws {HandlerError} if `policy` is not a policy, or `server` is not a function
 * @throws {StreamingError} if responses are streamed and tokens are required, but there is no `authorization.verifier`
 * @example
 * export const handler = createFunction({ policy, server: () => createServer() });
 * @example
 * // A server of SDK v2
 * import { createHandler } from 'mcp-concerns/http/v2';
 * export const handler = createFunction({ policy, handler: (store) => createHandler({ server, policy, store }) });
 */
export function createFunction(options: FunctionOptions & { readonly response: 'buffered' }): BufferedHandler;
export function createFunction(options: FunctionOptions): StreamingHandler;
export function createFunction(options: FunctionOptions): StreamingHandler {
  const { policy, env = process.env } = options;
  const settings = readSettings(env);
  const { origins = settings.origins, logSalt = settings.logSalt, response = settings.response } = options;
  const logger = once(() => createLogger(env.POWERTOOLS_SERVICE_NAME));
  const { log: write = createLog(logger()), warn = (message: string) => logger().warn(message) } = options;
  const authorization = authorizationOf(options.authorization, settings);
  const metrics = { namespace: settings.metrics, service: serviceOf(env), warn };
  const log: WriteLog = withSpans(withMetrics(write, countRequest, metrics));

  const store = options.store ?? storeOf(settings, warn);
  if (options.handler === undefined) {
    const needed = { ...settings, issuers: authorization?.servers ?? [] };
    const problem = options.forwards === true ? forwardingProblem(needed) : undefined;
    if (problem !== undefined) throw new SettingsError(problem);
    if (options.preferences !== undefined && store === undefined) {
      throw new SettingsError(
        'MCP_CONCERNS_SESSIONS is none, but preferences are kept per caller. Set it to dynamodb, or remove preferences.',
      );
    }
    checkOptions({ ...options, store });
  }
  const live = livePolicy(options, settings);
  const serve =
    options.handler === undefined
      ? byVersion(serverHandler({ ...options, policy: live, store }), options, store)
      : options.handler(store);
  const { resource, sessionSecret } = settings;
  const refresh =
    settings.policy === undefined || !(live instanceof LivePolicy)
      ? undefined
      : createPolicyRefresh({
          ...settings.policy,
          live,
          read: createReadText(),
          report: withMetrics((event: PolicyEvent) => logPolicyEvent(logger(), event), countPolicy, metrics),
        });
  const handle: FetchHandler = async (request, given = {}) => {
    await refresh?.look();
    if (settings.policy?.required === true && refresh?.isConfirmed === false) {
      given.policyMissing?.();
      return failure(503, HTTP_ERRORS.internal, NO_POLICY, { 'Retry-After': '5' });
    }
    return serve(request, { ...given, resource: resource ?? given.resource, sessionSecret });
  };
  const { verifiedToken } = settings;
  const invocations = { origins, authorization, verifiedToken, log, logSalt };
  if (response === 'buffered') return bufferedHandler(handle, invocations);
  if (settings.authorizer === 'none') checkTokensAreVerified({ policy, authorization, warn });
  return streamingHandler(handle, invocations);
}

const NO_POLICY = 'The policy of this endpoint cannot be read yet. Try again later.';

/** @returns the policy, as one that can be replaced if the environment names a policy outside the function */
function livePolicy({ policy, handler }: FunctionOptions, settings: FunctionSettings): Policy | LivePolicy {
  if (settings.policy === undefined || policy instanceof LivePolicy) return policy;
  if (handler === undefined) return new LivePolicy(policy);
  throw new SettingsError(
    'MCP_CONCERNS_POLICY is set, but the policy of your handler cannot be replaced. Pass the same LivePolicy to your handler and to createFunction.',
  );
}

/** Serves an SDK v1 server. The SDK is imported dynamically, so that lists from a saved catalog do not wait for it. */
function serverHandler(options: ServerFunctionOptions): FetchHandler {
  const { policy, catalog } = options;
  const load = () => import('../http/sdk-v1.js');
  if (typeof catalog !== 'object') {
    void load();
    return later(async () => (await load()).createHandler(options));
  }
  const server = onlyNew(options.server);
  const lists = createKnownLists(server, policy, catalog, 'legacy');
  const rest = later(async () => (await load()).serve({ ...options, server }, lists));
  return withServerCard(policy, answerKnownLists(options, lists, rest));
}

const LAST_LEGACY_VERSION = '2025-11-25';

/**
 * Returns a handler that leaves everything to another one that may not be of the legacy era. The other one tells the eras
 * apart as SDK v2 does, so here it is enough that no modern request goes to the legacy one.
 */
function byVersion(
  legacy: FetchHandler,
  { modern: make, ...options }: ServerFunctionOptions,
  store: SessionStore | undefined,
): FetchHandler {
  if (make === undefined) return legacy;
  const both = later(() => make(store));
  return async (request, given = {}) => {
    if (request.method !== 'POST') return legacy(request, given);
    const body = await readJson(request, given, options.maxBodyBytes, parserOf(options));
    if (body instanceof Response) return body;
    const version = request.headers.get('mcp-protocol-version') ?? LAST_LEGACY_VERSION;
    const isClaimed = [body.value]
      .flat()
      .some((each) => read(each, 'params', '_meta', PROTOCOL_VERSION_META) !== undefined);
    const isLegacy = version <= LAST_LEGACY_VERSION && !isClaimed;
    return (isLegacy ? legacy : both)(request, { ...given, parsedBody: body.value });
  };
}

/** @returns a handler that the first request makes */
function later(make: () => Promise<FetchHandler>): FetchHandler {
  const made = once(make);
  return async (request, given) => (await made())(request, given);
}

function authorizationOf(
  given: Partial<Authorization> = {},
  { issuers, resource, scopes }: FunctionSettings,
): Authorization | undefined {
  const authorization = { servers: issuers, resource, scopes, ...given };
  return authorization.servers.length === 0 ? undefined : authorization;
}

function storeOf(settings: FunctionSettings, warn: (message: string) => void): SessionStore | undefined {
  const { sessions, table, expiresAfterSeconds } = settings;
  const expiry = expiresAfterSeconds === undefined ? {} : { expiresAfterSeconds };
  if (sessions === 'none') return undefined;
  if (sessions === 'dynamodb') return createDynamoStore({ table, ...expiry });
  warn(
    'Sessions are kept in the memory of this environment: other environments that Lambda starts do not have their preferences. Set MCP_CONCERNS_TABLE to share them.',
  );
  return createMemoryStore(expiry);
}

import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCRequest,
  type McpRequestContext,
  type McpServer,
  type ScopeChallenge,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { attachGate } from '../gate/attach.js';
import type { GateOptions } from '../gate/edge/concerns-options.js';
import { SharedCatalog } from '../gate/request/catalog-cache.js';
import type { PrincipalPreferences } from '../gate/request/kept-preferences.js';
import { policyInForce } from '../gate/request/live-policy.js';
import { TaskMemory } from '../gate/tasks/task-records.js';
import { METHODS, read } from '../wire/messages.js';
import { isSdkV2Server } from '../wire/transport-layer.js';
import { BridgedFront, bridgedResponse, watchError } from './bridged-front.js';
import { insufficientScope } from './callers/authorization.js';
import { HandlerError } from './callers/principal.js';
import { challengeResponse, challengeScopes } from './callers/scope-challenge.js';
import { checkOptions } from './check-options.js';
import { checkAccessEarly, type ServeParsed } from './early-access-check.js';
import type { FetchHandler, FetchOptions, HandlerOptions } from './fetch-handler.js';
import { createKnownLists } from './known-lists/known-lists.js';
import { createStubServerV2 } from './known-lists/stub-server-v2.js';
import { createLegacyHandler } from './legacy-handler.js';
import { parserOf, readJson } from './request-body.js';
import { failedRequest } from './servers/failed-request.js';
import { onlyNew } from './servers/new-servers.js';
import { keptFor } from './sessions.js';
import { ListenStreams } from './streams/listen-streams.js';
import { openStream } from './streams/open-stream.js';
import { refuseSubscription } from './streams/refuse-subscription.js';
import { type UpstreamServer, upstreamOf } from './upstream-server.js';

/** A server of SDK v2, or one that stands for a server behind the endpoint. */
export type ServerV2 = McpServer | Server | UpstreamServer;

/** Also said when a bundle is made. */
export const NOT_SDK_V2 =
  'The server is not one of SDK v2 (@modelcontextprotocol/server). For SDK v1, use createHandler of mcp-concerns/http, or "sdk: 1" in endpoint.yml.';

/** What an endpoint with SDK v2 serves. */
export interface HandlerOptionsV2 extends Omit<HandlerOptions, 'server'> {
  /** Makes a new server for each request: `Server` or `McpServer` of SDK v2, or `make` of `mcp-concerns/upstream`. */
  readonly server: (context: McpRequestContext) => ServerV2 | Promise<ServerV2>;
  /**
   * Serves `subscriptions/listen`, at an endpoint whose process lives long and whose responses are not buffered: about
   * lists, resources and tasks of a server of `mcp-concerns/upstream` with `isLongLived`, and about tasks of `withTasks`.
   */
  readonly listens?: boolean | undefined;
}

/**
 * Serves an SDK v2 server over Streamable HTTP in both eras. Requests of protocol version 2026-07-28 go to the handler
 * of the SDK, which is stateless. Requests up to 2025-11-25 have sessions that contain the preferences of the host.
 *
 * Without `listens`, `subscriptions/listen` is refused, and `server/discover` declares no changes: an endpoint that buffers
 * responses could never end such a stream.
 *
 * @param options the server, the policy, and where sessions of the legacy era are kept
 * @returns a handler for requests of any path. It never rejects: a request that fails gets an error with HTTP status 500
 * @throws {HandlerError} if an option is not valid, or preferences are kept per caller without a store
 * @example
 * const handle = createHandler({ server: () => createServer(), policy, store: createMemoryStore() });
 */
export function createHandler(options: HandlerOptionsV2): FetchHandler {
  checkOptions(options);
  const server = onlyNew(options.server);
  const challenges = new WeakMap<Request, ScopeChallenge>();
  const makeLegacy: HandlerOptions['server'] = async (request, given) => {
    const made = await server({
      era: 'legacy',
      ...(request === undefined ? {} : { requestInfo: request }),
      ...authOf(given),
    });
    if ('behind' in made) return made;
    challengeScopes(made, (challenge) => request && challenges.set(request, challenge));
    return made;
  };
  const handleLegacy = createLegacyHandler(
    { ...options, server: makeLegacy },
    WebStandardStreamableHTTPServerTransport,
  );
  const legacy: FetchHandler = async (request, given) => {
    const response = await handleLegacy(request, given);
    const challenge = challenges.get(request);
    // In a batch, each refused request has its own error.
    if (challenge === undefined || Array.isArray(given?.parsedBody)) return response;
    await response.body?.cancel();
    return challengeResponse(challenge, authOf(given).authInfo);
  };
  // A server that is made for each request knows of no changes, but its tasks are those of all.
  const streams =
    options.listens === true ? new ListenStreams(async (made) => server(made), false) : undefined;
  return byEra(
    createModernHandler({ ...options, server }, streams),
    legacy,
    options.maxBodyBytes,
    parserOf(options),
  );
}

/** Answers a modern request whose body was read. */
export type ModernHandler = (request: Request, body: unknown, given: FetchOptions) => Promise<Response>;

/**
 * Gives each request to the handler of its era.
 *
 * @param modern answers requests of 2026-07-28
 * @param legacy answers all others, also GET and DELETE
 * @param maxBodyBytes the longest body that is read
 * @param parse reads the text of a body; by default as JSON, for servers of this process
 */
export function byEra(
  modern: ModernHandler,
  legacy: FetchHandler,
  maxBodyBytes?: number,
  parse?: (text: string) => unknown,
): FetchHandler {
  return async (request, given = {}) => {
    if (request.method !== 'POST') return legacy(request, given);
    // The body is read here, once: it tells the era, and both handlers need it.
    const read = await readJson(request, given, maxBodyBytes, parse);
    if (read instanceof Response) return read;
    const { value: body } = read;
    return (await isLegacyRequest(request, body))
      ? legacy(request, { ...given, parsedBody: body })
      : modern(request, body, given);
  };
}

function authOf(given: FetchOptions | undefined): { authInfo?: AuthInfo } {
  // The cast is safe: the type of SDK v2 has the same members as that of v1.
  return given?.authInfo === undefined ? {} : { authInfo: given.authInfo as AuthInfo };
}

/**
 * Serves a server to clients of 2026-07-28.
 *
 * @param options the server and the policy
 * @param streams the streams of `subscriptions/listen`, about servers behind the endpoint; without it, there are none
 * @param personOf where the preferences of the sender of a request are kept, at an endpoint of one person
 */
export function createModernHandler(
  options: HandlerOptionsV2,
  streams?: ListenStreams,
  personOf?: (request: Request, body: unknown) => PrincipalPreferences | undefined,
): ModernHandler {
  const { server, policy, catalog } = options;
  // One handler of the SDK serves all requests. This map finds the options of each of them.
  const optionsOf = new WeakMap<Request, Exchange>();
  const serverInfo = typeof catalog === 'object' ? catalog.server : undefined;
  const lists = catalog && createKnownLists(async () => server({ era: 'legacy' }), policy, catalog, 'modern');
  const make = async ({ stub, concerns }: Exchange, context: McpRequestContext): Promise<ServerV2> => {
    if (stub !== undefined) return stub;
    await lists?.verify(concerns.report);
    const made = await server(context);
    if ('behind' in made || isSdkV2Server(made)) return made;
    throw new HandlerError(NOT_SDK_V2);
  };
  const handler = createMcpHandler(
    async (context) => {
      const found = context.requestInfo && optionsOf.get(context.requestInfo);
      // Fail closed: without options there would be no gate, and nothing would be hidden.
      if (found === undefined) throw new Error('The SDK built a server for a request of another handler.');
      found.made = make(found, context);
      const made = await found.made;
      if (!('behind' in made)) {
        const { concerns } = found;
        attachGate(made, streams?.tellsLists === false ? { ...concerns, listens: false } : concerns);
        watch(found, made);
        return made;
      }
      const front = new BridgedFront(made);
      attachGate(front, { ...found.concerns, upstream: made.behind });
      watch(found, front);
      return front;
    },
    { legacy: 'reject', maxSubscriptions: 0 },
  );
  const taskMemory = new TaskMemory();
  return async (request, body, given) => {
    const refused = streams === undefined ? refuseSubscription(body) : undefined;
    if (refused !== undefined) return refused;
    const current = policyInForce(policy);
    const enforced = current.settings.enforcement === 'enforce';
    const probe = crypto.randomUUID();
    // The check before the transport and the gate in it use the same policy and the same lists.
    const { report, names } = given;
    // Modern requests have no session. The store keeps only who created which task, and the preferences of callers.
    const { store, ...ofCaller } = keptFor(options, given);
    const principal = personOf?.(request, body) ?? ofCaller.principal;
    const switched = () => streams?.switched(principal);
    const listens = streams !== undefined;
    const kept = { report, names, store, principal, taskMemory, listens, switched };
    const lasting: GateOptions = { ...kept, policy, shared: lists?.shared };
    const concerns: GateOptions = enforced
      ? { ...kept, policy: current, probe, shared: lists?.shared ?? new SharedCatalog() }
      : lasting;
    const serve: ServeParsed = async (parsed, parsedBody) => {
      const stub = lists && createStubServerV2(lists.known, parsedBody, serverInfo);
      const exchange: Exchange = { concerns, stub };
      optionsOf.set(parsed, exchange);
      const response = await handler.fetch(parsed, { parsedBody, ...authOf(given) });
      // Rejects with the reason why there is no server for it: the SDK answers that without the id, and tells nobody.
      const made = await exchange.made;
      const isListening = streams !== undefined && read(parsedBody, 'method') === METHODS.listen;
      // The SDK makes a server only for a request that passes its checks. A stream of the SDK would have no gate.
      if (isListening && made !== undefined)
        return openStream(streams, parsed, parsedBody as JSONRPCRequest, authOf(given), lasting);
      return bridgedResponse(made && upstreamOf(made), response, exchange.error?.());
    };
    const askForScope = (scope: string) => insufficientScope(scope, request, given);
    try {
      return await (enforced ? checkAccessEarly(serve, probe, askForScope) : serve)(request, body);
    } catch (cause) {
      return failedRequest(cause, request, body, given);
    }
  };
}

/** Watches which error the client gets: nearer to it than the gate, which answers some requests itself. */
function watch(exchange: Exchange, server: Pick<Server, 'connect'>): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    exchange.error = watchError(transport);
    return connect(transport);
  };
}

/** One request on its way to its server. */
interface Exchange {
  readonly concerns: GateOptions;
  readonly stub: Server | undefined;
  /** Its server, if it passed the checks of the SDK. */
  made?: Promise<ServerV2>;
  /** The code of the error that its client got. */
  error?: () => number | undefined;
}

import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type McpServer,
  type ScopeChallenge,
  type Server,
} from '@modelcontextprotocol/server';
import { attachGate } from '../gate/attach.js';
import type { GateOptions } from '../gate/edge/concerns-options.js';
import { SharedCatalog } from '../gate/request/catalog-cache.js';
import { policyInForce } from '../gate/request/live-policy.js';
import { TaskMemory } from '../gate/tasks/task-records.js';
import { principalPreferences } from './callers/principal.js';
import { challengeResponse, challengeScopes } from './callers/scope-challenge.js';
import { checkOptions } from './check-options.js';
import { checkAccessEarly, type ServeParsed } from './early-access-check.js';
import type { FetchHandler, FetchOptions, HandlerOptions } from './fetch-handler.js';
import { createKnownLists } from './known-lists/known-lists.js';
import { createStubServerV2 } from './known-lists/stub-server-v2.js';
import { observedStore } from './observer.js';
import { readJson } from './request-body.js';
import { createHandler as createLegacyHandler } from './sdk-v1.js';
import { bindSessions } from './sessions.js';
import { refuseTaskSubscription } from './tasks/task-subscription.js';

/** What an endpoint with SDK v2 serves. */
export interface HandlerOptionsV2 extends Omit<HandlerOptions, 'server'> {
  /** Makes a new server of SDK v2, `Server` or `McpServer`, for each request. */
  readonly server: (context: McpRequestContext) => McpServer | Server | Promise<McpServer | Server>;
}

/**
 * Serves an SDK v2 server over Streamable HTTP in both eras. Requests of protocol version 2026-07-28 go to the handler
 * of the SDK, which is stateless. Requests up to 2025-11-25 have sessions that contain the preferences of the host.
 *
 * Streams of `subscriptions/listen` are not supported, because an endpoint that buffers responses could never end them.
 *
 * @param options the server, the policy, and where sessions of the legacy era are kept
 * @returns a handler for requests of any path
 * @throws {HandlerError} if an option is not valid, or preferences are kept per caller without a store
 * @example
 * const handle = createHandler({ server: () => createServer(), policy, store: createMemoryStore() });
 */
export function createHandler(options: HandlerOptionsV2): FetchHandler {
  checkOptions(options);
  const { server } = options;
  const challenges = new WeakMap<Request, ScopeChallenge>();
  const legacy = createLegacyHandler({
    ...options,
    server: async (request, given) => {
      const made = await server({
        era: 'legacy',
        ...(request === undefined ? {} : { requestInfo: request }),
        ...authOf(given),
      });
      challengeScopes(made, (challenge) => request && challenges.set(request, challenge));
      return made;
    },
  });
  const modern = createModernHandler(options);
  return async (request, given = {}) => {
    if (request.method !== 'POST') return legacy(request, given);
    // The body is read here, once: it tells the era, and both handlers need it.
    const read = await readJson(request, given, options.maxBodyBytes);
    if (read instanceof Response) return read;
    const { value: body } = read;
    if (!(await isLegacyRequest(request, body))) return modern(request, body, given);
    const response = await legacy(request, { ...given, parsedBody: body });
    const challenge = challenges.get(request);
    // In a batch, each refused request has its own error.
    if (challenge === undefined || Array.isArray(body)) return response;
    await response.body?.cancel();
    return challengeResponse(challenge, authOf(given).authInfo);
  };
}

function authOf(given: FetchOptions | undefined): { authInfo?: AuthInfo } {
  // The cast is safe: the type of SDK v2 has the same members as that of v1.
  return given?.authInfo === undefined ? {} : { authInfo: given.authInfo as AuthInfo };
}

function createModernHandler(
  options: HandlerOptionsV2,
): (request: Request, body: unknown, given: FetchOptions) => Promise<Response> {
  const { server, policy, store, preferences, catalog } = options;
  // One handler of the SDK serves all requests. This map finds the options of each of them.
  const optionsOf = new WeakMap<Request, { concerns: GateOptions; stub: Server | undefined }>();
  const serverInfo = typeof catalog === 'object' ? catalog.server : undefined;
  const lists =
    catalog === undefined
      ? undefined
      : createKnownLists(() => server({ era: 'legacy' }), policy, catalog, 'modern');
  const handler = createMcpHandler(
    async (context) => {
      const found = context.requestInfo && optionsOf.get(context.requestInfo);
      // Fail closed: without options there would be no gate, and nothing would be hidden.
      if (found === undefined) throw new Error('The SDK built a server for a request of another handler.');
      if (found.stub === undefined) await lists?.verify(found.concerns.report);
      const made = found.stub ?? (await server(context));
      attachGate(made, found.concerns);
      return made;
    },
    { legacy: 'reject', maxSubscriptions: 0 },
  );
  const taskMemory = new TaskMemory();
  return async (request, body, given) => {
    const refused = refuseTaskSubscription(body);
    if (refused !== undefined) return refused;
    const current = policyInForce(policy);
    const enforced = current.settings.enforcement === 'enforce';
    const probe = crypto.randomUUID();
    // The check before the transport and the gate in it use the same policy and the same lists.
    const { report, names } = given;
    // Modern requests have no session. The store keeps only who created which task, and the preferences of callers.
    const observed = store && observedStore(store, given.storeCall);
    const bound = observed && bindSessions(observed, given.authInfo);
    const principal = principalPreferences(preferences, observed, given.authInfo);
    const kept = { report, names, store: bound, principal, taskMemory };
    const concerns: GateOptions = enforced
      ? { ...kept, policy: current, probe, shared: lists?.shared ?? new SharedCatalog() }
      : { ...kept, policy, shared: lists?.shared };
    const serve: ServeParsed = (parsed, parsedBody) => {
      const stub = lists && createStubServerV2(lists.known, parsedBody, serverInfo);
      optionsOf.set(parsed, { concerns, stub });
      return handler.fetch(parsed, { parsedBody, ...authOf(given) });
    };
    return (enforced ? checkAccessEarly(serve, probe) : serve)(request, body);
  };
}

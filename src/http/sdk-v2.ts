import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type McpServer,
  type ScopeChallenge,
  type Server,
} from '@modelcontextprotocol/server';
import { attachConcerns, type ConcernsOptions } from '../protocol/attach.js';
import { SharedCatalog } from '../protocol/lists/shared-catalog.js';
import { policyInForce } from '../protocol/request/live-policy.js';
import { guardFetch, type ServeParsed } from './guard-fetch.js';
import { staticLists } from './known-lists/static-lists.js';
import { standInServer } from './known-lists/stub-server-v2.js';
import { parseJson, readText } from './request-body.js';
import { challengeResponse, challengeScopes } from './scope-challenge.js';
import {
  createHandler as createLegacyHandler,
  type FetchHandler,
  type FetchOptions,
  type HandlerOptions,
} from './sdk-v1.js';

export interface HandlerOptionsV2 extends Omit<HandlerOptions, 'server'> {
  /** Makes a fresh server of SDK v2 for each request, `Server` or `McpServer`. */
  readonly server: (context: McpRequestContext) => McpServer | Server | Promise<McpServer | Server>;
}

/**
 * Serves an SDK v2 server over Streamable HTTP in both eras: requests of 2026-07-28 by the SDK's own handler, which is
 * stateless, those up to 2025-11-25 with sessions that hold what the host asked for.
 *
 * Streams of `subscriptions/listen` are not offered: an endpoint whose answers are buffered could never end them.
 *
 * @param options the server factory, the policy, and where sessions of the older era are kept
 * @returns a handler for requests of any path
 * @example
 * const handle = createHandler({ server: () => createServer(), policy, store: createMemoryStore() });
 */
export function createHandler(options: HandlerOptionsV2): FetchHandler {
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
    // The body is read here, once: both ways need it, and which one it is stands in it.
    const text = await readText(request, options.maxBodyBytes);
    if (typeof text !== 'string') return text;
    const { url, headers, signal } = request;
    const body = parseJson(text);
    if (body !== undefined && !(await isLegacyRequest(request, body))) return modern(request, body, given);
    const again = new Request(url, { method: 'POST', headers, body: text, signal });
    const response = await legacy(again, given);
    const challenge = challenges.get(again);
    // Of a batch only some requests are refused, each by itself.
    if (challenge === undefined || Array.isArray(body)) return response;
    await response.body?.cancel();
    return challengeResponse(challenge, authOf(given).authInfo);
  };
}

function authOf(given: FetchOptions | undefined): { authInfo?: AuthInfo } {
  return given?.authInfo === undefined ? {} : { authInfo: given.authInfo as AuthInfo };
}

function createModernHandler({
  server,
  policy,
  catalog,
}: HandlerOptionsV2): (request: Request, body: unknown, given: FetchOptions) => Promise<Response> {
  // One handler for all requests: what belongs to one of them is found by it.
  const givenFor = new WeakMap<Request, { concerns: ConcernsOptions; standIn: Server | undefined }>();
  const about = typeof catalog === 'object' ? catalog.server : undefined;
  const lists =
    catalog === undefined
      ? undefined
      : staticLists(() => server({ era: 'legacy' }), policy, catalog, 'modern');
  const handler = createMcpHandler(
    async (context) => {
      const found = context.requestInfo && givenFor.get(context.requestInfo);
      // Without a gate nothing would be hidden.
      if (found === undefined) throw new Error('A server was asked for by no request of this handler.');
      if (found.standIn === undefined) await lists?.verify(found.concerns.report);
      const made = found.standIn ?? (await server(context));
      attachConcerns(made, found.concerns);
      return made;
    },
    { legacy: 'reject', maxSubscriptions: 0 },
  );
  return (request, body, given) => {
    const current = policyInForce(policy);
    const enforced = current.settings.enforcement === 'enforce';
    const probe = crypto.randomUUID();
    // A request is judged by one policy, before the transport and in it, and by the lists that were taken for it.
    const { report } = given;
    const concerns: ConcernsOptions = enforced
      ? { policy: current, report, probe, shared: lists?.shared ?? new SharedCatalog() }
      : { policy, report, shared: lists?.shared };
    const serve: ServeParsed = (asked, parsedBody) => {
      const standIn = lists && standInServer(lists.known, parsedBody, about);
      givenFor.set(asked, { concerns, standIn });
      return handler.fetch(asked, { parsedBody, ...authOf(given) });
    };
    return (enforced ? guardFetch(serve, probe) : serve)(request, body);
  };
}

import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server';
import { attachConcerns, type ConcernsOptions } from '../protocol/attach.js';
import { policyInForce } from '../protocol/live-policy.js';
import { guardFetch } from './guard-fetch.js';
import {
  createFetchHandler as createLegacyHandler,
  type FetchHandler,
  type FetchHandlerOptions,
} from './sdk-v1.js';

export interface DualHandlerOptions extends Omit<FetchHandlerOptions, 'server'> {
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
 * const handle = createDualFetchHandler({ server: () => createServer(), policy, store: createMemoryStore() });
 */
export function createDualFetchHandler(options: DualHandlerOptions): FetchHandler {
  const { server, policy } = options;
  const legacy = createLegacyHandler({
    ...options,
    server: () => server({ era: 'legacy' }),
  });
  return async (request, given = {}) => {
    if (await isLegacyRequest(request.clone())) return legacy(request, given);
    const probe = crypto.randomUUID();
    const concerns: ConcernsOptions = { policy, report: given.report, probe };
    const handler = createMcpHandler(
      async (context) => {
        const made = await server(context);
        attachConcerns(made, concerns);
        return made;
      },
      {
        legacy: 'reject',
        maxSubscriptions: 0,
        ...(options.maxBodyBytes === undefined ? {} : { maxRequestBodySize: options.maxBodyBytes }),
      },
    );
    const authInfo = given.authInfo as AuthInfo | undefined;
    const fetch = (each: Request) => handler.fetch(each, authInfo === undefined ? {} : { authInfo });
    return policyInForce(policy).settings.enforcement === 'enforce'
      ? guardFetch(fetch, probe)(request)
      : fetch(request);
  };
}

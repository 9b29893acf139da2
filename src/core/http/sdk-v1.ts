import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FetchHandler, HandlerOptions } from './fetch-handler.js';
import type { KnownLists } from './known-lists/known-lists.js';
import { createLegacyHandler, serveLegacy } from './legacy-handler.js';

/**
 * Serves an SDK v1 server over Streamable HTTP, with a new server for each request. A session contains only the
 * preferences of its host, so any process that shares the store can answer any request.
 *
 * Supports protocol versions up to 2025-11-25. There is no stream besides the responses, so a GET gets a 405. The exception
 * is the GET of a client that comes back for the result of a task, which is answered once:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 *
 * @param options the server, the policy, and where sessions are kept
 * @returns a handler for requests of any path
 * @throws {HandlerError} if an option is not valid, or preferences are kept per caller without a store
 * @example
 * const handle = createHandler({ server: createVaultServer, policy, store: createMemoryStore() });
 * const response = await handle(new Request('http://localhost/mcp', { method: 'POST', ... }));
 */
export function createHandler(options: HandlerOptions): FetchHandler {
  return createLegacyHandler(options, WebStandardStreamableHTTPServerTransport);
}

/**
 * Serves an SDK v1 server as `createHandler` does, but every request goes to the server.
 *
 * @param options the server, the policy, and where sessions are kept
 * @param lists lists that requests share, if they are known
 * @returns a handler for requests of any path
 */
export function serve(options: HandlerOptions, lists?: KnownLists): FetchHandler {
  return serveLegacy(options, WebStandardStreamableHTTPServerTransport, lists);
}

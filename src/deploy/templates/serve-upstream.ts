import { createFunction, type StreamingHandler } from 'mcp-concerns/lambda';
import type { IsolatedUpstream } from 'mcp-concerns/upstream';
import { catalog, policy } from './read-files.js';
import type { UpstreamValues } from './values.js';

declare const MCP_CONCERNS_FUNCTION: UpstreamValues;

/** Makes the handler of an endpoint in front of other servers. */
export function serveUpstream(upstream: IsolatedUpstream): StreamingHandler {
  const options = {
    policy,
    catalog,
    preferences: MCP_CONCERNS_FUNCTION.preferences,
    // A server behind the endpoint is none of an SDK, whose schemas refuse numbers that keep their text.
    keepsNumbers: true,
  };
  return createFunction({
    ...options,
    server: (request, given) =>
      upstream.make({ era: 'legacy', requestInfo: request, authInfo: given?.authInfo }),
    // Hosts of 2026-07-28 need SDK v2, which would double the time that the import of the function takes: the first of them imports it.
    modern: async (store) => {
      const { createHandler } = await import('mcp-concerns/http/v2');
      return createHandler({ ...options, store, server: (context) => upstream.make(context) });
    },
    forwards: MCP_CONCERNS_FUNCTION.forwards,
  });
}

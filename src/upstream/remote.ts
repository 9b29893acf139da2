import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/**
 * Creates a transport to a remote server over Streamable HTTP.
 *
 * @param url the URL of the server
 * @param headers headers that each request gets, for example `Authorization`
 * @returns the transport, not started
 * @example
 * const upstream = shareUpstream(() => remoteTransport('https://mcp.example/mcp'));
 */
export function remoteTransport(url: string, headers: Readonly<Record<string, string>> = {}): Transport {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  // The cast only bridges `exactOptionalPropertyTypes`: the SDK declares `sessionId` as possibly undefined.
  return transport as Transport;
}

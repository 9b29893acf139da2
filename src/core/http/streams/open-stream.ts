import {
  type AuthInfo,
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { GateOptions } from '../../gate/edge/concerns-options.js';
import { bridgedResponse, watchError } from '../bridged-front.js';
import { upstreamOf } from '../upstream-server.js';
import type { ListenStreams } from './listen-streams.js';

/**
 * Opens a stream of `subscriptions/listen` over HTTP. The transport of the SDK writes what keeps the connection alive.
 *
 * @param streams the streams of this process
 * @param request the HTTP request
 * @param message its body
 * @param given the verified caller
 * @param options how the stream is filtered
 */
export async function openStream(
  streams: ListenStreams,
  request: Request,
  message: JSONRPCRequest,
  given: { readonly authInfo?: AuthInfo },
  options: GateOptions,
): Promise<Response> {
  const transport = new PerRequestHTTPServerTransport({ classification: { era: 'modern' } });
  const errorOf = watchError(transport);
  const context = { era: 'modern', requestInfo: request, ...given } as const;
  const server = await streams.open(message.id, transport as never, options, context);
  if ('error' in server) return Response.json(server);
  const response = await transport
    .handleMessage(message, { request, ...given })
    // It rejects only if the client has left.
    .catch(() => new Response(null, { status: 499 }));
  return bridgedResponse(upstreamOf(server), response, errorOf(), false);
}

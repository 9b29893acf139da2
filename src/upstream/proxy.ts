import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { once } from '../http/once.js';
import { SlowReaders } from '../http/streams/slow-readers.js';
import {
  ERRORS,
  failure,
  fromSdk,
  isRequest,
  type Request as McpRequest,
  METHODS,
  read,
  toSdk,
} from '../wire/messages.js';
import type { UpstreamServer } from './upstream.js';

/** A server in another process, with the interface of a server of the SDK. It forwards each message. */
export type ServerProxy = UpstreamServer;

/** A transport, some of which can stop reading. */
type UpstreamTransport = Transport & { pause?(): void; resume?(): void };

/**
 * Makes a server that forwards each message over a transport. Each client has its own connection, so the server
 * supports everything that its upstream supports.
 *
 * @param upstream a transport to the upstream server, not started
 * @returns the server, for one client
 * @example
 * const server = proxyTo(new ChildTransport('npx', ['some-mcp-server']));
 * await server.connect(gatedTransport(new StdioServerTransport(), { policy }));
 */
export function proxyTo(upstream: UpstreamTransport): ServerProxy {
  const close = once(() => upstream.close());
  return {
    async connect(transport) {
      // Over HTTP, a progress notification must be sent in the response to the request that it belongs to.
      const requests = new Map<unknown, RequestId>();
      const forget = (request: unknown): void => {
        for (const [token, id] of requests) if (id === request) requests.delete(token);
      };
      transport.onmessage = (message) => {
        const token = read(message, 'params', '_meta', 'progressToken');
        if ('id' in message && message.id !== undefined && token !== undefined)
          requests.set(token, message.id);
        if (read(message, 'method') === METHODS.cancelled) forget(read(message, 'params', 'requestId'));
        upstream.send(message).catch((error: Error) => {
          transport.onerror?.(error);
          const request = fromSdk(message);
          if (isRequest(request)) void transport.send(unreachable(request, error));
        });
      };
      transport.onclose = () => void close();
      upstream.onmessage = (message: JSONRPCMessage) => {
        const related = requests.get(read(message, 'params', 'progressToken'));
        const options = related === undefined ? undefined : { relatedRequestId: related };
        transport.send(message, options).catch((error: Error) => transport.onerror?.(error));
        if ('id' in message && !('method' in message)) {
          forget(message.id);
        }
      };
      upstream.onclose = () => void transport.close();
      await upstream.start();
      await transport.start();
    },
    close,
    readers: new SlowReaders({
      pause: () => upstream.pause?.(),
      resume: () => upstream.resume?.(),
    }),
  };
}

function unreachable({ id }: McpRequest, { message }: Error): JSONRPCMessage {
  const reason = `The server behind this endpoint cannot be reached: ${message}`;
  return toSdk(failure(id, ERRORS.internal, reason));
}

import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { HTTP_ERRORS, failure as httpFailure } from '../http/http-errors.js';
import { once } from '../http/once.js';
import { attachConcerns, type ConcernsOptions } from '../protocol/attach.js';
import {
  ERRORS,
  failure,
  isRequest,
  type Request as McpRequest,
  METHODS,
  read,
} from '../protocol/messages/wire.js';
import { fromSdk, toSdk } from './sdk-messages.js';

/** A server in another process, with the interface of a server of the SDK. It forwards each message. */
export interface ServerProxy {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes a server that forwards each message over a transport. Each client has its own connection, so the server
 * supports everything that its upstream supports.
 *
 * @param upstream a transport to the upstream server, not started
 * @returns the server, for one client
 * @example
 * const server = proxyTo(new ChildTransport('npx', ['some-mcp-server']));
 * attachConcerns(server, { policy });
 * await server.connect(new StdioServerTransport());
 */
export function proxyTo(upstream: Transport): ServerProxy {
  const close = once(() => upstream.close());
  return {
    async connect(transport) {
      // Over HTTP, a progress notification must be sent in the response to the request that it belongs to.
      const requests = new Map<unknown, RequestId>();
      transport.onmessage = (message) => {
        const token = read(message, 'params', '_meta', 'progressToken');
        if ('id' in message && message.id !== undefined && token !== undefined)
          requests.set(token, message.id);
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
          for (const [token, id] of requests) if (id === message.id) requests.delete(token);
        }
      };
      upstream.onclose = () => void transport.close();
      await upstream.start();
      await transport.start();
    },
    close,
  };
}

function unreachable({ id }: McpRequest, { message }: Error): JSONRPCMessage {
  const reason = `The server behind this endpoint cannot be reached: ${message}`;
  return toSdk(failure(id, ERRORS.internal, reason));
}

/** Answers HTTP requests of sessions. Each session has its own connection to the server. */
export interface SessionProxy {
  readonly fetch: (request: Request) => Promise<Response>;
  close(): Promise<void>;
}

/** How to connect to the server, and the policy. */
export interface SessionProxyOptions extends Omit<ConcernsOptions, 'store'> {
  /** Opens a transport to the server, for one session. */
  readonly open: () => Transport;
}

/**
 * Serves an upstream server over Streamable HTTP, with one connection per session. It is meant for one machine with a
 * few sessions, as in `mcp-concerns serve`.
 *
 * @param options how to connect to the server, and the policy
 * @returns a handler, which supports streams of notifications
 * @example
 * const proxy = proxySessions({ open: () => new ChildTransport('node', ['server.js']), policy });
 */
export function proxySessions({ open, ...concerns }: SessionProxyOptions): SessionProxy {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const begin = async (request: Request, parsedBody: unknown): Promise<Response> => {
    const server = proxyTo(open());
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    transport.onclose = () => void sessions.delete(transport.sessionId ?? '');
    attachConcerns(server, concerns);
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody });
  };

  return {
    async fetch(request) {
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      if (known !== undefined) return known.handleRequest(request);
      if (id !== null)
        return httpFailure(404, HTTP_ERRORS.notFound, 'The session is unknown. Initialize a new one.');
      if (request.method !== 'POST') {
        return httpFailure(
          400,
          HTTP_ERRORS.refused,
          'This request requires the Mcp-Session-Id header of a session.',
        );
      }
      let body: unknown;
      try {
        body = JSON.parse(await request.text());
      } catch {
        return httpFailure(400, HTTP_ERRORS.parse, 'Parse error: the body is not JSON.');
      }
      if (read(body, 'method') !== METHODS.initialize) {
        return httpFailure(
          400,
          HTTP_ERRORS.refused,
          'A request without the Mcp-Session-Id header must be initialize.',
        );
      }
      return begin(new Request(request.url, { method: 'POST', headers: request.headers }), body);
    },
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}

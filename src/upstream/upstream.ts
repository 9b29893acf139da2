import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type JSONRPCMessage,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import {
  type Answer,
  ERRORS,
  type Failure,
  failure,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type Request,
  type RequestId,
  read,
} from '../protocol/messages/wire.js';

/** Requests that set the state of a connection: what one client sets, all that share the server would get. */
const REFUSED: ReadonlySet<string> = new Set([
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);

/** A server that several clients share, in whatever language, behind a connection that is kept. */
export interface Upstream {
  /** The server of one request: what `createHandler` and `createLambdaHandler` take as `server`. */
  server(): UpstreamServer;
  /** Ends the connection; the next request opens another one. */
  close(): Promise<void>;
}

export interface UpstreamServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/** A connection that is open, and what waits for an answer on it. */
interface Connection {
  readonly transport: Transport;
  readonly initialized: Record<string, unknown>;
  readonly waiting: Map<RequestId, (response: Answer | Failure) => void>;
}

/**
 * Shares one connection to a server among all requests: a child process that is kept warm between invocations of a
 * Lambda function, or a remote endpoint. It is initialized once; ids and progress tokens are mapped; a connection that
 * ends is opened anew by the next request.
 *
 * For servers without state per client: subscriptions, log levels, and the server's own requests (sampling, roots,
 * elicitation) are refused, since nobody could say whose they are.
 *
 * @param open opens a transport to the server
 * @returns the shared server
 * @example
 * const upstream = shareUpstream(() => new ChildTransport('npx', ['some-mcp-server']));
 * export const handler = createLambdaHandler({ server: () => upstream.server(), policy, store });
 */
export function shareUpstream(open: () => Transport): Upstream {
  let connecting: Promise<Connection> | undefined;
  let nextId = 0;
  const progress = new Map<RequestId, (message: Message) => void>();

  const connect = (): Promise<Connection> => {
    connecting ??= initialize(open(), progress, () => {
      connecting = undefined;
    }).catch((cause) => {
      connecting = undefined;
      throw cause;
    });
    return connecting;
  };

  const server = (): UpstreamServer => {
    const outstanding = new Map<RequestId, number>();
    let client: Transport | undefined;
    const reply = (message: Message): void => {
      // A client that is gone needs no answer.
      client?.send(message as JSONRPCMessage).catch(() => undefined);
    };

    const forward = async (request: Request): Promise<void> => {
      const id = ++nextId;
      outstanding.set(request.id, id);
      const token = read(request.params, '_meta', 'progressToken');
      try {
        const connection = await connect();
        if (token !== undefined) {
          progress.set(id, (message) => {
            const params = { ...(read(message, 'params') as object), progressToken: token };
            const options = { relatedRequestId: request.id };
            client?.send({ ...message, params } as JSONRPCMessage, options).catch(() => undefined);
          });
        }
        const answer = new Promise<Answer | Failure>((resolve) => connection.waiting.set(id, resolve));
        await connection.transport.send(renamed(request, id, token) as JSONRPCMessage);
        reply({ ...(await answer), id: request.id } as Message);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        reply(
          failure(
            request.id,
            ERRORS.internal,
            `The server behind this endpoint cannot be reached: ${reason}`,
          ),
        );
      } finally {
        progress.delete(id);
        outstanding.delete(request.id);
      }
    };

    const take = (message: Message): void => {
      if (isResponse(message)) return;
      if (!isRequest(message)) {
        const cancelled =
          message.method === METHODS.cancelled
            ? outstanding.get(read(message.params, 'requestId') as RequestId)
            : undefined;
        if (cancelled !== undefined) void cancel(connecting, cancelled);
        return;
      }
      if (message.method === METHODS.initialize) {
        connect().then(
          ({ initialized }) =>
            reply({ jsonrpc: '2.0', id: message.id, result: offered(initialized, message) }),
          (cause) => {
            const reason = cause instanceof Error ? cause.message : String(cause);
            reply(
              failure(
                message.id,
                ERRORS.internal,
                `The server behind this endpoint cannot be started: ${reason}`,
              ),
            );
          },
        );
      } else if (message.method === 'ping') {
        reply({ jsonrpc: '2.0', id: message.id, result: {} });
      } else if (REFUSED.has(message.method)) {
        const reason = `${message.method} is not offered: several clients share this server, and would share what one of them sets.`;
        reply(failure(message.id, ERRORS.methodNotFound, reason));
      } else {
        void forward(message);
      }
    };

    return {
      async connect(transport) {
        client = transport;
        transport.onmessage = (message) => take(message as Message);
        await transport.start();
      },
      async close() {
        for (const id of outstanding.values()) void cancel(connecting, id);
        await client?.close();
      },
    };
  };

  return {
    server,
    close: async () => {
      const connection = await connecting?.catch(() => undefined);
      await connection?.transport.close();
    },
  };
}

async function initialize(
  transport: Transport,
  progress: ReadonlyMap<RequestId, (message: Message) => void>,
  ended: () => void,
): Promise<Connection> {
  const waiting: Connection['waiting'] = new Map();
  const gone = (): void => {
    ended();
    const error = {
      code: ERRORS.internal,
      message: 'The server behind this endpoint ended; ask again to start it anew.',
    };
    for (const [id, resolve] of waiting) resolve({ jsonrpc: '2.0', id, error });
    waiting.clear();
  };
  transport.onclose = gone;
  transport.onmessage = (received) => {
    const message = received as Message;
    if (isResponse(message)) {
      if (message.id === undefined) return;
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    } else if (isRequest(message)) {
      const answer: Message =
        message.method === 'ping'
          ? { jsonrpc: '2.0', id: message.id, result: {} }
          : failure(
              message.id,
              ERRORS.methodNotFound,
              'Several clients share this connection; none can be asked.',
            );
      transport.send(answer as JSONRPCMessage).catch(() => undefined);
    } else if (message.method === 'notifications/progress') {
      progress.get(read(message.params, 'progressToken') as RequestId)?.(message);
    }
  };
  await transport.start();
  const answer = new Promise<Answer | Failure>((resolve) => waiting.set('initialize', resolve));
  const clientInfo = { name: 'mcp-concerns', version: '1' };
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
  await transport.send({ jsonrpc: '2.0', id: 'initialize', method: METHODS.initialize, params });
  const response = await answer;
  if ('error' in response) throw new Error(response.error.message);
  transport.setProtocolVersion?.(String(response.result.protocolVersion));
  await transport.send({ jsonrpc: '2.0', method: METHODS.initialized });
  return { transport, initialized: response.result, waiting };
}

/** What is offered to a client: the server's own result, without what cannot be shared. */
function offered(initialized: Record<string, unknown>, { params }: Request): Record<string, unknown> {
  const {
    logging: _logging,
    resources,
    ...capabilities
  } = initialized.capabilities as Record<string, unknown>;
  const { subscribe: _subscribe, ...kept } = (resources ?? {}) as Record<string, unknown>;
  const wanted = read(params, 'protocolVersion');
  const protocolVersion =
    typeof wanted === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(wanted)
      ? wanted
      : initialized.protocolVersion;
  return {
    ...initialized,
    protocolVersion,
    capabilities: { ...capabilities, ...(resources === undefined ? {} : { resources: kept }) },
  };
}

function renamed(request: Request, id: number, token: unknown): Request {
  if (token === undefined) return { ...request, id };
  const meta = read(request.params, '_meta') as object;
  return { ...request, id, params: { ...request.params, _meta: { ...meta, progressToken: id } } };
}

async function cancel(connecting: Promise<Connection> | undefined, requestId: number): Promise<void> {
  const connection = await connecting?.catch(() => undefined);
  const notification = { jsonrpc: '2.0' as const, method: METHODS.cancelled, params: { requestId } };
  await connection?.transport.send(notification).catch(() => undefined);
}

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
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
import { type Connection, cancelRequest, openConnection } from './connection.js';
import { fromSdk, toSdk } from './sdk-messages.js';

/** Requests that set state of a connection. All clients share the connection, so all of them would get that state. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);

/** A server that several clients share, over a connection that stays open. */
export interface Upstream {
  /** Makes the server of one request, which `createHandler` and `createFunction` accept as `server`. */
  server(): UpstreamServer;
  /** Closes the connection. The next request opens a new one. */
  close(): Promise<void>;
}

/** The shared server as one request sees it, with the interface of a server of the SDK. */
export interface UpstreamServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/**
 * Shares one connection to a server among all requests: to a child process that stays alive between invocations of a
 * Lambda function, or to a remote server. The connection is initialized once. Request ids and progress tokens are
 * mapped. If the connection ends, the next request opens a new one.
 *
 * Use it for servers without state per client. Subscriptions, log levels, and requests of the server (sampling, roots,
 * elicitation) are rejected, because there is no way to tell which client they belong to.
 *
 * @param open opens a transport to the server
 * @returns the shared server
 * @example
 * const upstream = shareUpstream(() => new ChildTransport('npx', ['some-mcp-server']));
 * export const handler = createFunction({ policy, server: () => upstream.server() });
 */
export function shareUpstream(open: () => Transport): Upstream {
  const shared = new SharedConnection(open);
  return {
    server: () => new ForwardingServer(shared),
    close: () => shared.close(),
  };
}

/** The connection of all requests, opened by the first request that needs it. */
class SharedConnection {
  readonly progress = new Map<unknown, (message: Message) => void>();
  private connecting: Promise<Connection> | undefined;
  private lastId = 0;

  constructor(private readonly open: () => Transport) {}

  nextId(): number {
    return ++this.lastId;
  }

  get(): Promise<Connection> {
    const reset = (): void => {
      this.connecting = undefined;
    };
    this.connecting ??= openConnection(this.open(), this.progress, reset).catch((cause) => {
      reset();
      throw cause;
    });
    return this.connecting;
  }

  cancel(id: number): void {
    void cancelRequest(this.connecting, id);
  }

  async close(): Promise<void> {
    const connection = await this.connecting?.catch(() => undefined);
    await connection?.transport.close();
  }
}

/** Forwards the messages of one client, each request under an id that is unique on the shared connection. */
class ForwardingServer implements UpstreamServer {
  private readonly upstreamIds = new Map<unknown, number>();
  private client: Transport | undefined;

  constructor(private readonly shared: SharedConnection) {}

  async connect(transport: Transport): Promise<void> {
    this.client = transport;
    transport.onmessage = (message) => this.receive(fromSdk(message));
    await transport.start();
  }

  async close(): Promise<void> {
    for (const id of this.upstreamIds.values()) this.shared.cancel(id);
    await this.client?.close();
  }

  private receive(message: Message): void {
    if (isResponse(message)) return;
    if (!isRequest(message)) {
      if (message.method !== METHODS.cancelled) return;
      const id = this.upstreamIds.get(read(message.params, 'requestId'));
      if (id !== undefined) this.shared.cancel(id);
    } else if (message.method === METHODS.initialize) {
      void this.initialize(message);
    } else if (message.method === 'ping') {
      this.send({ jsonrpc: '2.0', id: message.id, result: {} });
    } else if (UNSUPPORTED.has(message.method)) {
      const reason = `${message.method} is not supported: several clients share this server, and they would share the state that it sets.`;
      this.send(failure(message.id, ERRORS.methodNotFound, reason));
    } else {
      void this.forward(message);
    }
  }

  private async initialize(request: Request): Promise<void> {
    try {
      const { initialized } = await this.shared.get();
      this.send({ jsonrpc: '2.0', id: request.id, result: initializeResult(initialized, request) });
    } catch (cause) {
      this.fail(request, 'started', cause);
    }
  }

  private async forward(request: Request): Promise<void> {
    const id = this.shared.nextId();
    this.upstreamIds.set(request.id, id);
    const token = read(request.params, '_meta', 'progressToken');
    try {
      const { transport, pending } = await this.shared.get();
      if (token !== undefined) {
        this.shared.progress.set(id, (message) => this.sendProgress(message, token, request.id));
      }
      const answer = new Promise<Answer | Failure>((resolve) => pending.set(id, resolve));
      await transport.send(toSdk(withId(request, id, token)));
      this.send({ ...(await answer), id: request.id });
    } catch (cause) {
      this.fail(request, 'reached', cause);
    } finally {
      this.shared.progress.delete(id);
      this.upstreamIds.delete(request.id);
    }
  }

  private sendProgress(message: Message, token: unknown, relatedRequestId: RequestId): void {
    const params = { ...('params' in message ? message.params : {}), progressToken: token };
    this.client?.send(toSdk({ ...message, params }), { relatedRequestId }).catch(() => undefined);
  }

  private fail({ id }: Request, could: 'started' | 'reached', cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.send(failure(id, ERRORS.internal, `The server behind this endpoint cannot be ${could}: ${reason}`));
  }

  private send(message: Message): void {
    // A client that has disconnected does not need the message.
    this.client?.send(toSdk(message)).catch(() => undefined);
  }
}

/** @returns the initialize result of the server, without the capabilities that clients cannot share */
function initializeResult(
  initialized: Record<string, unknown>,
  { params }: Request,
): Record<string, unknown> {
  const { logging: _logging, resources, ...capabilities } = membersOf(initialized.capabilities);
  const { subscribe: _subscribe, ...kept } = membersOf(resources);
  const requested = read(params, 'protocolVersion');
  const isSupported = typeof requested === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(requested);
  return {
    ...initialized,
    protocolVersion: isSupported ? requested : initialized.protocolVersion,
    capabilities: { ...capabilities, ...(resources === undefined ? {} : { resources: kept }) },
  };
}

function withId(request: Request, id: number, token: unknown): Request {
  if (token === undefined) return { ...request, id };
  const _meta = { ...membersOf(read(request.params, '_meta')), progressToken: id };
  return { ...request, id, params: { ...request.params, _meta } };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

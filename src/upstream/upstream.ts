import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type MessageExtraInfo, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { SlowReaders } from '../http/streams/slow-readers.js';
import {
  ERRORS,
  failure,
  fromSdk,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type Request,
  type RequestId,
  read,
  toSdk,
} from '../wire/messages.js';
import type { RecoveryOptions } from './recovering.js';
import { SharedConnection } from './shared-connection.js';

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

/** A server behind the endpoint as one request sees it, with the interface of a server of the SDK. */
export interface UpstreamServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
  /** Stops reading from the server behind the endpoint while clients are slow. */
  readonly readers: SlowReaders;
}

/**
 * Shares one connection to a server among all requests: to a child process that stays alive between invocations of a
 * Lambda function, or to a remote server. The connection is initialized once. Request ids and progress tokens are
 * mapped. A server that ends, hangs or forgets its session is opened again.
 *
 * Use it for servers without state per client. Tasks belong to their makers, and are not offered to callers that have
 * neither a session nor a verified identity. Subscriptions, log levels, and requests of the server (sampling, roots,
 * elicitation) are rejected, because there is no way to tell which client they belong to.
 *
 * @param open opens a transport to the server
 * @param options how long the server may take, and who is told what happens to it
 * @returns the shared server
 * @example
 * const upstream = shareUpstream(() => new ChildTransport('npx', ['some-mcp-server']), { report: console.warn });
 * export const handler = createFunction({ policy, server: () => upstream.server() });
 */
export function shareUpstream(open: () => Transport, options: RecoveryOptions = {}): Upstream {
  const shared = new SharedConnection(open, options);
  return {
    server: () => new ForwardingServer(shared),
    close: () => shared.close(),
  };
}

/** Forwards the messages of one client, each request under an id that is unique on the shared connection. */
class ForwardingServer implements UpstreamServer {
  private readonly upstreamIds = new Map<unknown, number>();
  private client: Transport | undefined;

  constructor(private readonly shared: SharedConnection) {}

  get readers(): SlowReaders {
    return this.shared.readers;
  }

  async connect(transport: Transport): Promise<void> {
    this.client = transport;
    transport.onmessage = (message, extra) =>
      this.receive(fromSdk(message), hasTasks(transport.sessionId, extra));
    await transport.start();
  }

  async close(): Promise<void> {
    for (const id of this.upstreamIds.values()) this.shared.cancel(id);
    this.upstreamIds.clear();
    await this.client?.close();
  }

  private receive(message: Message, tasks: boolean): void {
    if (isResponse(message)) return;
    if (!isRequest(message)) {
      if (message.method !== METHODS.cancelled) return;
      const requestId = read(message.params, 'requestId');
      const id = this.upstreamIds.get(requestId);
      this.upstreamIds.delete(requestId);
      if (id !== undefined) this.shared.cancel(id);
    } else if (message.method === METHODS.initialize) {
      void this.initialize(message, tasks);
    } else if (message.method === 'ping') {
      this.send({ jsonrpc: '2.0', id: message.id, result: {} });
    } else if (!tasks && message.method.startsWith('tasks/')) {
      this.send(failure(message.id, ERRORS.methodNotFound, 'Method not found'));
    } else if (UNSUPPORTED.has(message.method)) {
      const reason = `${message.method} is not supported: several clients share this server, and they would share the state that it sets.`;
      this.send(failure(message.id, ERRORS.methodNotFound, reason));
    } else {
      void this.forward(tasks ? message : withoutTask(message));
    }
  }

  private async initialize(request: Request, tasks: boolean): Promise<void> {
    const answer = await this.shared.initialize();
    if ('error' in answer) return this.send({ ...answer, id: request.id });
    this.send({ jsonrpc: '2.0', id: request.id, result: initializeResult(answer.result, request, tasks) });
  }

  private async forward(request: Request): Promise<void> {
    const id = this.shared.nextId();
    this.upstreamIds.set(request.id, id);
    const token = read(request.params, '_meta', 'progressToken');
    const initialized = await this.shared.initialize();
    if (this.upstreamIds.get(request.id) !== id) return;
    if ('error' in initialized) {
      this.upstreamIds.delete(request.id);
      return this.send({ ...initialized, id: request.id });
    }
    const progress =
      token === undefined
        ? undefined
        : (message: Message): void => this.sendProgress(message, token, request.id);
    const answer = await this.shared.ask(withId(request, id, token), progress);
    this.upstreamIds.delete(request.id);
    this.send({ ...answer, id: request.id });
  }

  private sendProgress(message: Message, token: unknown, relatedRequestId: RequestId): void {
    const params = { ...('params' in message ? message.params : {}), progressToken: token };
    this.client?.send(toSdk({ ...message, params }), { relatedRequestId }).catch(() => undefined);
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
  hasTasks: boolean,
): Record<string, unknown> {
  const { logging: _logging, resources, tasks, ...capabilities } = membersOf(initialized.capabilities);
  const { subscribe: _subscribe, ...kept } = membersOf(resources);
  const requested = read(params, 'protocolVersion');
  const isSupported = typeof requested === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(requested);
  return {
    ...initialized,
    protocolVersion: isSupported ? requested : initialized.protocolVersion,
    capabilities: {
      ...capabilities,
      ...(resources === undefined ? {} : { resources: kept }),
      ...(tasks === undefined || !hasTasks ? {} : { tasks }),
    },
  };
}

/**
 * Returns whether tasks can belong to the sender of a message: it has a session or a verified identity, or it is the one
 * client of a connection that is not HTTP. Otherwise only their ids would protect tasks, and nobody knows how the shared
 * server makes those.
 */
function hasTasks(sessionId: string | undefined, extra: MessageExtraInfo | undefined): boolean {
  return sessionId !== undefined || extra?.authInfo !== undefined || extra?.requestInfo === undefined;
}

/** A server without the capability ignores that a call asks for a task (MCP, "Tasks"). */
function withoutTask(request: Request): Request {
  if (request.params?.task === undefined) return request;
  const { task: _task, ...params } = request.params;
  return { ...request, params };
}

function withId(request: Request, id: number, token: unknown): Request {
  if (token === undefined) return { ...request, id };
  const _meta = { ...membersOf(read(request.params, '_meta')), progressToken: id };
  return { ...request, id, params: { ...request.params, _meta } };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

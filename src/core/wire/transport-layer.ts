import type { JsonRpcMessage, MessageExtra, SendOptions, Transport } from './transport.js';

/** The members that transports of SDK v2 have in addition to those of v1. */
interface V2Transport {
  setSupportedProtocolVersions?(versions: string[]): void;
  readonly hasPerRequestStream?: boolean;
}

/** A transport for a server that handles the messages of another transport. */
export abstract class TransportLayer implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JsonRpcMessage>(message: T, extra?: MessageExtra) => void;

  constructor(protected readonly inner: Transport) {}

  /** Handles a message of the client. */
  protected abstract receive(message: JsonRpcMessage, extra: MessageExtra | undefined): void;
  /** The inner transport has closed. */
  protected abstract closed(): void;
  abstract send(message: JsonRpcMessage, options?: SendOptions): Promise<void>;

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  /** SDK v2: sets the protocol versions that the transport accepts in headers. */
  setSupportedProtocolVersions(versions: string[]): void {
    (this.inner as V2Transport).setSupportedProtocolVersions?.(versions);
  }

  /** SDK v2: whether closing the stream of a request cancels it. */
  get hasPerRequestStream(): boolean | undefined {
    return (this.inner as V2Transport).hasPerRequestStream;
  }

  start(): Promise<void> {
    const { inner } = this;
    // Handlers that were set on the transport before are still called, as the SDK does.
    const { onclose, onerror, onmessage } = inner;
    // Bound methods: V8 drops the optimized code of closures when the transports of earlier requests are collected.
    inner.onclose = this.innerClosed.bind(this, onclose);
    inner.onerror = (error) => {
      onerror?.(error);
      this.onerror?.(error);
    };
    inner.onmessage = this.received.bind(this, onmessage);
    return inner.start();
  }

  private innerClosed(before: Transport['onclose']): void {
    this.closed();
    before?.();
    this.onclose?.();
  }

  private received(before: Transport['onmessage'], message: JsonRpcMessage, extra?: MessageExtra): void {
    before?.(message, extra);
    this.receive(message, extra);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

/**
 * Puts a function in front of what receives the messages of a transport, which whoever starts the transport sets before.
 *
 * @param transport the transport, not started yet. Its `start` is replaced
 * @param receive is called with each message, and passes those on that are to be received
 * @example
 * receiveFirst(transport, (message, next) => next(message));
 */
export function receiveFirst(
  transport: Transport,
  receive: (message: JsonRpcMessage, next: (message: JsonRpcMessage) => void) => void,
): void {
  const start = transport.start.bind(transport);
  transport.start = () => {
    const { onmessage } = transport;
    transport.onmessage = (received, extra) => receive(received, (message) => onmessage?.(message, extra));
    return start();
  };
}

/** Puts a layer on a transport. */
type Wrap = (transport: Transport) => Transport;

/** A server of SDK v1 or v2. Both have the same `connect`; their transports differ only in what they report about a request. */
export interface Connectable {
  // Declared as a method with `never`, so that servers whose transports have more members are assignable.
  connect(transport: never): Promise<void>;
}

/** A server whose `connect` puts layers on its transports, once there is one. */
interface Layered {
  connect(transport: Transport): Promise<void>;
  [LAYERS]?: Layers;
}

interface Layers {
  readonly gate: Wrap[];
  readonly tasks: Wrap[];
}

/** Registered, so that a second copy of this package in the process finds the layers too. */
const LAYERS = Symbol.for('mcp-concerns.layers');

/**
 * Puts a layer between a server of SDK v1 or v2 and every transport that it connects to afterwards. The gate is always in
 * front of the tasks, in whatever order they are added: otherwise tools that the policy hides could be called as tasks.
 *
 * @param server a `Server`, or an `McpServer`, which contains one
 * @param place whose layer it is
 * @param wrap puts the layer on a transport
 * @returns whether the server has a `connect` method
 */
export function addLayer(server: object, place: keyof Layers, wrap: Wrap): boolean {
  const target = connectableIn(server);
  if (target === undefined) return false;
  // Of two layers of the same place, the later one is nearer to the client.
  layersOf(target)[place].unshift(wrap);
  return true;
}

/**
 * Returns whether messages of clients reach a value through the transports that it connects to: it has handlers of requests, as
 * the servers of both SDKs. A client of an SDK has handlers too, but it calls tools. The `connect` of another object, such as
 * the server of a framework, may be one that nothing calls, so a layer there would see no message.
 *
 * @param server a `Server`, or an `McpServer`, which contains one; a subclass or a proxy of them
 */
export function isSdkServer(server: unknown): boolean {
  const target = memberOf(server, 'server') ?? server;
  const has = (name: string): boolean => typeof memberOf(target, name) === 'function';
  return has('connect') && has('setRequestHandler') && !has('callTool');
}

/**
 * Returns whether a server, or the one that an `McpServer` contains, is of SDK v2. Its class cannot be compared: a module imports
 * a copy of the SDK of its own.
 */
export const isSdkV2Server = (server: unknown): boolean =>
  typeof memberOf(memberOf(server, 'server') ?? server, 'getNegotiatedProtocolVersion') === 'function';

/** Returns a member, also an inherited one, because servers are instances of classes. */
export const memberOf = (value: unknown, name: string): unknown =>
  value instanceof Object ? Reflect.get(value, name) : undefined;

/** Removes the gates from a server that this process has made for itself, so that it lists everything. Returns the server. */
export function withoutGates<Server extends object>(server: Server): Server {
  connectableIn(server)?.[LAYERS]?.gate.splice(0);
  return server;
}

/** McpServer.connect calls the connect method of the Server that it contains. */
function connectableIn(server: object): Layered | undefined {
  const target: unknown = 'server' in server ? server.server : server;
  return isConnectable(target) ? target : undefined;
}

function layersOf(server: Layered): Layers {
  const known = server[LAYERS];
  if (known !== undefined) return known;
  const layers: Layers = { gate: [], tasks: [] };
  const connect = server.connect.bind(server);
  server[LAYERS] = layers;
  server.connect = (transport) =>
    connect([...layers.gate, ...layers.tasks].reduce((inner, wrap) => wrap(inner), transport));
  return layers;
}

function isConnectable(value: unknown): value is Layered {
  return (
    typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
  );
}

import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { Policy } from '../engine/policy.js';
import { ConcernsError } from '../errors.js';
import type { SessionStore } from '../session/store.js';
import { Gate } from './gate.js';
import type { SharedCatalog } from './lists/shared-catalog.js';
import type { Message } from './messages/wire.js';
import { LivePolicy } from './request/live-policy.js';
import type { HttpRequestInfo } from './request/preference-sources.js';
import type { GateReport } from './request/report.js';
import type { MessageContext } from './request/request.js';
import { placePreferences } from './request/session-preferences.js';

/**
 * A server of SDK v1 or v2: a `Server`, or an `McpServer`, which contains one. Both SDKs have the same `connect`. Their
 * transports differ only in what they report about a request.
 */
export type ConnectableServer = Connectable | { readonly server: Connectable };

interface Connectable {
  // Declared as a method, so that servers whose transports have more members are assignable.
  connect(transport: never): Promise<void>;
}

export interface ConcernsOptions {
  /** From `loadPolicy` or `openCompiledPolicy`. A `LivePolicy` can be replaced while connections are open. */
  readonly policy: Policy | LivePolicy;
  /** Keeps the preferences of HTTP sessions. Without a store, the connection keeps them as long as it lasts. */
  readonly store?: SessionStore | undefined;
  /** Called once for each request of a client, to write a log. */
  readonly report?: ((report: GateReport) => void) | undefined;
  /**
   * The method under which an HTTP handler that answers some requests before any transport asks what is hidden. It must
   * be impossible to guess.
   */
  readonly probe?: string | undefined;
  /** A catalog shared between server instances. The operator promises that it does not depend on the request. */
  readonly shared?: SharedCatalog | undefined;
}

/** What `attachConcerns` returns. */
export interface AttachedConcerns {
  /** Resolves when no message waits for the store. An HTTP handler must await it before it responds with 202. */
  settled(): Promise<void>;
}

/** Thrown by `attachConcerns` if it is called with a value that is not an SDK server. */
export class AttachError extends ConcernsError {
  readonly code = 'ATTACH_INVALID';
  override readonly name = 'AttachError';
}

/**
 * Puts the gate between a server and every transport that it connects to afterwards. Tools, prompts and resources can be
 * registered before or after.
 *
 * Implements the concern-based filtering proposal: the declaration in `initialize` and `server/discover`, preferences in
 * `notifications/initialized`, `updateConcerns` and each request, and filtered lists.
 *
 * @param server a server of SDK v1 or v2 that is not connected yet
 * @param options the policy, and where preferences are kept
 * @returns a handle for HTTP handlers
 * @throws {AttachError} if `server` has no `connect` method
 * @example
 * const server = new McpServer({ name: 'vault', version: '1.0.0' });
 * attachConcerns(server, { policy: loadPolicy('policies/vault.yaml') });
 * await server.connect(new StdioServerTransport());
 */
export function attachConcerns(server: ConnectableServer, options: ConcernsOptions): AttachedConcerns {
  // McpServer.connect calls the connect method of the Server that it contains.
  const target = ('server' in server ? server.server : server) as {
    connect?: (transport: Transport) => Promise<void>;
  };
  if (typeof target.connect !== 'function') {
    throw new AttachError(
      'The value passed to attachConcerns has no connect method. Pass a Server or McpServer of an MCP SDK.',
    );
  }
  const connect = target.connect.bind(target);
  let gated: GatedTransport | undefined;
  target.connect = (transport) => {
    gated = new GatedTransport(transport, options);
    return connect(gated);
  };
  return { settled: async () => gated?.settled() };
}

interface SdkContext extends MessageContext {
  readonly extra: MessageExtraInfo | undefined;
}

/** The members that transports of SDK v2 have in addition to those of v1. */
interface V2Transport {
  setSupportedProtocolVersions?(versions: string[]): void;
  readonly hasPerRequestStream?: boolean;
}

/** A transport that gives every message to a gate first. */
class GatedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private gate: Gate<SdkContext> | undefined;

  constructor(
    private readonly inner: Transport,
    private readonly options: ConcernsOptions,
  ) {}

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  setProtocolVersion = (version: string): void => {
    this.inner.setProtocolVersion?.(version);
  };

  /** SDK v2: sets the protocol versions that the transport accepts in headers. */
  setSupportedProtocolVersions = (versions: string[]): void => {
    (this.inner as V2Transport).setSupportedProtocolVersions?.(versions);
  };

  /** SDK v2: whether closing the stream of a request cancels it. */
  get hasPerRequestStream(): boolean | undefined {
    return (this.inner as V2Transport).hasPerRequestStream;
  }

  async start(): Promise<void> {
    const { inner } = this;
    // Handlers that were set on the transport before are still called, as the SDK does.
    const { onclose, onerror, onmessage } = inner;
    inner.onclose = () => {
      this.gate?.close();
      onclose?.();
      this.onclose?.();
    };
    inner.onerror = (error) => {
      onerror?.(error);
      this.onerror?.(error);
    };
    inner.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      // The session id and the type of transport are only known from the first message.
      this.gate ??= this.createGate(extra);
      this.gate.fromClient(message as Message, contextOf(extra));
    };
    await inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const { gate } = this;
    if (gate === undefined) return this.inner.send(message, options);
    const relatedTo = options?.relatedRequestId;
    const translated =
      relatedTo === undefined ? options : { ...options, relatedRequestId: gate.clientIdOf(relatedTo) };
    return gate.fromServer(message as Message, (sent) => this.inner.send(sent as JSONRPCMessage, translated));
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async settled(): Promise<void> {
    await this.gate?.settled();
  }

  private createGate(extra: MessageExtraInfo | undefined): Gate<SdkContext> {
    const { policy, store, report, probe, shared } = this.options;
    const preferences = placePreferences(store, this.inner.sessionId, httpOf(extra) !== undefined);
    const live = policy instanceof LivePolicy ? policy : new LivePolicy(policy);
    return new Gate(
      { live, preferences, report, probe, shared },
      {
        toServer: (message, context) => this.onmessage?.(message as JSONRPCMessage, context.extra),
        toClient: (message, relatedTo) =>
          this.inner.send(
            message as JSONRPCMessage,
            relatedTo === undefined ? undefined : { relatedRequestId: relatedTo },
          ),
      },
    );
  }
}

function contextOf(extra: MessageExtraInfo | undefined): SdkContext {
  const claims = extra?.authInfo?.extra;
  return {
    extra,
    http: httpOf(extra),
    ...(claims === undefined ? {} : { claims: new Map(Object.entries(claims)) }),
  };
}

/** SDK v1 reports the headers and URL, SDK v2 the request itself. */
function httpOf(extra: MessageExtraInfo | undefined): HttpRequestInfo | undefined {
  const request = (extra as { request?: Request } | undefined)?.request;
  if (request === undefined) return extra?.requestInfo;
  return {
    url: request.url,
    get headers() {
      return Object.fromEntries(request.headers);
    },
  };
}

import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { Policy } from '../engine/policy.js';
import type { SessionStore } from '../session/store.js';
import { Gate } from './gate.js';
import type { SharedLists } from './lists/catalogs.js';
import type { Message } from './messages/wire.js';
import { LivePolicy } from './request/live-policy.js';
import type { HttpRequestInfo } from './request/preference-sources.js';
import { placePreferences } from './request/preferences.js';
import type { GateReport, MessageContext } from './request/request.js';

/**
 * A server of SDK v1 or v2: `Server`, or `McpServer`, which holds one. Both generations have the same `connect`, over
 * transports that differ only in what they tell of a request.
 */
export type ConnectableServer = Connectable | { readonly server: Connectable };

interface Connectable {
  // A method, so that servers whose transports have more members fit too.
  connect(transport: never): Promise<void>;
}

export interface ConcernsOptions {
  /** From `loadPolicy` or `openCompiledPolicy`; a `LivePolicy` can be replaced while connections are open. */
  readonly policy: Policy | LivePolicy;
  /** Where sessions over HTTP keep what hosts asked for. Without one it is kept in the connection, if it lasts. */
  readonly store?: SessionStore | undefined;
  /** Called once for each request of a client, for logs. */
  readonly report?: ((report: GateReport) => void) | undefined;
  /**
   * For mounts around a handler that answers some requests before any transport: the method under which they ask what
   * is hidden. It must be unguessable.
   */
  readonly probe?: string | undefined;
  /** Lists shared between servers that list the same whatever is asked of them: the operator's promise. */
  readonly shared?: SharedLists | undefined;
}

/** What `attachConcerns` returns. */
export interface AttachedConcerns {
  /** Resolves when nothing waits for the store any more. Whoever answers HTTP requests awaits it before a 202. */
  settled(): Promise<void>;
}

/** `attachConcerns` was called on something that it cannot work on. */
export class AttachError extends Error {
  readonly code = 'ATTACH_INVALID';
  override readonly name = 'AttachError';
}

/**
 * Puts the gate between a server and every transport that it is connected to from now on. Tools, prompts and resources
 * may be registered before or after.
 *
 * Implements the concern-based filtering proposal for protocol versions up to 2025-11-25: declaration at `initialize`,
 * configuration at `initialized` and by `updateConcerns`, filtered lists.
 *
 * @param server an SDK v1 server that is not connected yet
 * @param options the policy, and where preferences are kept
 * @returns a handle for whoever answers HTTP requests
 * @throws {AttachError} if this is no SDK server
 * @example
 * const server = new McpServer({ name: 'vault', version: '1.0.0' });
 * attachConcerns(server, { policy: loadPolicy('policies/vault.yaml') });
 * await server.connect(new StdioServerTransport());
 */
export function attachConcerns(server: ConnectableServer, options: ConcernsOptions): AttachedConcerns {
  // McpServer.connect calls the connect of the Server that it holds.
  const target = ('server' in server ? server.server : server) as {
    connect?: (transport: Transport) => Promise<void>;
  };
  if (typeof target.connect !== 'function') {
    throw new AttachError(
      'attachConcerns takes an SDK server with a connect method; pass a Server or McpServer.',
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

/** What transports of SDK v2 have beside those of v1. */
interface V2Transport {
  setSupportedProtocolVersions?(versions: string[]): void;
  readonly hasPerRequestStream?: boolean;
}

/** A transport that hands every message to a gate first. */
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

  /** SDK v2: the versions that the transport is to accept in headers. */
  setSupportedProtocolVersions = (versions: string[]): void => {
    (this.inner as V2Transport).setSupportedProtocolVersions?.(versions);
  };

  /** SDK v2: whether closing the stream of a request cancels it. */
  get hasPerRequestStream(): boolean | undefined {
    return (this.inner as V2Transport).hasPerRequestStream;
  }

  async start(): Promise<void> {
    const { inner } = this;
    // Handlers that somebody set on the transport keep being called, as the SDK does it.
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
      // A session id and the kind of transport are known with the first message only.
      this.gate ??= this.createGate(extra);
      this.gate.fromClient(message as Message, contextOf(extra));
    };
    await inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.gate === undefined) return this.inner.send(message, options);
    return this.gate.fromServer(message as Message, (sent) =>
      this.inner.send(sent as JSONRPCMessage, options),
    );
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

/** SDK v1 tells headers and URL, SDK v2 the request itself. */
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

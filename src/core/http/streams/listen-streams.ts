import type { McpRequestContext, McpServer, Server } from '@modelcontextprotocol/server';
import type { GateOptions } from '../../gate/edge/concerns-options.js';
import { type GatedTransport, gatedTransport } from '../../gate/edge/gated-transport.js';
import type { PrincipalPreferences } from '../../gate/request/kept-preferences.js';
import {
  asLegacy,
  ERRORS,
  type Failure,
  failure,
  fromSdk,
  isRequest,
  METHODS,
  type RequestId,
  SUBSCRIPTION_META,
  toSdk,
} from '../../wire/messages.js';
import type { JsonRpcMessage, Transport } from '../../wire/transport.js';
import { principalOf } from '../sessions.js';
import { type UpstreamServer, upstreamOf } from '../upstream-server.js';

/** Streams that one process has open at most, and those of one verified caller. */
const MAX_STREAMS = 1024;
const MAX_OF_CALLER = 128;
/** How often the preferences of callers are read: they can change in another process. */
const POLL_MS = 5000;

/** What answers `subscriptions/listen`, and ends with its stream. */
export type StreamServer = UpstreamServer | McpServer | Server;

interface Stream {
  /** The id of the request that opened it. */
  readonly id: RequestId;
  /** The transport to the client. */
  readonly inner: Transport;
  readonly gate: GatedTransport;
  /** The verified caller. */
  readonly caller: string | undefined;
  readonly principal: PrincipalPreferences | undefined;
}

/**
 * The streams of `subscriptions/listen` that one process has open. Each is a connection with a gate of its own: the URL, the
 * headers and the `_meta` of the request that opened it decide what it tells, under the policy of the moment.
 */
export class ListenStreams {
  private readonly streams = new Set<Stream>();
  private readonly polling = setInterval(() => this.switched(), POLL_MS).unref();

  /**
   * @param make makes the server of a stream: one that stands for one behind the endpoint, or one with tasks
   * @param tellsLists whether streams are about lists of servers that are not behind the endpoint
   */
  constructor(
    private readonly make: (context: McpRequestContext) => Promise<StreamServer>,
    readonly tellsLists = true,
  ) {}

  /**
   * Connects a new server to a stream. The transport must get the request itself after that.
   *
   * @param id the id of the request
   * @param inner the transport to the client, not started
   * @param options how the stream is filtered
   * @param context who opens it
   * @returns the server; the answer to the request if too many streams are open
   */
  async open(
    id: RequestId,
    inner: Transport,
    options: GateOptions,
    context: McpRequestContext,
  ): Promise<StreamServer | Failure> {
    const caller = principalOf(context.authInfo)?.join('\n');
    const own = [...this.streams].filter((each) => each.caller === caller);
    if (this.streams.size >= MAX_STREAMS || (caller !== undefined && own.length >= MAX_OF_CALLER)) {
      return failure(id, ERRORS.internal, 'Too many streams are open. Close one, and try again.');
    }
    const server = await this.make(context);
    inner.onclose = () => this.streams.delete(stream);
    const gate = gatedTransport(marked(inner, id), {
      ...options,
      upstream: options.upstream ?? upstreamOf(server)?.behind,
    });
    const stream: Stream = { id, inner, gate, caller, principal: options.principal };
    this.streams.add(stream);
    // The types of transports differ only in what they tell of a request.
    await server.connect(gate as never);
    if (!('behind' in server)) listAsLegacy(server);
    return server;
  }

  /**
   * Tells streams which lists look different since preferences of their caller changed.
   *
   * @param caller where the preferences of the caller are kept; without it, the streams of all callers compare
   */
  switched(caller?: PrincipalPreferences): void {
    const id = caller?.place === 'store' ? caller.id : undefined;
    for (const { gate, principal } of this.streams) {
      if (principal?.place === 'store' && principal.id === (id ?? principal.id)) gate.announceChanges();
    }
  }

  /** Ends all streams with the answers to their requests. */
  async close(): Promise<void> {
    clearInterval(this.polling);
    const ending = [...this.streams].map(({ id, inner }) => {
      return inner.send({ jsonrpc: '2.0', id, result: { resultType: 'complete' } });
    });
    await Promise.allSettled(ending);
  }
}

/**
 * Lets the gate ask a server for its lists. Only the SDK's own endpoints tell a server of SDK v2 that its client is of
 * 2026-07-28, and one that does not know refuses requests that say so. Its tasks are asked before it.
 */
function listAsLegacy(server: McpServer | Server): void {
  const { transport } = 'server' in server ? server.server : server;
  if (transport === undefined) return;
  const { onmessage } = transport;
  transport.onmessage = (received) => {
    const message = fromSdk(received as JsonRpcMessage);
    onmessage?.(isRequest(message) ? toSdk(asLegacy(message)) : received);
  };
}

/** Everything that is sent on a stream belongs to the request that opened it, and says so. The acknowledgment is the first. */
function marked(transport: Transport, id: RequestId): Transport {
  const send = transport.send.bind(transport);
  const early: JsonRpcMessage[] = [];
  let isOpen = false;
  const deliver = (message: JsonRpcMessage): Promise<void> => {
    const related = { relatedRequestId: id };
    const named = { [SUBSCRIPTION_META]: id };
    if ('method' in message) {
      const _meta = { ...message.params?._meta, ...named };
      return send({ ...message, params: { ...message.params, _meta } }, related);
    }
    const { result } = 'result' in message ? message : {};
    const ending = result && { result: { ...result, _meta: { ...result._meta, ...named } } };
    // The answer ends the stream.
    return send({ ...message, ...ending } as JsonRpcMessage, related).then(() => transport.close());
  };
  transport.send = async (message) => {
    isOpen ||= !('method' in message) || message.method === METHODS.acknowledged;
    if (!isOpen) return void early.push(message);
    await deliver(message);
    for (const each of early.splice(0)) await deliver(each);
  };
  return transport;
}

import { insideName } from '../../engine/servers/outside-names.js';
import { once } from '../../once.js';
import { GATE, type GateLink } from '../../wire/gate-link.js';
import {
  eraOf,
  isNotification,
  isResponse,
  type Request as McpRequest,
  type Message,
  type RequestId,
} from '../../wire/messages.js';
import type { TaskLister } from '../../wire/task-lister.js';
import type { JsonRpcMessage, MessageExtra, SendOptions, Transport } from '../../wire/transport.js';
import { TransportLayer } from '../../wire/transport-layer.js';
import type { Sender } from '../request/configure.js';
import { placePreferences, readSession, recordOf } from '../request/kept-preferences.js';
import { policyInForce } from '../request/live-policy.js';
import type { HttpRequestInfo } from '../request/preference-sources.js';
import type { Arrival, GateReport, Timing } from '../request/report.js';
import { KINDS_OF, passesBy, reportOfPassing } from '../table/routing.js';
import { memoryOf, StoredRecords, TaskMemory } from '../tasks/task-records.js';
import type { GateOptions } from './concerns-options.js';
import { Connection, type ConnectionPorts } from './connection.js';
import type { ConnectionOptions } from './connection-state.js';
import type { Exchange } from './exchange.js';
import { Ledger } from './ledger.js';
import { KnownNames, Outcomes } from './outcomes.js';
import { showsTool } from './shows-tool.js';

/** A transport with a gate in it. */
export interface GatedTransport extends Transport, GateLink {
  /** Resolves when nothing waits for the store, a list or an answer of the gate. */
  settled(): Promise<void>;
  /** Tells the client which lists look different since the policy was replaced, or preferences of its caller changed. */
  announceChanges(): void;
}

/**
 * Puts the gate into a transport. Connect a server to the returned transport instead.
 *
 * @param transport a transport of SDK v1 or v2 that is not started
 * @param options the policy, where preferences are kept, and what gates share
 * @returns the transport for the server
 * @example
 * await server.connect(gatedTransport(new StdioServerTransport(), { policy }));
 */
export function gatedTransport(transport: Transport, options: GateOptions): GatedTransport {
  return new TransportWithGate(transport, options);
}

/** The member by which a transport of HTTP is known whose responses can end without an answer. */
export const COME_BACK: unique symbol = Symbol.for('mcp-concerns.come-back');

export interface EndingTransport {
  /**
   * Tells the client to come back. Must be called before the first message of the response.
   *
   * @returns ends the response
   */
  [COME_BACK](id: RequestId, retryMs: number): () => void;
}

const endingOf = (transport: Transport | EndingTransport): EndingTransport | undefined =>
  COME_BACK in transport ? transport : undefined;

/** Gives every message to a connection, which is created by the first message that does not pass by. */
class TransportWithGate extends TransportLayer implements GateLink, ConnectionPorts {
  readonly [GATE] = this;
  private connection: Connection | undefined = undefined;
  /** Whether it has closed and forgot its connection. Nobody receives what is sent then. */
  private isOver = false;
  /** Decides with the first message whether all messages pass as they are. */
  private opens: ((first: Message) => boolean) | undefined;
  private isOpen = false;
  /** Of the connection, and before there is one. */
  private readonly ledger = new Ledger<Exchange>();
  private readonly outcomes: Outcomes | undefined = undefined;
  private lister: TaskLister | undefined = undefined;
  // Created by the first work: most transports have none, and many serve a single request.
  private work: Set<Promise<unknown>> | undefined = undefined;

  constructor(
    inner: Transport,
    private readonly options: GateOptions,
  ) {
    super(inner);
    this.opens = options.opens?.();
    const { report, names, probe, upstream, arrived } = options;
    if (report === undefined) return;
    const told = (line: GateReport, timing?: Timing, arrival?: Arrival): void => {
      const receive = arrival?.report ?? report;
      if (upstream === undefined) return receive(line, timing);
      // A single server has no name.
      const target = upstream.servers.size ? line.target : undefined;
      const server = target?.name && insideName(KINDS_OF[target.type][0], target.name)?.slug;
      const isOne = server !== undefined && upstream.servers.has(server);
      const early = upstream.isEarly ? { early: true } : {};
      receive({ ...line, ...early, serverEra: upstream.serverEra, ...(isOne ? { server } : {}) }, timing);
    };
    this.outcomes = new Outcomes(told, names ?? new KnownNames(), probe, arrived);
  }

  private get isEnforced(): boolean {
    return policyInForce(this.options.policy).settings.enforcement === 'enforce';
  }

  protected closed(): void {
    this.connection?.close();
    this.outcomes?.closed();
    // Transports of the SDK stay in memory until the next full garbage collection: their responses have finalizers. With
    // the connection, each call would keep what it received, and cost 12 us more for collecting it.
    if (this.connection?.isFinished !== true || this.work?.size) return;
    this.isOver = true;
    this.connection = undefined;
  }

  protected receive(received: JsonRpcMessage, extra: MessageExtra | undefined): void {
    const message = received as Message;
    if (this.isOver) return;
    // A request over HTTP can come from anybody, so it opens nothing.
    if (this.opens !== undefined) this.isOpen = httpOf(extra) === undefined && this.opens(message);
    this.opens = undefined;
    if (this.isOpen) return this.onmessage?.(received, extra);
    const policy = policyInForce(this.options.policy);
    this.outcomes?.received(message, policy);
    if (this.connection === undefined) {
      if (passesBy(policy, message) && !this.mustBecomeLegacy(message)) {
        this.outcomes?.told(reportOfPassing(policy.settings, message), { id: message.id });
        this.ledger.passBy(message.id);
        this.onmessage?.(message as JsonRpcMessage, extra);
        return;
      }
      // The session id and the type of transport are only known from the first message.
      this.connection = this.open(extra);
    }
    this.connection.fromClient(message, senderOf(extra));
  }

  /** On the connection of a session, the marker of modern requests is removed. */
  private mustBecomeLegacy(request: McpRequest): boolean {
    return this.inner.sessionId !== undefined && eraOf(request) === 'modern';
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (this.isOver) return Promise.resolve();
    if (this.isOpen) return this.inner.send(message, options);
    if (this.connection === undefined && !this.isEnforced) {
      if ('id' in message && isResponse(message as Message)) this.ledger.takePassed(message.id);
      return this.deliver(message as Message, options);
    }
    // Under `enforce`, nothing of the server passes by, also if it sends before the client does.
    this.connection ??= this.open(undefined);
    const { connection } = this;
    const relatedTo = options?.relatedRequestId;
    const translated =
      relatedTo === undefined ? options : { ...options, relatedRequestId: this.clientIdOf(relatedTo) };
    return connection.fromServer(message as Message, (sent) => this.deliver(sent, translated), relatedTo);
  }

  private deliver(message: Message, options: SendOptions | undefined): Promise<void> {
    this.outcomes?.sent(message);
    return this.inner.send(message as JsonRpcMessage, options);
  }

  /** Resolves when no message waits for the store. An HTTP handler must await it before it responds with 202. */
  async settled(): Promise<void> {
    await this.connection?.settled();
    if (this.work !== undefined) await Promise.allSettled(this.work);
  }

  /** Tells the client which lists look different since the preferences of its caller changed. */
  announceChanges(): void {
    this.connection?.announceChanges();
  }

  clientIdOf(id: RequestId): RequestId {
    return this.ledger.clientIdOf(id);
  }

  get listens(): boolean {
    return this.options.listens === true;
  }

  listTasksWith(lister: TaskLister): void {
    this.lister = lister;
  }

  async questions(): Promise<unknown> {
    const preferences = this.connection?.state.preferences;
    return preferences && recordOf(await readSession(preferences)).questions;
  }

  comeBack(id: RequestId, retryMs: number): (() => void) | undefined {
    const clientId = this.clientIdOf(id);
    const end = endingOf(this.inner)?.[COME_BACK](clientId, retryMs);
    if (end === undefined) return undefined;
    return () => {
      this.outcomes?.finish(clientId, {});
      end();
    };
  }

  waitFor(work: Promise<unknown>): void {
    this.work ??= new Set();
    const open = this.work.add(work);
    const done = () => open.delete(work);
    work.then(done, done);
  }

  async showsTool(...[name, message, extra]: Parameters<GateLink['showsTool']>): Promise<boolean> {
    const given = message as Message;
    // Without a connection, nothing tells what its client is shown. Requests about tasks do not pass by.
    if (this.connection === undefined) return !this.isEnforced;
    if (isNotification(given)) return true;
    return showsTool(this.connection, name, given, senderOf(extra as MessageExtra | undefined));
  }

  private open(extra: MessageExtra | undefined): Connection {
    const { store, session: known, taskMemory, policy } = this.options;
    const { sessionId } = this.inner;
    const session = known ?? (sessionId === undefined ? undefined : { key: sessionId });
    const isHttp = httpOf(extra) !== undefined;
    const memory = taskMemory ?? (isHttp ? memoryOf(policy) : new TaskMemory());
    const given: ConnectionOptions = {
      gate: this.options,
      report: this.outcomes?.told,
      preferences: placePreferences(store, session, isHttp),
      tasks: new StoredRecords(memory, store),
      lister: this.lister,
      resumed: sessionId !== undefined,
    };
    return new Connection(given, this, this.ledger);
  }

  toServer(message: Message, extra: unknown): void {
    this.onmessage?.(message as JsonRpcMessage, extra as MessageExtra | undefined);
  }

  toClient(message: Message, relatedTo?: RequestId): Promise<void> {
    return this.deliver(message, relatedTo === undefined ? undefined : { relatedRequestId: relatedTo });
  }
}

function senderOf(extra: MessageExtra | undefined): Sender {
  const info = extra?.authInfo;
  return {
    extra,
    http: httpOf(extra),
    claims: info?.extra === undefined ? undefined : new Map(Object.entries(info.extra)),
    scopes: info?.scopes,
  };
}

/** SDK v1 reports the headers and URL, SDK v2 the request itself. */
function httpOf(extra: MessageExtra | undefined): HttpRequestInfo | undefined {
  const request = (extra as { request?: Request } | undefined)?.request;
  if (request === undefined) return extra?.requestInfo;
  const headers = once(() => Object.fromEntries(request.headers));
  return {
    url: request.url,
    get headers() {
      return headers();
    },
  };
}

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type MessageExtraInfo, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { SharedCatalog } from '../gate/request/catalog-cache.js';
import { SlowReaders } from '../http/streams/slow-readers.js';
import type { CallAnswer } from '../wire/calls.js';
import {
  ERRORS,
  type Era,
  fromSdk,
  isRequest,
  isResponse,
  type Request as McpRequest,
  METHODS,
  type Message,
  type RequestId,
  read,
  SUBSCRIPTION_META,
  toSdk,
} from '../wire/messages.js';
import { type Ask, CANCELLED, type Params, refusal, type ServerCall, unknownMethod } from './call.js';
import {
  capabilitiesOf,
  initializeOf,
  levelOf,
  type Members,
  membersOf,
  withoutMeta,
} from './eras/envelope.js';
import { askModern } from './eras/parameter-headers.js';
import type { ParkedCalls } from './eras/parked.js';
import { tellChanges } from './eras/stream.js';
import { type LegacyClient, legacyToModern, modernToLegacy, NO_LOGS } from './eras/translate.js';
import { type AnswerOverHttp, httpOf, type RecoveryOwner, reasonOf, unreachable } from './recovery.js';
import { asksOf, type Caller, type ChangeListener, type Link, type Upstream } from './upstream.js';
import type { HttpRefusal } from './upstream-error.js';

/** A server behind the endpoint as one client sees it, with the interface of a server of the SDK. */
export interface UpstreamServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
  /** Stops reading from the server behind the endpoint while clients are slow. */
  readonly readers: SlowReaders;
  onclose?: (() => void) | undefined;
  /** The era that is spoken to it, as far as a request has told. */
  readonly serverEra: Era | undefined;
  /** The names of several servers within names. */
  readonly servers?: ReadonlySet<string>;
  /** How the server refused the latest request, over HTTP. */
  readonly refused?: HttpRefusal | undefined;
  /** Whether it is not reached over HTTP, so that it refuses nobody in that way. */
  readonly isLocal?: boolean;
}

/** Whose messages a bridged server gets. */
export interface Client {
  readonly era: Era;
  /** Whether the connection lasts between requests, so that the client can be told and asked. */
  readonly lasts: boolean;
  /** Whether the client, and nobody else, uses a connection to the server. */
  readonly isAlone: boolean;
  readonly principal: string | undefined;
  readonly session: string | undefined;
}

/** Requests that set state of a connection. All clients share it, so all of them would get that state. */
const SETS_STATE: ReadonlySet<string> = new Set([
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);

/**
 * A server for the endpoints of both SDKs and for the gate. It speaks the era of the client, whatever the server behind it
 * speaks: it turns messages into calls and answers into messages, and the ids of the client's side end here.
 */
export class BridgedServer implements UpstreamServer {
  onclose?: (() => void) | undefined;
  readonly readers: SlowReaders;
  refused: HttpRefusal | undefined = undefined;
  private readonly running = new Map<unknown, AbortController>();
  private readonly asked = new Map<RequestId, (answer: CallAnswer) => void>();
  private lastAsked = 0;
  private transport: Transport | undefined;
  private ending: Promise<void> | undefined;
  /** The connection of a legacy client. */
  private link: Promise<Link> | undefined;
  private current: Link | undefined;
  /** What a client with a connection of its own said when it began. */
  private initialize: Params;
  private isAnnounced = false;
  private readonly said: LegacyClient & { capabilities: unknown; info: unknown } = {
    uris: new Set(),
    capabilities: undefined,
    info: undefined,
  };
  private readonly listener: ChangeListener = (method, params, from) => {
    if (from === this.current?.recovery) this.changed(method, params);
  };

  constructor(
    private readonly upstream: Upstream,
    private readonly parked: ParkedCalls,
    private readonly client: Client,
  ) {
    const own = new SlowReaders({
      pause: () => this.current?.recovery.pause(),
      resume: () => this.current?.recovery.resume(),
    });
    this.readers = client.isAlone ? own : upstream.readers;
  }

  get isLocal(): boolean {
    return this.upstream.isLocal;
  }

  get serverEra(): Era | undefined {
    return this.current?.era;
  }

  async connect(transport: Transport): Promise<void> {
    this.transport = transport;
    transport.onmessage = (message, extra) => this.receive(fromSdk(message), extra);
    transport.onclose = () => void this.end();
    if (this.client.lasts) this.upstream.listeners.add(this.listener);
    await transport.start();
  }

  async close(): Promise<void> {
    await this.end();
  }

  private end(): Promise<void> {
    this.ending ??= this.leave();
    return this.ending;
  }

  private async leave(): Promise<void> {
    const { transport } = this;
    this.transport = undefined;
    this.upstream.listeners.delete(this.listener);
    for (const controller of this.running.values()) controller.abort();
    for (const answered of this.asked.values()) answered(CANCELLED);
    this.running.clear();
    this.asked.clear();
    const dropped = this.drop();
    this.onclose?.();
    await transport?.close();
    await dropped;
  }

  /** Leaves the connection to the server. */
  private async drop(): Promise<void> {
    const { link } = this;
    this.link = undefined;
    this.current = undefined;
    const left = await link?.catch(ignore);
    for (const uri of this.said.uris) await this.upstream.watch(uri, -1).catch(ignore);
    this.said.uris.clear();
    await left?.release();
  }

  private receive(message: Message, extra: MessageExtraInfo | undefined): void {
    if (isResponse(message)) return this.answered(message);
    if (isRequest(message)) return void this.answer(message, extra);
    const { method, params } = message;
    if (method === METHODS.cancelled) return this.cancel(params);
    if (method === METHODS.initialized) return this.announce();
    // What a client tells of itself would be said of all that share the connection.
    if (!this.client.isAlone) return;
    void this.link?.then((link) => link.era === 'legacy' && link.recovery.pass(method, params), ignore);
  }

  private answered(response: Extract<Message, { result: unknown } | { error: unknown }>): void {
    const { id } = response;
    if (id === undefined || id === null) return;
    this.asked.get(id)?.('error' in response ? { error: response.error } : { result: response.result });
    this.asked.delete(id);
  }

  private cancel(params: Params): void {
    const id = read(params, 'requestId');
    this.running.get(id)?.abort(read(params, 'reason'));
    this.running.delete(id);
  }

  private async answer(
    { id, method, params }: McpRequest,
    extra: MessageExtraInfo | undefined,
  ): Promise<void> {
    const controller = new AbortController();
    this.running.set(id, controller);
    const { signal } = controller;
    const call: ServerCall = {
      method,
      params,
      signal,
      notify: (name, given) => this.send({ jsonrpc: '2.0', method: name, ...paramsOf(given) }, id),
      ask: this.canAsk ? (...question) => this.ask(question, id) : undefined,
    };
    let answer: AnswerOverHttp;
    try {
      answer = await this.handle(call, extra);
    } catch (cause) {
      answer = unreachable(method, reasonOf(cause), { http: httpOf(cause) });
    }
    if (this.running.get(id) === controller) this.running.delete(id);
    if (signal.aborted) return;
    const { http, doubted: _doubted, ...sent } = answer;
    this.refused = http;
    this.send({ jsonrpc: '2.0', id, ...sent });
  }

  private get canAsk(): boolean {
    return this.client.era === 'legacy' && this.client.lasts;
  }

  private async handle(call: ServerCall, extra: MessageExtraInfo | undefined): Promise<AnswerOverHttp> {
    const answer = await this.attempt(call, extra);
    const { doubted } = answer;
    if (doubted === undefined || !(await this.upstream.isOutdated(doubted))) return answer;
    // The server was replaced by one of the other era, and did not run the request.
    if (this.client.isAlone && this.current?.recovery === doubted) this.begin();
    return this.attempt(call, extra);
  }

  private attempt(call: ServerCall, extra: MessageExtraInfo | undefined): Promise<AnswerOverHttp> {
    if (this.client.era === 'modern') return this.handleModern(call);
    if (call.method === METHODS.initialize) {
      this.said.capabilities = read(call.params, 'capabilities');
      this.said.info = read(call.params, 'clientInfo');
    }
    return this.client.isAlone ? this.handleAlone(call) : this.handleShared(call, extra);
  }

  private async handleModern(call: ServerCall): Promise<AnswerOverHttp> {
    const { upstream, parked } = this;
    const caller = this.callerOf(call.params);
    if (call.method === METHODS.listen) return tellChanges(upstream, caller, call);
    const modern = await upstream.modern();
    this.current = modern;
    if (modern !== undefined)
      return askModern(upstream, modern, { ...call, level: levelOf(call.params) ?? NO_LOGS });
    return modernToLegacy(upstream, parked, caller, call, (link) => {
      this.current = link;
    });
  }

  private callerOf(params: Params): Caller {
    const asks = this.parked.isPossible ? asksOf(capabilitiesOf(params)) : {};
    return { principal: this.client.principal, asks };
  }

  /** A stream keeps lists of its own, to compare them with. */
  listsFor({ method, params }: McpRequest): SharedCatalog | undefined {
    if (this.client.era === 'legacy' || method === METHODS.listen) return undefined;
    return this.upstream.listsFor(this.callerOf(params));
  }

  /** Begins the session of a legacy client that nobody shares a connection with. */
  private begin(): void {
    const owner: RecoveryOwner = {
      notified: (name, given) => this.changed(name, given),
      ask: (...question) => this.ask(question),
    };
    void this.link?.then((before) => before.release(), ignore);
    this.current = undefined;
    this.link = this.upstream.forSession(this.initialize, owner);
    if (this.isAnnounced) this.announce();
  }

  private announce(): void {
    this.isAnnounced = true;
    void this.link?.then((link) => link.announce(), ignore);
  }

  /** A legacy client with a session in this process. */
  private async handleAlone(call: ServerCall): Promise<AnswerOverHttp> {
    const { method, params } = call;
    if (method === METHODS.initialize) {
      void this.drop();
      this.initialize = params;
      this.isAnnounced = false;
      this.begin();
    }
    if (this.link === undefined) {
      if (method === 'ping') return { result: {} };
      return refusal(ERRORS.invalidRequest, 'The session has not begun. Send initialize first.');
    }
    const link = await this.link;
    this.current = link;
    if (link.era === 'modern') return legacyToModern(this.upstream, link, this.said, call);
    if (method !== METHODS.initialize) return link.recovery.request(call);
    const { about } = await link.recovery.opened();
    return { result: about };
  }

  /** A legacy client that shares the connection, with its session elsewhere or none. */
  private async handleShared(call: ServerCall, extra: MessageExtraInfo | undefined): Promise<AnswerOverHttp> {
    const { method } = call;
    if (method === 'ping') return { result: {} };
    const hasTasks = this.hasTasks(extra);
    if (!hasTasks && method.startsWith('tasks/')) return unknownMethod(method);
    const { principal, session } = this.client;
    const link = await this.upstream.forLegacy({ principal, session, asks: {} });
    this.current = link;
    try {
      const isModern = link.era === 'modern';
      // Of a modern server, a connection has no state: this object keeps it for its client.
      const keepsState = isModern && this.client.lasts;
      if (SETS_STATE.has(method) && !keepsState) {
        const reason = `${method} is not supported: several clients share this server, and they would share the state that it sets.`;
        return refusal(ERRORS.methodNotFound, reason);
      }
      const sent = hasTasks ? call : { ...call, params: withoutTask(call.params) };
      if (method !== METHODS.initialize) {
        if (isModern) return await legacyToModern(this.upstream, link, this.said, sent);
        return await link.recovery.request({ ...sent, ask: undefined, level: NO_LOGS });
      }
      const { about } = await link.recovery.opened();
      const initialized = isModern ? initializeOf(about, read(call.params, 'protocolVersion')) : about;
      return { result: keepsState ? initialized : initializeResult(initialized, call.params, hasTasks) };
    } finally {
      void link.release();
    }
  }

  /**
   * Returns whether tasks can belong to the sender of a message: it has a session or a verified identity, or it is the one
   * client of a connection that is not HTTP. Otherwise only their ids would protect tasks, and nobody knows how the shared
   * server makes those.
   */
  private hasTasks(extra: MessageExtraInfo | undefined): boolean {
    const isKnown = this.transport?.sessionId !== undefined || extra?.authInfo !== undefined;
    return isKnown || extra?.requestInfo === undefined;
  }

  private ask([method, params, signal]: Parameters<Ask>, relatedTo?: RequestId): Promise<CallAnswer> {
    const id = `bridge-${++this.lastAsked}`;
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      const takeBack = (): void => {
        if (!this.asked.delete(id)) return;
        resolve(CANCELLED);
        this.send({ jsonrpc: '2.0', method: METHODS.cancelled, params: { requestId: id } }, relatedTo);
      };
      signal.addEventListener('abort', takeBack, { once: true });
      this.send({ jsonrpc: '2.0', id, method, ...paramsOf(params) }, relatedTo);
    });
  }

  /** What changed on the server. A legacy client hears only of the resources that it watches. */
  private changed(method: string, params: Params): void {
    const { current, said } = this;
    const isWatched = current?.era !== 'modern' || said.uris.has(String(read(params, 'uri')));
    if (this.client.era === 'legacy' && method === METHODS.updated && !isWatched) return;
    const given = params === undefined ? undefined : withoutMeta(params, [SUBSCRIPTION_META]);
    this.send({ jsonrpc: '2.0', method, ...paramsOf(given) });
  }

  private send(message: Message, relatedRequestId?: RequestId): void {
    const options = relatedRequestId === undefined ? undefined : { relatedRequestId };
    // A client that has disconnected does not need the message.
    this.transport?.send(toSdk(message), options).catch(ignore);
  }
}

const ignore = (): void => undefined;

const paramsOf = (params: Params) => (params === undefined ? {} : { params });

/** @returns the initialize result of the server, without the capabilities that clients cannot share */
function initializeResult(initialized: Members, params: Params, hasTasks: boolean): Members {
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

/** A server without the capability ignores that a call asks for a task (MCP, "Tasks"). */
function withoutTask(params: Params): Params {
  if (params?.task === undefined) return params;
  const { task: _task, ...kept } = params;
  return kept;
}

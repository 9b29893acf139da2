import type { Configuration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import {
  ACCESS_METHODS,
  type Answer,
  asLegacy,
  ERRORS,
  type Failure,
  failure,
  isNotification,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  shapeOf,
} from '../../wire/messages.js';
import { type AskServer, PendingRequests } from '../../wire/pending-requests.js';
import { SerialQueue } from '../../wire/serial-queue.js';
import { onInitialized } from '../concerns/initialize.js';
import { onPolicyReplaced } from '../concerns/list-changed.js';
import { filterUnexpected } from '../lists/list-request.js';
import { CatalogCache } from '../request/catalog-cache.js';
import { configure, type Sender } from '../request/configure.js';
import {
  type ConnectionObserver,
  Exchange,
  type Implementation,
  type TaskRecords,
} from '../request/exchange.js';
import { type PrincipalPreferences, readKept } from '../request/kept-preferences.js';
import { NO_REPORT, type Report } from '../request/report.js';
import { readSession, type SessionPreferences } from '../request/session-preferences.js';
import type { TaskLister } from '../request/task-lister.js';
import { passesBy, reportOfPassing } from '../table/pass-by.js';
import { TaskMemory, taskRecords } from '../tasks/task-records.js';
import type { ConnectionOptions, ConnectionPorts } from './concerns-options.js';
import { HANDLERS } from './handlers.js';
import { Ledger } from './ledger.js';
import { LivePolicy, policyInForce } from './live-policy.js';
import { PassedRequests } from './passed-requests.js';
import {
  acceptsNotification,
  fromServerNotification,
  fromServerRequest,
  listedConfiguration,
  type ServerConnection,
} from './server-messages.js';
import { showsTool } from './tool-visibility.js';

const SENT = Promise.resolve();

/**
 * The gate between one client and one server: what their messages share, and the order in which they are handled. Each
 * request of the client that the gate handles is an `Exchange`. Nothing is created for a request that passes by.
 *
 * Messages are handled in order, and synchronously as long as no earlier message waits for the session store.
 */
export class Connection implements ServerConnection {
  readonly handlers = HANDLERS;
  readonly preferences: SessionPreferences;
  readonly principal: PrincipalPreferences | undefined;
  readonly tasks: TaskRecords;
  readonly lister: TaskLister | undefined;
  readonly report: Report;
  isLegacy: boolean;
  isInitialized: boolean;
  observer: ConnectionObserver | undefined = undefined;
  lasts = false;
  listed: Configuration | undefined = undefined;
  announced: readonly string[] = [];
  server: Implementation | undefined = undefined;
  relisted: boolean | null = null;
  /** The latest request that the gate handled. */
  latest: Exchange | undefined = undefined;
  private readonly live: Policy | LivePolicy;
  private readonly ledger = new Ledger<Exchange>();
  private asked: PendingRequests | undefined = undefined;
  private lists: CatalogCache | undefined = undefined;
  private readonly shared: ConnectionOptions['shared'];
  private askedClient: PendingRequests | undefined = undefined;
  readonly probe: string | undefined;
  private readonly observe: ConnectionOptions['observe'];
  private readonly stopListening: (() => void) | undefined;
  private ownName: string | undefined = undefined;
  private clientQueue: SerialQueue | undefined = undefined;
  private serverQueue: SerialQueue | undefined = undefined;
  /** The requests that passed by and have no answer yet. */
  private readonly passed: PassedRequests;

  constructor(
    {
      policy,
      preferences,
      principal,
      tasks,
      lister,
      resumed = false,
      passed,
      report,
      probe,
      shared,
      observe,
    }: ConnectionOptions,
    private readonly ports: ConnectionPorts,
  ) {
    this.live = policy;
    this.preferences = preferences;
    this.lister = lister;
    this.principal = principal;
    this.isLegacy = resumed;
    this.isInitialized = resumed;
    this.passed = passed ?? new PassedRequests();
    this.report = report ?? NO_REPORT;
    this.observe = observe;
    this.shared = shared;
    this.probe = probe;
    const store = preferences.place === 'store' ? preferences.store : undefined;
    this.tasks = tasks ?? taskRecords(new TaskMemory(), store);
    this.stopListening = policy instanceof LivePolicy ? policy.onReplace(() => this.onReplaced()) : undefined;
  }

  get name(): string {
    this.ownName ??= crypto.randomUUID();
    return this.ownName;
  }

  // Created by the first message that needs it: many connections serve a single request, which may need neither.
  get catalog(): CatalogCache {
    this.lists ??= new CatalogCache(this.shared);
    return this.lists;
  }

  get policy(): Policy {
    return policyInForce(this.live);
  }

  private get isEnforced(): boolean {
    return this.policy.settings.enforcement === 'enforce';
  }

  private onReplaced(): void {
    if (this.latest !== undefined) void onPolicyReplaced(this.latest).then(() => this.observer?.changed());
  }

  initialized(client: Implementation, server: Implementation): void {
    this.lasts = true;
    const { latest } = this;
    this.server = server;
    if (latest === undefined) return;
    const again = (): Exchange => (this.latest ?? latest).again();
    this.observer ??= this.observe?.({ connection: this, latest: again, client, server });
  }

  /** Whether it can be forgotten when it closes: nothing waits for an answer, and what lasts is kept elsewhere. */
  get isFinished(): boolean {
    const waits = this.clientQueue?.waiting || this.serverQueue?.waiting || this.asked?.isWaiting;
    return waits !== true && this.ledger.isEmpty && this.preferences.place !== 'connection';
  }

  /** Must be called when the connection closes: stops listening for policy changes. */
  close(): void {
    this.observer?.closed();
    this.stopListening?.();
  }

  /**
   * Handles a message of the client.
   *
   * @param message the message
   * @param sender who sent it
   */
  fromClient(message: Message, sender: Sender): void {
    const shape = shapeOf(message);
    if (shape === undefined && this.isEnforced) {
      this.report({ method: 'other', era: 'legacy', error: ERRORS.invalidRequest });
      return this.toClient(failure(null, ERRORS.invalidRequest, 'Invalid Request'));
    }
    if (this.askedClient !== undefined && isResponse(message) && this.askedClient.take(message)) return;
    // Past the queue: the server may need this response before it answers the gate, which the queue waits for.
    const isAwaited = shape === 'response' && this.asked?.isWaiting === true;
    if (shape === undefined || isAwaited) return this.toServer(message, sender);
    void this.inOrder('clientQueue', () => this.judge(message, sender));
  }

  private judge(message: Message, sender: Sender): void | Promise<void> {
    if (passesBy(this.policy.settings, message)) return this.passBy(message, sender);
    if (isRequest(message)) return this.judgeRequest(message, sender);
    if (isNotification(message)) return this.fromClientNotification(message, sender);
    this.toServer(message, sender);
  }

  private passBy(request: Request, sender: Sender): void {
    const sent = this.isLegacy ? asLegacy(request) : request;
    if (this.report !== NO_REPORT) {
      this.report(reportOfPassing(this.policy.settings, sent), { id: sent.id });
    }
    this.passed.add(sent.id);
    this.toServer(sent, sender);
  }

  private judgeRequest(request: Request, sender: Sender): void | Promise<void> {
    const exchange = new Exchange(this, request, sender);
    this.latest = exchange;
    return exchange.judge();
  }

  private fromClientNotification(message: Notification, sender: Sender): void | Promise<void> {
    const { method } = message;
    if (!acceptsNotification(this, 'client', method)) return;
    if (method === METHODS.cancelled) return this.cancel(message, sender);
    const stored = method === METHODS.initialized ? onInitialized(this, message) : undefined;
    if (stored === undefined) return this.toServer(message, sender);
    return stored.then(() => this.toServer(message, sender));
  }

  private cancel(message: Notification, sender: Sender): void {
    const cancelled = this.ledger.cancel(message.params?.requestId);
    if (cancelled === undefined) {
      // The server knows an id of the client only if its request passed by.
      if (!this.isEnforced || this.passed.has(message.params?.requestId)) this.toServer(message, sender);
      return;
    }
    if (cancelled.entry.isHeld) return;
    this.toServer({ ...message, params: { ...message.params, requestId: cancelled.id } }, sender);
  }

  /**
   * Handles a message of the server.
   *
   * @param message the message
   * @param send sends the message to the client, possibly changed. The transport knows which request it belongs to.
   * @param relatedTo the request that the message belongs to, under the id that the server knows
   * @returns resolves when the message has been sent, or needs no sending
   */
  fromServer(
    message: Message,
    send: (message: Message) => Promise<void>,
    relatedTo?: RequestId,
  ): Promise<void> {
    try {
      if (this.asked !== undefined && isResponse(message) && this.asked.take(message)) return SENT;
      const related = relatedTo === undefined ? undefined : this.ledger.find(relatedTo);
      let sent = SENT;
      const pending = this.inOrder('serverQueue', () => {
        const result = this.settle(message, related);
        if (result instanceof Promise) {
          return result.then((toSend) => (toSend === undefined ? undefined : send(toSend)));
        }
        if (result !== undefined) sent = send(result);
        return undefined;
      });
      // The transport's own promise if nothing waits. With a later one, a server could be closed before it learns that
      // its answer was sent, and then it aborts the request that it just answered.
      return pending === undefined ? sent : pending.then(() => sent);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  /** Returns the message for the client; `undefined` if there is none. */
  private settle(
    message: Message,
    related: Exchange | undefined,
  ): Message | undefined | Promise<Message | undefined> {
    if (isNotification(message)) return fromServerNotification(this, message, related);
    if (isRequest(message)) return fromServerRequest(this, message, related);
    // A value that is not a message can be a batch, which contains messages that nothing filters.
    if (!isResponse(message)) return this.isEnforced ? undefined : message;
    const exchange = this.ledger.take(message.id);
    return exchange === undefined ? this.unclaimed(message) : exchange.settle(message);
  }

  /** An answer that belongs to no exchange: that of a request that passed by, or one that nobody waits for. */
  private unclaimed(message: Answer | Failure): Message | undefined {
    if (this.ledger.owns(message.id)) return undefined;
    if (this.passed.take(message.id)) return message;
    if (this.isEnforced) return undefined;
    return 'error' in message ? message : filterUnexpected(message, listedConfiguration(this));
  }

  /**
   * Returns the id that the client gave a request. The server may know it under another id, which it uses to tell its
   * transport what a notification belongs to.
   */
  clientIdOf(id: RequestId): RequestId {
    return this.ledger.find(id)?.clientId ?? id;
  }

  /**
   * Returns whether the sender of a message that the server received is shown a tool, under `enforce`. Servers that run
   * tasks ask this, because a request about a task does not name the task's tool.
   *
   * @param message a request, or a client's response to a request of the server
   */
  async showsTool(name: string, message: Request | Answer | Failure, sender: Sender): Promise<boolean> {
    if (!this.isEnforced) return true;
    const pending = this.ledger.find(message.id);
    if (pending !== undefined) return showsTool(pending, name);
    // Its id is never sent. A response of the client has no params.
    const params = 'params' in message ? message.params : undefined;
    const call = { jsonrpc: '2.0', id: 0, method: ACCESS_METHODS.call } as const;
    const own: Request = params === undefined ? call : { ...call, params };
    const exchange = new Exchange(this, own, sender);
    exchange.configured(configure(exchange, await readKept(exchange), { meta: true }), []);
    return showsTool(exchange, name);
  }

  /** Returns which questions the client of this session can answer; `undefined` if nothing tells. */
  async questions(): Promise<unknown> {
    const session = await readSession(this.preferences);
    return session.state === 'live' ? session.record.questions : undefined;
  }

  /** Resolves when no message waits for the session store. Until then, an HTTP response must not be finished. */
  async settled(): Promise<void> {
    await this.clientQueue?.settled();
    await this.serverQueue?.settled();
  }

  inFlight(): Iterable<Exchange> {
    return this.ledger.all();
  }

  enter(exchange: Exchange): RequestId {
    return this.ledger.enter(exchange);
  }

  leave(id: RequestId): boolean {
    const isWanted = !this.ledger.isCancelled(id);
    return this.ledger.take(id) !== undefined && isWanted;
  }

  toServer(message: Message, { extra }: Sender): void {
    this.ports.toServer(message, extra);
  }

  toClient(message: Message, relatedTo?: RequestId): void {
    // Sending fails if the connection is closed. Then nobody waits for the message.
    this.ports.toClient(message, relatedTo).catch(() => undefined);
  }

  askFor({ request, sender }: Exchange): AskServer {
    this.asked ??= new PendingRequests();
    return this.asked.askFor(request, (message) => this.toServer(message, sender));
  }

  askClientFor({ request, clientId }: Exchange): AskServer {
    // Related to the client's request, so that an HTTP transport sends it in the response to that request.
    this.askedClient ??= new PendingRequests();
    return this.askedClient.askFor(request, (message) => this.toClient(message, clientId));
  }

  /** Runs a task after all earlier ones of its side. A queue is created when a task of its side first waits. */
  private inOrder(
    side: 'clientQueue' | 'serverQueue',
    task: () => void | Promise<void>,
  ): void | Promise<void> {
    const queue = this[side];
    if (queue !== undefined) return queue.run(task);
    const running = task();
    if (running === undefined) return undefined;
    const created = this[side] ?? new SerialQueue();
    this[side] = created;
    return created.run(() => running);
  }
}

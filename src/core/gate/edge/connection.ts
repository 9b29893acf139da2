import { listedUnder } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import type { Kind } from '../../engine/policy.js';
import {
  type Answer,
  asLegacy,
  type Capability,
  ERRORS,
  type Failure,
  failure,
  isNotification,
  isRequest,
  isResponse,
  listChangedMethod,
  METHODS,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  shapeOf,
} from '../../wire/messages.js';
import { SerialQueue, whenKnown } from '../../wire/serial-queue.js';
import { clientOf, keepInitialized } from '../concerns/initialize.js';
import { filterUnexpected } from '../lists/list-request.js';
import type { Sender } from '../request/configure.js';
import type { Handshake } from '../request/decision.js';
import type { Implementation } from '../request/facts.js';
import { LivePolicy } from '../request/live-policy.js';
import { NO_REPORT } from '../request/report.js';
import { passesBy, reportOfPassing } from '../table/routing.js';
import { type ConnectionOptions, ConnectionState } from './connection-state.js';
import { Exchange } from './exchange.js';
import { gather, handleRequest, handleResponse } from './gather.js';
import { Ledger } from './ledger.js';
import { panelOf } from './panel-of.js';
import {
  acceptsNotification,
  announceChanges,
  fromServerNotification,
  fromServerRequest,
  type ServerConnection,
} from './server-messages.js';
import { type OpenRequest, openRequests } from './views.js';

/** Where a connection sends messages. `extra` is what the transport told about the client's message that caused one. */
export interface ConnectionPorts {
  toServer(message: Message, extra: unknown): void;
  toClient(message: Message, relatedTo?: RequestId): Promise<void>;
}

const SENT = Promise.resolve();

/**
 * The gate between one client and one server: what their messages share, and the order in which they are handled. Each
 * request of the client that the gate handles is an `Exchange`. Nothing is created for a request that passes by.
 *
 * Messages are handled in order, and synchronously as long as no earlier message waits for the session store.
 */
export class Connection implements ServerConnection {
  readonly state: ConnectionState;
  /** The latest request that the gate handled. */
  latest: Exchange | undefined = undefined;
  private readonly stopListening: (() => void) | undefined;
  private readonly clientQueue = new SerialQueue();
  private readonly serverQueue = new SerialQueue();
  private announcing = SENT;

  constructor(
    options: ConnectionOptions,
    private readonly ports: ConnectionPorts,
    /** Has the requests that passed by before there was a connection. */
    readonly ledger: Ledger<Exchange> = new Ledger(),
  ) {
    const { policy } = options.gate;
    this.state = new ConnectionState(options, this);
    this.stopListening =
      policy instanceof LivePolicy ? policy.onReplace(() => this.announceChanges()) : undefined;
  }

  /** Tells the client which lists look different since the policy was replaced, or preferences of its caller changed. */
  announceChanges(): void {
    const { latest } = this;
    // One after the other, so that no change is announced twice.
    if (latest !== undefined) this.announcing = this.announcing.then(() => announceChanges(this, latest));
  }

  handshake(step: Handshake): void {
    this.state.handshake(step);
    if (step.state === 'accepted') this.observe(step.client);
  }

  private observe(client: Implementation): void {
    const { latest, state } = this;
    if (latest === undefined || state.observer !== undefined) return;
    const panel = panelOf(() => (this.latest ?? latest).again());
    state.observer = state.options.gate.observe?.({ panel, client });
  }

  listedWith(configuration: Configuration, kind?: Kind): void {
    const { latest, state } = this;
    state.latestListed = listedUnder(configuration);
    if (state.relisted === false && kind === 'tools') state.relisted = true;
    // Its client does not initialize a modern connection: the first list tells who it is.
    if (latest?.era === 'modern') this.observe(clientOf(latest.request));
    state.observer?.listed();
  }

  announce(capabilities: readonly Capability[], isSwitch: boolean, relatedTo: RequestId | undefined): void {
    for (const capability of capabilities) {
      this.toClient({ jsonrpc: '2.0', method: listChangedMethod(capability) }, relatedTo);
    }
    if (isSwitch) {
      if (capabilities.includes('tools')) this.state.relisted = false;
      this.state.options.gate.switched?.();
    }
    this.state.observer?.changed();
  }

  /** Whether it can be forgotten when it closes: nothing waits for an answer, and what lasts is kept elsewhere. */
  get isFinished(): boolean {
    const waits = this.clientQueue.waiting || this.serverQueue.waiting || this.ledger.awaits('server');
    return !waits && this.ledger.isEmpty && this.state.preferences.place !== 'connection';
  }

  /** Must be called when the connection closes: stops listening for policy changes. */
  close(): void {
    this.state.observer?.closed();
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
    if (shape === undefined && this.state.isEnforced) {
      this.state.report({ method: 'other', era: 'legacy', error: ERRORS.invalidRequest });
      return this.toClient(failure(null, ERRORS.invalidRequest, 'Invalid Request'));
    }
    // A second answer to a form of the gate would tell the server what a person chose.
    if (isResponse(message) && (this.ledger.answered('client', message) || this.ledger.owns(message.id)))
      return;
    // Past the queue: the server may need this response before it answers the gate, which the queue waits for.
    const isAwaited = shape === 'response' && this.ledger.awaits('server');
    if (shape === undefined || isAwaited) return this.toServer(message, sender);
    void this.clientQueue.run(() => this.judge(message, sender));
  }

  private judge(message: Message, sender: Sender): void | Promise<void> {
    if (passesBy(this.state.policy, message)) return this.passBy(message, sender);
    if (isRequest(message)) {
      this.latest = new Exchange(this, message, sender, message.id);
      return handleRequest(this.latest);
    }
    if (isNotification(message)) return this.fromClientNotification(message, sender);
    this.toServer(message, sender);
  }

  private passBy(request: Request, sender: Sender): void {
    const sent = this.state.isLegacy ? asLegacy(request) : request;
    if (this.state.report !== NO_REPORT) {
      this.state.report(reportOfPassing(this.state.policy.settings, sent), { id: sent.id });
    }
    this.ledger.passBy(sent.id);
    this.toServer(sent, sender);
  }

  private fromClientNotification(message: Notification, sender: Sender): void | Promise<void> {
    const { method } = message;
    if (!acceptsNotification(this.state, 'client', method)) return;
    if (method === METHODS.cancelled) return this.cancel(message, sender);
    const kept = method === METHODS.initialized ? this.keepInitialized(message, sender) : undefined;
    if (kept === undefined) return this.toServer(message, sender);
    return kept.then(() => this.toServer(message, sender));
  }

  private keepInitialized(message: Notification, sender: Sender): void | Promise<void> {
    // Its id is never sent.
    const exchange = new Exchange(this, asLegacy({ ...message, id: 0 }), sender, undefined);
    return whenKnown(gather(exchange, keepInitialized(exchange)), (told) => {
      if (told !== undefined) this.state.report({ method: message.method, era: 'legacy', ...told });
    });
  }

  private cancel(message: Notification, sender: Sender): void {
    const cancelled = this.ledger.cancel(message.params?.requestId);
    if (cancelled === undefined) {
      // The server knows an id of the client only if its request passed by.
      if (!this.state.isEnforced || this.ledger.hasPassed(message.params?.requestId))
        this.toServer(message, sender);
      return;
    }
    if (cancelled.entry.isSuspended) return;
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
      if (isResponse(message) && this.ledger.answered('server', message)) return SENT;
      // Not when it is handled: what arrives after an answer, while both wait, cannot belong to the request.
      const answered = isResponse(message) ? this.ledger.take(message.id) : undefined;
      const related = relatedTo === undefined ? undefined : this.ledger.find(relatedTo);
      const open = isResponse(message)
        ? []
        : openRequests(related === undefined ? this.ledger.all() : [related]);
      let sent = SENT;
      const pending = this.serverQueue.run(() => {
        const result = this.settle(message, open, answered);
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
    open: readonly OpenRequest[],
    answered: Exchange | undefined,
  ): Message | undefined | Promise<Message | undefined> {
    if (isNotification(message)) return fromServerNotification(this, message, open);
    if (isRequest(message)) return fromServerRequest(this, message, open);
    // A value that is not a message can be a batch, which contains messages that nothing filters.
    if (!isResponse(message)) return this.state.isEnforced ? undefined : message;
    return answered === undefined ? this.unclaimed(message) : handleResponse(answered, message);
  }

  /** An answer that belongs to no exchange: that of a request that passed by, or one that nobody waits for. */
  private unclaimed(message: Answer | Failure): Message | undefined {
    if (this.ledger.owns(message.id)) return undefined;
    if (this.ledger.takePassed(message.id)) return message;
    if (this.state.isEnforced) return undefined;
    return 'error' in message ? message : filterUnexpected(message, this.state.listed, this.state.servers);
  }

  /** Resolves when no message waits for the session store. Until then, an HTTP response must not be finished. */
  async settled(): Promise<void> {
    await this.clientQueue.settled();
    await this.serverQueue.settled();
  }

  toServer(message: Message, { extra }: Sender): void {
    this.ports.toServer(message, extra);
  }

  toClient(message: Message, relatedTo?: RequestId): void {
    // Sending fails if the connection is closed. Then nobody waits for the message.
    this.ports.toClient(message, relatedTo).catch(() => undefined);
  }
}

import { type Configuration, resolveConfiguration } from '../engine/configuration.js';
import type { Policy } from '../engine/policy.js';
import { answerProbe, checkAccess, type ExpectedAccess } from './access/access-check.js';
import { filterEntries } from './access/entries.js';
import { redactResponse } from './access/redaction.js';
import { concernsOfInitialize, declareConcerns, describePolicy } from './concerns/declare.js';
import {
  type LatestRequest,
  onListChanged,
  onPolicyReplaced,
  onResourceUpdated,
} from './concerns/list-changed.js';
import { storePreferences, updateConcerns } from './concerns/update-concerns.js';
import { CatalogCache } from './lists/catalog-cache.js';
import { canChange } from './lists/filter-list.js';
import type { GateScope } from './lists/gate-scope.js';
import {
  type ExpectedList,
  filterUnexpected,
  finishPassedList,
  type ListPorts,
  listPrimitives,
} from './lists/list-request.js';
import type { SharedCatalog } from './lists/shared-catalog.js';
import { Ledger, type LedgerEntry } from './messages/ledger.js';
import { type AskServer, PendingRequests } from './messages/pending-requests.js';
import {
  loggable,
  METHOD_NOT_FOUND,
  passesNotification,
  passesServerRequest,
  refusalOf,
  routeOf,
} from './messages/refusals.js';
import { entriesOf, type NOTIFICATIONS } from './messages/routes.js';
import {
  ACCESS_METHODS,
  type Answer,
  answer,
  asLegacy,
  CAPABILITIES,
  ERRORS,
  eraOf,
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
  read,
} from './messages/wire.js';
import type { LivePolicy } from './request/live-policy.js';
import { type GateReport, NO_REPORT } from './request/report.js';
import { type MessageContext, refuse } from './request/request.js';
import { keepCapabilities, type SessionPreferences } from './request/session-preferences.js';
import { listTasks, rememberTask, TaskTools } from './tasks/tasks.js';

/** Where a gate sends messages. `context` is the context of the client's message that caused one to the server. */
export interface GatePorts<C extends MessageContext> {
  toServer(message: Message, context: C): void;
  toClient(message: Message, relatedTo?: RequestId): Promise<void>;
}

export interface GateOptions {
  readonly live: LivePolicy;
  readonly preferences: SessionPreferences;
  readonly report?: ((report: GateReport) => void) | undefined;
  /** The method of probes from an HTTP handler in this process. It must be impossible to guess. */
  readonly probe?: string | undefined;
  /** A catalog that is shared with other connections. */
  readonly shared?: SharedCatalog | undefined;
}

/** How to handle the server's response to a client's request. `gate`: the gate answers the request itself. */
type Expected =
  | { readonly as: 'itself' }
  | { readonly as: 'gate' }
  | { readonly as: 'call'; readonly request: Request }
  | { readonly as: 'initialize'; readonly request: Request }
  | { readonly as: 'discover' }
  | ExpectedList
  | ExpectedAccess;

const ITSELF = { as: 'itself' } as const satisfies Expected;

/** A request of the client without an answer, what to do with the answer, and what the transport knows about it. */
interface Pending<C extends MessageContext> extends LedgerEntry {
  readonly expected: Expected;
  readonly context: C;
}

/** Routes each message of one connection to the part of the gate that handles it, and keeps the connection's state. */
export class MessageRouter<C extends MessageContext> implements GateScope<C> {
  readonly preferences: SessionPreferences;
  readonly catalog: CatalogCache;
  readonly report: (report: GateReport) => void;
  private readonly ledger = new Ledger<Pending<C>>();
  private readonly pendingRequests = new PendingRequests();
  private readonly taskTools = new TaskTools();
  private readonly live: LivePolicy;
  private readonly probe: string | undefined;
  private readonly stopListening: () => void;
  /** The configuration of the latest list request, for lists that belong to no request. */
  private latest: Configuration | undefined;
  private latestRequest: LatestRequest<C> | undefined;
  private latestContext: C | undefined;
  /** Whether the client initialized this connection: then no request of it is modern. */
  private initialized: boolean;
  /** The capabilities whose changes the server announces. */
  private announced: readonly string[] = [];

  constructor(
    { live, preferences, report, probe, shared }: GateOptions,
    private readonly ports: GatePorts<C>,
  ) {
    this.live = live;
    this.preferences = preferences;
    // A store is only used for sessions, and every session begins with initialize.
    this.initialized = preferences.place === 'store';
    this.probe = probe;
    this.report = report ?? NO_REPORT;
    this.catalog = new CatalogCache(shared);
    this.stopListening = live.onReplace((before) => {
      const { latestRequest, announced } = this;
      if (latestRequest !== undefined) void onPolicyReplaced(this, latestRequest, before, announced);
    });
  }

  get policy(): Policy {
    return this.live.current;
  }

  /** Whether the gate itself waits for a response of the server. */
  get isWaiting(): boolean {
    return this.pendingRequests.isWaiting;
  }

  close(): void {
    this.stopListening();
  }

  ask(request: Request, context: C): AskServer {
    return this.pendingRequests.askFor(request, (message) => this.ports.toServer(message, context));
  }

  reply(message: Message, relatedTo?: RequestId): void {
    // Sending fails if the connection is closed. Then nobody waits for the reply.
    this.ports.toClient(message, relatedTo).catch(() => undefined);
  }

  /** Returns true if the message is the response to a request of the gate itself: then it is handled. */
  takeResponse(message: Answer | Failure): boolean {
    return this.pendingRequests.take(message);
  }

  /**
   * Returns whether `enforce` refuses a value of the client that is not a message. Then it is answered, with the id null.
   */
  refusesInvalid(): boolean {
    if (this.isEnforced) {
      this.report({ method: 'other', era: 'legacy', error: ERRORS.invalidRequest });
      this.reply(failure(null, ERRORS.invalidRequest, 'Invalid Request'));
    }
    return this.isEnforced;
  }

  /** Returns the id that the client gave a request; other ids stay as they are. */
  clientIdOf(id: RequestId): RequestId {
    return this.ledger.find(id)?.clientId ?? id;
  }

  /** Handles a message of the client. Returns a promise if the session store must be waited for. */
  fromClient(message: Message, context: C): void | Promise<void> {
    this.latestContext = context;
    if (isRequest(message))
      return this.fromClientRequest(this.initialized ? asLegacy(message) : message, context);
    if (isNotification(message)) return this.fromClientNotification(message, context);
    this.ports.toServer(message, context);
  }

  private fromClientRequest(request: Request, context: C): void | Promise<void> {
    const { method } = request;
    if (!this.isEnforced && this.ledger.find(request.id) !== undefined) {
      const reason = 'A request with this id has no response yet. Use another id.';
      return refuse(this, request, ERRORS.invalidRequest, reason);
    }
    this.latestRequest = { request, context };
    if (method === this.probe) return answerProbe(this, request, context);
    const route = routeOf(this.policy.settings, method);
    const refusal = this.policy.settings.enforcement === 'advisory' ? undefined : refusalOf(request, route);
    if (refusal !== undefined && this.isEnforced) {
      const { code, message } = refusal;
      this.report({ method, era: eraOf(request), error: code, refused: loggable(method) });
      return this.reply(failure(request.id, code, message));
    }
    switch (route?.to) {
      case 'list':
        return listPrimitives(this, route.kind, request, context, this.listPorts(request, context));
      case 'listConcerns':
        this.report({ method, era: eraOf(request) });
        return this.reply(answer(request, { ...describePolicy(this.policy) }));
      case 'updateConcerns':
        return updateConcerns(this, request, context);
      case 'initialize':
        return this.pass(request, context, { as: 'initialize', request });
      case 'discover':
        this.report({ method, era: 'modern' });
        return this.pass(request, context, { as: 'discover' });
      case 'tasks':
        return listTasks(this, this.taskTools, request, context, {
          pass: () => this.pass(request, context, ITSELF),
          wait: () => this.wait(request, context),
        });
      case 'access':
      case 'scan':
        if (this.isEnforced) {
          return checkAccess(this, request, context, {
            pass: (checked, expected) => this.pass(checked, context, expected),
            wait: () => this.wait(request, context),
          });
        }
        break;
      default:
    }
    this.report({
      method,
      era: eraOf(request),
      ...(refusal === undefined ? {} : { refused: loggable(method) }),
    });
    this.pass(request, context, createsTask(request) ? { as: 'call', request } : ITSELF);
  }

  /** Handles a message of the server. Returns the message for the client; `undefined` if there is none. */
  fromServer(message: Message): Message | undefined | Promise<Message | undefined> {
    if (isNotification(message)) return this.fromServerNotification(message);
    if (isRequest(message)) return this.fromServerRequest(message);
    // A value that is not a message can be a batch, which contains messages that nothing filters.
    if (!isResponse(message)) return this.isEnforced ? undefined : message;
    const pending = this.ledger.take(message.id);
    if (pending !== undefined) {
      return this.finish(withId(message, pending.clientId), pending);
    }
    // Under `enforce`, every request that was sent is in the ledger.
    if (this.isEnforced) return undefined;
    return 'error' in message ? message : filterUnexpected(message, this.currentConfiguration());
  }

  /** Answers a request whose handling threw. */
  fail(message: Message, cause: unknown): void {
    if (!isRequest(message)) return;
    this.ledger.takeLatest(message.id);
    const reason = cause instanceof Error ? cause.message : String(cause);
    refuse(this, message, ERRORS.internal, `The concern filter failed on this request (${reason}).`);
  }

  private finish(message: Answer | Failure, { expected, context }: Pending<C>): Message | Promise<Message> {
    if (expected.as === 'access') return this.finishAccess(message, expected, context);
    if ('error' in message) return message;
    switch (expected.as) {
      case 'initialize':
        return this.finishInitialize(message, expected.request);
      case 'discover':
        return { ...message, result: declareConcerns(message.result, this.policy, 'modern', true) };
      case 'list':
        return finishPassedList(this, message, expected);
      case 'call':
        return this.rememberTask(message, expected.request);
      default:
        return message;
    }
  }

  private fromClientNotification(message: Notification, context: C): void | Promise<void> {
    const { method, params } = message;
    if (!this.accepts('client', method)) return;
    if (method === METHODS.cancelled) return this.cancel(message, context);
    const pass = () => this.ports.toServer(message, context);
    const concerns = method === METHODS.initialized ? read(params, 'concerns') : undefined;
    if (concerns === undefined) return pass();
    const stored = storePreferences(this, METHODS.initialized, concerns, {});
    return stored === undefined ? pass() : stored.then(pass);
  }

  private cancel(message: Notification, context: C): void {
    const cancelled = this.ledger.cancel(message.params?.requestId);
    if (cancelled === undefined || cancelled.id === cancelled.entry.clientId) {
      // Under `enforce` the server knows no id of the client.
      if (!this.isEnforced || cancelled !== undefined) this.ports.toServer(message, context);
      return;
    }
    // The server never received a request that the gate answers itself.
    if (cancelled.entry.expected.as === 'gate') return;
    const params = { ...message.params, requestId: cancelled.id };
    this.ports.toServer({ ...message, params }, context);
  }

  /** Returns whether a notification passes, and reports it if `enforce` does not let it pass. */
  private accepts(sender: keyof typeof NOTIFICATIONS, method: string): boolean {
    const { settings } = this.policy;
    if (settings.enforcement === 'advisory' || passesNotification(settings, sender, method)) return true;
    this.report({ method, era: 'legacy', refused: loggable(method) });
    return settings.enforcement !== 'enforce';
  }

  private fromServerRequest(request: Request): Message | undefined {
    const { settings } = this.policy;
    const { method, id } = request;
    if (!this.isEnforced || passesServerRequest(settings, method)) return request;
    const { code, message } = METHOD_NOT_FOUND;
    this.report({ method, era: 'legacy', error: code, refused: loggable(method) });
    if (this.latestContext !== undefined) this.ports.toServer(failure(id, code, message), this.latestContext);
    return undefined;
  }

  private fromServerNotification(message: Notification): Message | undefined | Promise<Message | undefined> {
    const { latestRequest } = this;
    if (!this.accepts('server', message.method)) return undefined;
    const capability = CAPABILITIES.find((each) => message.method === listChangedMethod(each));
    if (capability !== undefined) {
      const configuration = this.currentConfiguration();
      const canHide = configuration.policy !== this.policy || canChange(configuration);
      return onListChanged(this, message, capability, latestRequest, canHide);
    }
    if (!this.isEnforced || message.method !== RESOURCE_UPDATED) return message;
    // Without a request, there is nothing that tells what this client is shown.
    return latestRequest && onResourceUpdated(this, message, latestRequest);
  }

  private get isEnforced(): boolean {
    return this.policy.settings.enforcement === 'enforce';
  }

  private pass(request: Request, context: C, expected: Expected): void {
    this.ports.toServer(withId(request, this.enter({ clientId: request.id, expected, context })), context);
  }

  /** Lets the gate answer later. `done` returns false if the client cancelled the request before. */
  private wait(request: Request, context: C): { done(): boolean } {
    const id = this.enter({ clientId: request.id, expected: { as: 'gate' }, context });
    return {
      done: () => {
        const wanted = !this.ledger.isCancelled(id);
        return this.ledger.take(id) !== undefined && wanted;
      },
    };
  }

  private enter(pending: Pending<C>): RequestId {
    return this.isEnforced ? this.ledger.enter(pending) : this.ledger.enterAsSent(pending);
  }

  private listPorts(request: Request, context: C): ListPorts {
    return {
      pass: (expected) => {
        this.latest = expected.configuration;
        this.pass(expected.request, context, expected);
      },
      wait: ({ configuration }) => {
        this.latest = configuration;
        return this.wait(request, context);
      },
    };
  }

  private finishAccess(
    message: Answer | Failure,
    expected: ExpectedAccess,
    context: C,
  ): Message | Promise<Message> {
    const redacted = redactResponse(this, message, expected, context);
    return redacted instanceof Promise
      ? redacted.then((result) => this.finishRedacted(result, expected, context))
      : this.finishRedacted(redacted, expected, context);
  }

  private finishRedacted(
    message: Answer | Failure,
    expected: ExpectedAccess,
    context: C,
  ): Message | Promise<Message> {
    if ('error' in message) return message;
    const { request } = expected;
    const entries = entriesOf(request.method);
    return entries.length > 0
      ? filterEntries(this, message, expected, context, entries)
      : this.rememberTask(message, request);
  }

  private rememberTask(message: Answer, request: Request): Message | Promise<Message> {
    const stored = rememberTask(this, this.taskTools, request, message.result);
    return stored === undefined ? message : stored.then(() => message);
  }

  private finishInitialize(message: Answer, { params }: Request): Message | Promise<Message> {
    const { policy, preferences } = this;
    if (preferences.place === 'connection') preferences.record = {};
    const listChanged = CAPABILITIES.filter(
      (each) => read(message.result, 'capabilities', each, 'listChanged') === true,
    );
    this.announced = listChanged;
    this.initialized = true;
    const updatable = preferences.place !== 'none';
    const declared = { ...message, result: declareConcerns(message.result, policy, 'legacy', updatable) };
    const stored = storePreferences(this, METHODS.initialize, concernsOfInitialize(params), {
      listChanged,
      ...keepCapabilities(policy, read(params, 'capabilities')),
    });
    return stored === undefined ? declared : stored.then(() => declared);
  }

  private currentConfiguration(): Configuration {
    return this.latest ?? resolveConfiguration(this.policy, []);
  }
}

const RESOURCE_UPDATED = 'notifications/resources/updated';

const withId = <M extends Request | Answer | Failure>(message: M, id: RequestId): M =>
  message.id === id ? message : { ...message, id };

const createsTask = ({ method, params }: Request): boolean =>
  method === ACCESS_METHODS.call && params?.task !== undefined;

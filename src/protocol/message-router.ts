import { type Configuration, resolveConfiguration } from '../engine/configuration.js';
import { KINDS, type Policy } from '../engine/policy.js';
import { answerProbe, checkAccess, type ExpectedAccess } from './access/access-check.js';
import { redactResponse } from './access/redaction.js';
import { needsAccessCheck } from './access/targets.js';
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
import { type AskServer, PendingRequests } from './messages/pending-requests.js';
import {
  ACCESS_METHODS,
  type Answer,
  answer,
  CAPABILITIES,
  ERRORS,
  eraOf,
  type Failure,
  isRequest,
  isResponse,
  LISTS,
  listChangedMethod,
  METHODS,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  read,
  TASK_LIST,
} from './messages/wire.js';
import type { LivePolicy } from './request/live-policy.js';
import { type GateReport, NO_REPORT } from './request/report.js';
import { type MessageContext, refuse } from './request/request.js';
import type { SessionPreferences } from './request/session-preferences.js';
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

/** Routes each message of one connection to the part of the gate that handles it, and keeps the connection's state. */
export class MessageRouter<C extends MessageContext> implements GateScope<C> {
  readonly preferences: SessionPreferences;
  readonly catalog: CatalogCache;
  readonly report: (report: GateReport) => void;
  private readonly clientRequests = new Map<
    RequestId,
    { readonly expected: Expected; readonly context: C }
  >();
  private readonly pendingRequests = new PendingRequests();
  private readonly taskTools = new TaskTools();
  private readonly live: LivePolicy;
  private readonly probe: string | undefined;
  private readonly stopListening: () => void;
  /** The configuration of the latest list request, for lists that belong to no request. */
  private latest: Configuration | undefined;
  private latestRequest: LatestRequest<C> | undefined;
  /** The capabilities whose changes the server announces. */
  private announced: readonly string[] = [];

  constructor(
    { live, preferences, report, probe, shared }: GateOptions,
    private readonly ports: GatePorts<C>,
  ) {
    this.live = live;
    this.preferences = preferences;
    this.probe = probe;
    this.report = report ?? NO_REPORT;
    this.catalog = new CatalogCache(live, shared);
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

  /** Handles a message of the client. Returns a promise if the session store must be waited for. */
  fromClient(message: Message, context: C): void | Promise<void> {
    if (isResponse(message)) return this.ports.toServer(message, context);
    if (!isRequest(message)) return this.fromClientNotification(message, context);
    if (this.clientRequests.has(message.id)) {
      const reason = 'A request with this id has no response yet. Use another id.';
      return refuse(this, message, ERRORS.invalidRequest, reason);
    }
    this.latestRequest = { request: message, context };
    if (message.method === this.probe) return answerProbe(this, message, context);
    const kind = KINDS.find((each) => LISTS[each].method === message.method);
    if (kind !== undefined) {
      return listPrimitives(this, kind, message, context, this.listPorts(message, context));
    }
    switch (message.method) {
      case METHODS.listConcerns:
        this.report({ method: message.method, era: eraOf(message) });
        return this.reply(answer(message, { ...describePolicy(this.policy) }));
      case METHODS.updateConcerns:
        return updateConcerns(this, message, context);
      case METHODS.initialize:
        return this.pass(message, context, { as: 'initialize', request: message });
      case METHODS.discover:
        this.report({ method: message.method, era: 'modern' });
        return this.pass(message, context, { as: 'discover' });
      case TASK_LIST:
        return listTasks(this, this.taskTools, message, context, {
          pass: () => this.pass(message, context, { as: 'itself' }),
          wait: () => this.wait(message, context),
        });
      default:
        if (this.policy.settings.enforcement === 'enforce' && needsAccessCheck(message)) {
          return checkAccess(this, message, context, {
            pass: (request, expected) => this.pass(request, context, expected),
            wait: () => this.wait(message, context),
          });
        }
        this.report({ method: message.method, era: eraOf(message) });
        return this.pass(
          message,
          context,
          createsTask(message) ? { as: 'call', request: message } : { as: 'itself' },
        );
    }
  }

  /** Handles a message of the server. Returns the message for the client; `undefined` if there is none. */
  fromServer(message: Message): Message | undefined | Promise<Message | undefined> {
    if (!isResponse(message)) return 'method' in message ? this.fromServerNotification(message) : message;
    const pending = message.id === undefined ? undefined : this.clientRequests.get(message.id);
    if (message.id !== undefined) this.clientRequests.delete(message.id);
    if (pending?.expected.as === 'access') {
      return this.finishAccess(message, pending.expected, pending.context);
    }
    if ('error' in message) return message;
    const expected = pending?.expected;
    switch (expected?.as) {
      case undefined:
        return filterUnexpected(this, message, this.currentConfiguration());
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

  /** Answers a request whose handling threw. */
  fail(message: Message, cause: unknown): void {
    if (!isRequest(message)) return;
    this.clientRequests.delete(message.id);
    const reason = cause instanceof Error ? cause.message : String(cause);
    refuse(this, message, ERRORS.internal, `The concern filter failed on this request (${reason}).`);
  }

  private fromClientNotification(message: Notification, context: C): void | Promise<void> {
    const pass = () => this.ports.toServer(message, context);
    if (message.method === METHODS.cancelled) {
      this.clientRequests.delete(message.params?.requestId as RequestId);
    }
    const concerns = message.method === METHODS.initialized ? read(message.params, 'concerns') : undefined;
    if (concerns === undefined) return pass();
    const stored = storePreferences(this, METHODS.initialized, concerns, {});
    return stored === undefined ? pass() : stored.then(pass);
  }

  private fromServerNotification(
    message: Message & { method: string },
  ): Message | undefined | Promise<Message | undefined> {
    const { latestRequest } = this;
    const capability = CAPABILITIES.find((each) => message.method === listChangedMethod(each));
    if (capability !== undefined) {
      const canHide = canChange(this.policy, this.currentConfiguration());
      return onListChanged(this, message, capability, latestRequest, canHide);
    }
    const enforced = this.policy.settings.enforcement === 'enforce' && latestRequest !== undefined;
    return enforced && message.method === RESOURCE_UPDATED
      ? onResourceUpdated(this, message, latestRequest)
      : message;
  }

  private pass(request: Request, context: C, expected: Expected): void {
    this.clientRequests.set(request.id, { expected, context });
    this.ports.toServer(request, context);
  }

  /** Lets the gate answer later. `done` returns false if the client cancelled the request before. */
  private wait(request: Request, context: C): { done(): boolean } {
    this.clientRequests.set(request.id, { expected: { as: 'gate' }, context });
    return { done: () => this.clientRequests.delete(request.id) };
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
    const remember = (result: Answer | Failure): Message | Promise<Message> =>
      'error' in result ? result : this.rememberTask(result, expected.request);
    return redacted instanceof Promise ? redacted.then(remember) : remember(redacted);
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
    const updatable = preferences.place !== 'none';
    const declared = { ...message, result: declareConcerns(message.result, policy, 'legacy', updatable) };
    const readsClient = policy.callerPaths.some((path) => path.startsWith('client.'));
    const stored = storePreferences(this, METHODS.initialize, concernsOfInitialize(params), {
      listChanged,
      ...(readsClient ? { clientCapabilities: read(params, 'capabilities') ?? {} } : {}),
    });
    return stored === undefined ? declared : stored.then(() => declared);
  }

  private currentConfiguration(): Configuration {
    return this.latest ?? resolveConfiguration(this.policy, []);
  }
}

const RESOURCE_UPDATED = 'notifications/resources/updated';

const createsTask = ({ method, params }: Request): boolean =>
  method === ACCESS_METHODS.call && params?.task !== undefined;

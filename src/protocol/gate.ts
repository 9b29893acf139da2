import { type Configuration, resolveConfiguration } from '../engine/configuration.js';
import { KINDS, type Policy } from '../engine/policy.js';
import { answerProbe, type ExpectedReach, guardReach } from './access/access-check.js';
import { finishReach } from './access/redaction.js';
import { isGuarded } from './access/targets.js';
import { concernsOfInitialize, declareConcerns, describePolicy } from './concerns/declare.js';
import {
  type LatestRequest,
  onListChanged,
  onPolicyReplaced,
  onResourceUpdated,
} from './concerns/list-changed.js';
import { keepConcerns, updateConcerns } from './concerns/update-concerns.js';
import { Catalogs, type SharedLists } from './lists/catalogs.js';
import { canChange } from './lists/filter-list.js';
import {
  type ExpectedList,
  filterUnexpected,
  finishList,
  type ListPorts,
  listPrimitives,
} from './lists/list-request.js';
import { type AskServer, Questions } from './messages/pending-requests.js';
import { Turns } from './messages/serial-queue.js';
import {
  type Answer,
  answer,
  CAPABILITIES,
  ERRORS,
  eraOf,
  type Failure,
  isMessage,
  isRequest,
  isResponse,
  LISTS,
  listChangedMethod,
  METHODS,
  type Message,
  type Notification,
  REACHES,
  type Request,
  type RequestId,
  read,
  TASK_LIST,
} from './messages/wire.js';
import type { LivePolicy } from './request/live-policy.js';
import type { Preferences } from './request/preferences.js';
import { type GateReport, type GateScope, type MessageContext, refuse, UNHEARD } from './request/request.js';
import { listTasks, RememberedTasks, rememberTask } from './tasks/tasks.js';

/** Where a gate sends messages. `context` is that of the client's message which caused one for the server. */
export interface GatePorts<C extends MessageContext> {
  toServer(message: Message, context: C): void;
  toClient(message: Message, relatedTo?: RequestId): Promise<void>;
}

export interface GateOptions {
  readonly live: LivePolicy;
  readonly preferences: Preferences;
  readonly report?: ((report: GateReport) => void) | undefined;
  /** The method under which a mount of this process asks what is hidden; unguessable. */
  readonly probe?: string | undefined;
  /** Lists that are shared with other connections. */
  readonly shared?: SharedLists | undefined;
}

/** For what needs no sending. */
const SENT = Promise.resolve();

/** What is to be done with the server's answer to a request of the client; `gate`: the gate answers itself. */
type Expected =
  | { readonly as: 'itself' }
  | { readonly as: 'gate' }
  | { readonly as: 'call'; readonly request: Request }
  | { readonly as: 'initialize'; readonly request: Request }
  | { readonly as: 'discover' }
  | ExpectedList
  | ExpectedReach;

/**
 * The gate between a client's messages and a server's, for one connection.
 *
 * It declares the policy's concerns in the answer to `initialize`, reads what the host wants from every carrier,
 * answers `listConcerns` and `updateConcerns`, and filters the four lists of primitives. Everything else passes as it
 * came, at once unless an earlier message still waits for the store.
 */
export class Gate<C extends MessageContext> implements GateScope<C> {
  readonly preferences: Preferences;
  readonly catalogs: Catalogs;
  readonly report: (report: GateReport) => void;
  private readonly ports: GatePorts<C>;
  private readonly fromClientTurns = new Turns();
  private readonly fromServerTurns = new Turns();
  private readonly inFlight = new Map<RequestId, { readonly expected: Expected; readonly context: C }>();
  private readonly questions = new Questions();
  private readonly tasks = new RememberedTasks();
  private readonly live: LivePolicy;
  private readonly stopListening: () => void;
  /** What was in effect for the latest list: for one that comes unasked. */
  private latest: Configuration | undefined;
  private latestRequest: LatestRequest<C> | undefined;
  /** The lists whose changes the server announces. */
  private announced: readonly string[] = [];

  private readonly probe: string | undefined;

  constructor({ live, preferences, report, probe, shared }: GateOptions, ports: GatePorts<C>) {
    this.live = live;
    this.preferences = preferences;
    this.probe = probe;
    this.report = report ?? UNHEARD;
    this.ports = ports;
    this.catalogs = new Catalogs(live, shared);
    this.stopListening = live.onReplace((before) => {
      const { latestRequest, announced } = this;
      if (latestRequest !== undefined) void onPolicyReplaced(this, latestRequest, before, announced);
    });
  }

  get policy(): Policy {
    return this.live.current;
  }

  /** Ends what outlives the connection. */
  close(): void {
    this.stopListening();
  }

  /** Takes a message of the client. */
  fromClient(message: Message, context: C): void {
    // What is no message at all is for the SDK to refuse.
    if (!isMessage(message)) return this.ports.toServer(message, context);
    // The server may wait for this while the gate waits for the server.
    if (isResponse(message) && this.questions.waiting) return this.ports.toServer(message, context);
    try {
      const waits = this.fromClientTurns.run(() => this.judge(message, context));
      waits?.catch((cause) => this.failed(message, cause));
    } catch (cause) {
      this.failed(message, cause);
    }
  }

  /**
   * Takes a message of the server.
   *
   * @param message the message
   * @param send sends it on, perhaps changed: the transport knows what it belongs to
   * @returns a promise that it was sent on
   */
  fromServer(message: Message, send: (message: Message) => Promise<void>): Promise<void> {
    if (!isMessage(message)) return send(message);
    try {
      if (isResponse(message) && this.questions.take(message)) return SENT;
      let sent = SENT;
      const waits = this.fromServerTurns.run(() => {
        const judged = this.judgeFromServer(message);
        if (judged instanceof Promise)
          return judged.then((result) => (result === undefined ? undefined : send(result)));
        if (judged !== undefined) sent = send(judged);
        return undefined;
      });
      // The transport's own promise where nothing waits: a server that hears later than without the gate that its answer
      // was sent may be closed before, and then aborts what it has just answered.
      return waits === undefined ? sent : waits.then(() => sent);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  /** @returns a promise that nothing waits for the store any more: before it, no HTTP response may be finished */
  async settled(): Promise<void> {
    await this.fromClientTurns.settled();
    await this.fromServerTurns.settled();
  }

  ask(request: Request, context: C): AskServer {
    return this.questions.askFor(request, (message) => this.ports.toServer(message, context));
  }

  reply(message: Message, relatedTo?: RequestId): void {
    // A connection that is closed by now needs no answer.
    this.ports.toClient(message, relatedTo).catch(() => undefined);
  }

  private judge(message: Message, context: C): void | Promise<void> {
    if (isResponse(message)) return this.ports.toServer(message, context);
    if (!isRequest(message)) return this.judgeNotification(message, context);
    if (this.inFlight.has(message.id)) {
      const reason = 'The id of this request is in use by one that is not answered yet.';
      return refuse(this, message, ERRORS.invalidRequest, reason);
    }
    this.latestRequest = { request: message, context };
    if (message.method === this.probe) return answerProbe(this, message, context);
    const kind = KINDS.find((each) => LISTS[each].method === message.method);
    if (kind !== undefined)
      return listPrimitives(this, kind, message, context, this.listPorts(message, context));
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
        return listTasks(this, this.tasks, message, context, {
          pass: () => this.pass(message, context, { as: 'itself' }),
          wait: () => this.wait(message, context),
        });
      default:
        if (this.policy.settings.enforcement === 'enforce' && isGuarded(message)) {
          return guardReach(this, message, context, {
            pass: (request, expected) => this.pass(request, context, expected),
            wait: () => this.wait(message, context),
          });
        }
        this.report({ method: message.method, era: eraOf(message) });
        return this.pass(message, context, makesTask(message) ? { as: 'call', request: message } : ITSELF);
    }
  }

  private judgeNotification(message: Notification, context: C): void | Promise<void> {
    const pass = () => this.ports.toServer(message, context);
    if (message.method === METHODS.cancelled) this.inFlight.delete(message.params?.requestId as RequestId);
    const concerns = message.method === METHODS.initialized ? read(message.params, 'concerns') : undefined;
    const waits = concerns === undefined ? undefined : keepConcerns(this, METHODS.initialized, concerns, {});
    return waits === undefined ? pass() : waits.then(pass);
  }

  private pass(request: Request, context: C, expected: Expected): void {
    this.inFlight.set(request.id, { expected, context });
    this.ports.toServer(request, context);
  }

  /** The gate answers later; a request that is cancelled meanwhile gets no answer. */
  private wait(request: Request, context: C): { done(): boolean } {
    this.inFlight.set(request.id, { expected: { as: 'gate' }, context });
    return { done: () => this.inFlight.delete(request.id) };
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

  private judgeFromServer(message: Message): Message | undefined | Promise<Message | undefined> {
    if (!isResponse(message)) return 'method' in message ? this.judgeServerNotification(message) : message;
    const pending = message.id === undefined ? undefined : this.inFlight.get(message.id);
    if (message.id !== undefined) this.inFlight.delete(message.id);
    if (pending?.expected.as === 'reach') return this.reached(message, pending.expected, pending.context);
    if ('error' in message) return message;
    const expected = pending?.expected;
    switch (expected?.as) {
      case undefined:
        return filterUnexpected(this, message, this.inEffect());
      case 'initialize':
        return this.initialized(message, expected.request);
      case 'discover':
        return { ...message, result: declareConcerns(message.result, this.policy, 'modern', true) };
      case 'list':
        return finishList(this, message, expected);
      case 'call':
        return this.remember(message, expected.request);
      default:
        return message;
    }
  }

  private reached(
    message: Answer | Failure,
    expected: ExpectedReach,
    context: C,
  ): Message | Promise<Message> {
    const finished = finishReach(this, message, expected, context);
    if ('error' in message) return finished;
    return finished instanceof Promise
      ? finished.then((result) => ('error' in result ? result : this.remember(result, expected.request)))
      : this.remember(message, expected.request);
  }

  private remember(message: Answer, request: Request): Message | Promise<Message> {
    const waits = rememberTask(this, this.tasks, request, message.result);
    return waits === undefined ? message : waits.then(() => message);
  }

  private inEffect(): Configuration {
    return this.latest ?? resolveConfiguration(this.policy, []);
  }

  private judgeServerNotification(
    message: Message & { method: string },
  ): Message | undefined | Promise<Message | undefined> {
    const { latestRequest } = this;
    const capability = CAPABILITIES.find((each) => message.method === listChangedMethod(each));
    if (capability !== undefined) {
      return onListChanged(this, message, capability, latestRequest, canChange(this.policy, this.inEffect()));
    }
    const enforced = this.policy.settings.enforcement === 'enforce' && latestRequest !== undefined;
    return enforced && message.method === RESOURCE_UPDATED
      ? onResourceUpdated(this, message, latestRequest)
      : message;
  }

  private initialized(message: Answer, { params }: Request): Message | Promise<Message> {
    const { policy, preferences } = this;
    if (preferences.place === 'connection') preferences.record = {};
    const listChanged = CAPABILITIES.filter(
      (each) => read(message.result, 'capabilities', each, 'listChanged') === true,
    );
    this.announced = listChanged;
    const updatable = preferences.place !== 'none';
    const declared = { ...message, result: declareConcerns(message.result, policy, 'legacy', updatable) };
    const readsClient = policy.callerPaths.some((path) => path.startsWith('client.'));
    const waits = keepConcerns(this, METHODS.initialize, concernsOfInitialize(params), {
      listChanged,
      ...(readsClient ? { clientCapabilities: read(params, 'capabilities') ?? {} } : {}),
    });
    return waits === undefined ? declared : waits.then(() => declared);
  }

  /** Whatever went wrong, a request is answered. */
  private failed(message: Message, cause: unknown): void {
    if (!isRequest(message)) return;
    this.inFlight.delete(message.id);
    const reason = cause instanceof Error ? cause.message : String(cause);
    refuse(this, message, ERRORS.internal, `The concern filter failed on this request (${reason}).`);
  }
}

const ITSELF: Expected = { as: 'itself' };
const RESOURCE_UPDATED = 'notifications/resources/updated';

const makesTask = ({ method, params }: Request): boolean =>
  method === REACHES.call && params?.task !== undefined;

import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import {
  type Answer,
  answer,
  asLegacy,
  ERRORS,
  type Era,
  eraOf,
  type Failure,
  failure,
  METHODS,
  type Message,
  PROTOCOL_VERSION_META,
  type Request,
  type RequestId,
  read,
} from '../../wire/messages.js';
import type { AskServer } from '../../wire/pending-requests.js';
import { panelRouteOf } from '../table/panel-routes.js';
import { loggable, refusalOf, routeOf } from '../table/refusals.js';
import type { Route } from '../table/routes.js';
import type { CatalogCache } from './catalog-cache.js';
import { configure, type Sender } from './configure.js';
import type { Facts, Keeps, Substitute } from './facts.js';
import { type Kept, nothingRead, type PrincipalPreferences } from './kept-preferences.js';
import {
  describeConcerns,
  type GateReport,
  type ListCounts,
  NO_REPORT,
  type ReportContext,
  type Reporter,
} from './report.js';
import type { SessionPreferences } from './session-preferences.js';
import type { TaskLister } from './task-lister.js';

/** What the gate does with the requests of one route, and with the server's answers to them. */
export interface Handler {
  /** Returns a promise if the session store must be waited for. */
  judge(exchange: Exchange): void | Promise<void>;
  /** Without it, the client gets the server's answer as it is. */
  settle?(exchange: Exchange, message: Answer | Failure): Answer | Failure | Promise<Answer | Failure>;
}

/** A handler for each kind of route. */
export type Handlers = { readonly [To in Route['to']]: Handler };

/** The tool that created a task, and to whom the task belongs. */
export interface TaskMaker {
  readonly tool: string;
  /** From `ownerOf`. */
  readonly owner: string;
}

/** Who created which task. Promises only if the session store must be waited for. */
export interface TaskRecords {
  get(taskId: string): TaskMaker | undefined | Promise<TaskMaker | undefined>;
  set(taskId: string, maker: TaskMaker): Promise<unknown> | undefined;
}

/** A connection whose client has initialized it, for a page with switches. */
export interface InitializedConnection {
  readonly connection: ExchangeConnection;
  /** Returns the latest request, under the policy in force: the gate lists on its behalf. */
  readonly latest: () => Exchange;
  readonly client: Implementation;
  readonly server: Implementation;
}

/** A client or a server, as it names itself. */
export interface Implementation {
  readonly name: string;
  readonly version?: string;
}

/** Is told what a page with switches shows. */
export interface ConnectionObserver {
  /** What the client is shown may have changed. */
  changed(): void;
  /** The client listed. */
  listed(): void;
  closed(): void;
}

/** The connection of an exchange: what all its exchanges share, and ways to both sides. */
export interface ExchangeConnection extends Reporter {
  /** The policy in force. */
  readonly policy: Policy;
  readonly preferences: SessionPreferences;
  /** Where the preferences of the caller are kept. Without it, they are not kept per caller. */
  readonly principal: PrincipalPreferences | undefined;
  /** What the server lists. */
  readonly catalog: CatalogCache;
  readonly handlers: Handlers;
  /** The method of probes from an HTTP handler in this process. */
  readonly probe: string | undefined;
  readonly tasks: TaskRecords;
  /** Lists the tasks of the server by their owner, if the server can. */
  readonly lister: TaskLister | undefined;
  /** Tells the connection from all others, where the transport has no session id. */
  readonly name: string;
  /** Whether the client sent `initialize`. Then none of its requests is modern, unless the server refused. */
  isLegacy: boolean;
  /** Whether the server accepted `initialize`. */
  isInitialized: boolean;
  /** The configuration of the latest list request, for lists that belong to no request. */
  listed: Configuration | undefined;
  /** The capabilities whose changes the server announces. */
  announced: readonly string[];
  /** Must be called when the server has accepted `initialize`. */
  initialized(client: Implementation, server: Implementation): void;
  readonly observer: ConnectionObserver | undefined;
  /** Whether the client initialized this very connection. Then it lasts between requests. */
  readonly lasts: boolean;
  /** How the server names itself, if this connection saw it. */
  readonly server: Implementation | undefined;
  /** Whether the client has listed its tools again since the last switch; `null` if there was none. */
  relisted: boolean | null;
  /** Enters an exchange into the ledger, and returns its id there. */
  enter(exchange: Exchange): RequestId;
  /** Removes an exchange from the ledger. Returns false if the client cancelled it. */
  leave(id: RequestId): boolean;
  toServer(message: Message, sender: Sender): void;
  toClient(message: Message, relatedTo?: RequestId): void;
  /** Returns a function that sends the server requests made by the gate, on behalf of an exchange. */
  askFor(exchange: Exchange): AskServer;
  /** Returns a function that sends the client requests made by the gate, on behalf of an exchange. */
  askClientFor(exchange: Exchange): AskServer;
}

type ExchangeReportContext = Pick<ReportContext, 'list' | 'listedName'>;

const PROBE: Route = { to: 'probe' };

/**
 * One request of a client, from its arrival until its answer is sent. Everything that the gate knows about the request is
 * in it. The policy in force when it arrives is its policy until the end.
 *
 * @example
 * const exchange = new Exchange(connection, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { extra: undefined });
 * exchange.judge();
 */
export class Exchange implements Facts {
  readonly policy: Policy;
  readonly request: Request;
  readonly era: Era;
  /** What is kept for the sender. Until it was read, it is that of an unknown session. */
  kept: Kept;
  /** Warnings for the log only. */
  logged: readonly ConcernWarning[] = [];
  /** Set if the server is asked for a name that does not exist. */
  substitute: Substitute | undefined = undefined;
  /** Whether the gate answers the request itself: then the server never received it. */
  isHeld = false;
  private routed: Route;
  private resolved: Configuration | undefined = undefined;
  private id: RequestId | undefined = undefined;

  constructor(
    readonly connection: ExchangeConnection,
    request: Request,
    readonly sender: Sender,
  ) {
    this.policy = connection.policy;
    this.kept = nothingRead(this);
    this.request = connection.isLegacy || saysLegacy(request, sender) ? asLegacy(request) : request;
    this.era = eraOf(this.request);
    const { settings } = this.policy;
    const { method } = request;
    this.routed =
      method === connection.probe ? PROBE : (panelRouteOf(settings, request) ?? routeOf(settings, method));
  }

  get route(): Route {
    return this.routed;
  }

  /** The id that the client gave the request, of any JSON type. */
  get clientId(): RequestId {
    return this.request.id;
  }

  get keeps(): Keeps {
    const { preferences, principal } = this.connection;
    return {
      caller: principal?.place === 'store',
      session: this.era === 'legacy' && preferences.place !== 'none',
    };
  }

  get isEnforced(): boolean {
    return this.policy.settings.enforcement === 'enforce';
  }

  /** The values in effect. Until the session was read, they are those of an unknown session. */
  get configuration(): Configuration {
    this.resolved ??= configure(this, nothingRead(this), { meta: true });
    return this.resolved;
  }

  /** Whether the configuration is known: the session was read, or it was not needed. */
  get isConfigured(): boolean {
    return this.resolved !== undefined;
  }

  /** Keeps the configuration, and warnings that belong in the log only. */
  configured(configuration: Configuration, logged: readonly ConcernWarning[]): void {
    this.resolved = configuration;
    this.logged = logged;
  }

  /** Whether a server that knows the owners of its tasks tells the client of tasks only. */
  private get isTaskSubscription(): boolean {
    const { method, params } = this.request;
    if (method !== METHODS.listen || this.era !== 'modern') return false;
    return this.connection.lister !== undefined && read(params, 'notifications', 'taskIds') !== undefined;
  }

  /**
   * Handles the request: passes it to the server, or answers it.
   *
   * @returns a promise if the session store must be waited for
   */
  judge(): void | Promise<void> {
    const isRefused = this.isEnforced && !this.isTaskSubscription;
    const refusal = isRefused ? refusalOf(this.request, this.route) : undefined;
    if (refusal !== undefined) {
      this.report({ error: refusal.code, refused: loggable(this.request.method) });
      return this.fail(refusal);
    }
    const failed = (cause: unknown) => this.connection.toClient(this.failureOf(cause));
    try {
      const judged = this.connection.handlers[this.route.to].judge(this);
      return judged instanceof Promise ? judged.catch(failed) : undefined;
    } catch (cause) {
      failed(cause);
    }
  }

  /** Returns the answer for the client. This is the only way on which the server's answer reaches it. */
  settle(message: Answer | Failure): Message | Promise<Message> {
    const answered = message.id === this.clientId ? message : { ...message, id: this.clientId };
    const failed = (cause: unknown) => this.failureOf(cause);
    try {
      const { settle } = this.connection.handlers[this.route.to];
      const settled = settle === undefined ? answered : settle(this, answered);
      return settled instanceof Promise ? settled.catch(failed) : settled;
    } catch (cause) {
      return failed(cause);
    }
  }

  /** Handles a request that names a primitive of the gate as one for the server, which has a primitive of that name. */
  judgeForServer(): void | Promise<void> {
    this.routed = routeOf(this.policy.settings, this.request.method);
    return this.judge();
  }

  /** Lets the server answer. */
  pass(params = this.request.params): void {
    const id = this.connection.enter(this);
    this.id = id;
    const { jsonrpc, method } = this.request;
    const sent = params === undefined ? { jsonrpc, id, method } : { jsonrpc, id, method, params };
    this.connection.toServer(sent, this.sender);
  }

  /** Lets the gate answer later. The client can cancel the request until `resume` is called. */
  hold(): void {
    this.isHeld = true;
    this.id = this.connection.enter(this);
  }

  /** Returns false if the client cancelled the request since `hold`: then it must not be answered. */
  resume(): boolean {
    this.isHeld = false;
    return this.id !== undefined && this.connection.leave(this.id);
  }

  /** Sends the server requests made by the gate, on behalf of this one. */
  get ask(): AskServer {
    return this.connection.askFor(this);
  }

  /** Sends the client requests made by the gate, on behalf of this one. Only while the connection lasts. */
  get askClient(): AskServer {
    return this.connection.askClientFor(this);
  }

  reply(result: Record<string, unknown>): void {
    this.connection.toClient(answer(this.request, result));
  }

  /** Answers with an error that was already reported. */
  fail(error: Failure['error']): void {
    this.connection.toClient({ jsonrpc: '2.0', id: this.clientId, error });
  }

  /**
   * Answers with an error, and reports it.
   *
   * @param code a JSON-RPC error code, such as `ERRORS.invalidParams`
   */
  refuse(code: number, message: string, data?: unknown): void {
    this.connection.toClient(this.refusal(code, message, data));
  }

  /** Reports an error, and returns it as the answer. */
  refusal(code: number, message: string, data?: unknown): Failure {
    this.report({ error: code });
    return failure(this.clientId, code, message, data);
  }

  /** Returns the answer to a request whose handling threw. */
  failureOf(cause: unknown): Failure {
    if (this.id !== undefined) this.connection.leave(this.id);
    const reason = cause instanceof Error ? cause.message : String(cause);
    return this.refusal(ERRORS.internal, `The concern filter failed on this request (${reason}).`);
  }

  /** Reports the request, with its method and era. */
  report(report: Omit<GateReport, 'method' | 'era'> = {}, context: ExchangeReportContext = {}): void {
    const { connection, clientId, era, policy, request } = this;
    if (connection.report === NO_REPORT) return;
    connection.report(
      { method: request.method, era, ...report },
      { id: clientId, policy: policy.digest, ...context },
    );
  }

  /** Reports the request with a configuration, its warnings and, for a list, how much the client was shown. */
  reportConcerns(
    warnings: readonly ConcernWarning[],
    counts: ListCounts = {},
    configuration = this.configuration,
    context: ExchangeReportContext = {},
  ): void {
    if (this.connection.report === NO_REPORT) return;
    this.report(describeConcerns(configuration, warnings, counts), context);
  }

  /** Returns a new exchange for the same request, under the policy in force: for messages that belong to no request. */
  again(): Exchange {
    return new Exchange(this.connection, this.request, this.sender);
  }
}

/**
 * Returns whether the header of a marked request names a version other than the marker: that of an `initialize` which
 * another connection answered. Requests of 2026-07-28 repeat the version of the marker in the header.
 */
function saysLegacy({ params }: Request, { http }: Sender): boolean {
  const marker = read(params, '_meta', PROTOCOL_VERSION_META);
  if (typeof marker !== 'string') return false;
  const version = http?.headers?.['mcp-protocol-version'];
  return version !== undefined && version !== marker;
}

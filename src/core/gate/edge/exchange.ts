import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import type { Kind, Policy } from '../../engine/policy.js';
import {
  answer,
  asLegacy,
  type Capability,
  ERRORS,
  type Era,
  eraOf,
  type Failure,
  failure,
  type Message,
  PROTOCOL_VERSION_META,
  type Request,
  type RequestId,
  read,
} from '../../wire/messages.js';
import type { AskServer } from '../../wire/page-walker.js';
import { configure, type Sender } from '../request/configure.js';
import type { Handshake, LazyReport } from '../request/decision.js';
import type { Facts, Keeps, Substitute } from '../request/facts.js';
import { isOneHost, nothingRead, type StoredPreferences } from '../request/kept-preferences.js';
import { NO_WARNINGS } from '../request/name-filters.js';
import { NO_REPORT, reasonOf, type Waits } from '../request/report.js';
import type { Route } from '../table/routes.js';
import { loggable, panelRouteOf, routeOf } from '../table/routing.js';
import type { ConnectionState } from './connection-state.js';
import type { Ledger } from './ledger.js';

/** The gate of an exchange: ways to both sides, and what it does about the connection. */
export interface ExchangeGate {
  readonly state: ConnectionState;
  readonly ledger: Ledger<Exchange>;
  /** Changes the era of the connection, and who is told what on it. */
  handshake(step: Handshake): void;
  /** Must be called with the values in effect when the client lists, or is told to list again: then there is no kind. */
  listedWith(configuration: Configuration, kind?: Kind): void;
  /** Tells the client that lists changed. `isSwitch`: a person or a model of this client changed them. */
  announce(capabilities: readonly Capability[], isSwitch: boolean, relatedTo: RequestId | undefined): void;
  toServer(message: Message, sender: Sender): void;
  toClient(message: Message, relatedTo?: RequestId): void;
}

const PROBE: Route = { to: 'probe' };

/**
 * One request of a client, from its arrival until its answer is sent. Everything that the gate knows about the request is
 * in it. The policy in force when it arrives is its policy until the end.
 *
 * @example
 * judge(new Exchange(connection, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { extra: undefined }));
 */
export class Exchange implements Facts {
  readonly connection: ConnectionState;
  readonly policy: Policy;
  readonly request: Request;
  readonly era: Era;
  /** What is kept for the sender. Until it was read, it is that of an unknown session. */
  kept: StoredPreferences;
  /** Warnings for the log only. */
  logged: readonly ConcernWarning[] = NO_WARNINGS;
  /** Set if the server is asked for a name that does not exist. */
  substitute: Substitute | undefined = undefined;
  /** For what it waited. The report has this object, so that it also has what comes later. */
  readonly waits: Waits = {};
  /** Why calls to the store failed. */
  readonly storeFailures: string[] = [];
  /** When it was passed to the server. */
  passedAt = 0;
  /** Whether the gate answers the request itself, later: the server never received it. */
  isSuspended = false;
  readonly route: Route;
  private resolved: Configuration | undefined = undefined;
  private id: RequestId | undefined = undefined;

  constructor(
    readonly gate: ExchangeGate,
    request: Request,
    readonly sender: Sender,
    /** The request that messages about this one are sent with; `undefined` if it is not one of the client now. */
    readonly relatedTo: RequestId | undefined,
  ) {
    const connection = gate.state;
    this.connection = connection;
    this.policy = connection.policy;
    this.kept = nothingRead(this);
    this.request = connection.isLegacy || saysLegacy(request, sender) ? asLegacy(request) : request;
    this.era = eraOf(this.request);
    const { settings } = this.policy;
    const routed = panelRouteOf(settings, request) ?? routeOf(settings, request.method);
    this.route = request.method === connection.probe ? PROBE : routed;
  }

  /** The id that the client gave the request, of any JSON type. */
  get clientId(): RequestId {
    return this.request.id;
  }

  get keeps(): Keeps {
    const { preferences, principal } = this.connection;
    return {
      caller: principal?.place === 'store',
      session: this.era === 'legacy' ? preferences.place !== 'none' : isOneHost(principal),
      place: preferences.place,
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

  /** Adds the time since a moment to what the request waited for. */
  waited(place: keyof Waits, since: number): void {
    this.waits[place] = (this.waits[place] ?? 0) + performance.now() - since;
  }

  /** Keeps why a call to the store failed. */
  storeFailed(cause: unknown): void {
    this.storeFailures.push(reasonOf(cause));
  }

  /** Lets the server answer. */
  pass(params: Request['params'] = this.request.params): void {
    this.passedAt = performance.now();
    const id = this.gate.ledger.enter(this);
    this.id = id;
    const { jsonrpc, method } = this.request;
    const sent = params === undefined ? { jsonrpc, id, method } : { jsonrpc, id, method, params };
    this.gate.toServer(sent, this.sender);
  }

  /** Lets the gate answer later. The client can cancel the request until `resume` is called. */
  suspend(): void {
    this.isSuspended = true;
    this.id = this.gate.ledger.enter(this);
  }

  /** Returns false if the client cancelled the request since `suspend`: then it must not be answered. */
  resume(): boolean {
    this.isSuspended = false;
    return this.id !== undefined && this.gate.ledger.leave(this.id);
  }

  /** Sends the server requests made by the gate, on behalf of this one. */
  get ask(): AskServer {
    const { gate, request, sender } = this;
    return gate.ledger.asker('server', request, (message) => gate.toServer(message, sender));
  }

  /** Sends the client requests made by the gate, on behalf of this one. Only while the connection lasts. */
  get askClient(): AskServer {
    const { gate, request, clientId } = this;
    // Related to the client's request, so that an HTTP transport sends it in the response to that request.
    return gate.ledger.asker('client', request, (message) => gate.toClient(message, clientId));
  }

  reply(result: Record<string, unknown>): void {
    this.gate.toClient(answer(this.request, result));
  }

  /** Answers with an error that was already reported. */
  fail(error: Failure['error']): void {
    this.gate.toClient({ jsonrpc: '2.0', id: this.clientId, error });
  }

  /** Returns the answer to a request whose handling threw. */
  failureOf(cause: unknown): Failure {
    if (this.id !== undefined) this.gate.ledger.leave(this.id);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const code = ERRORS.internal;
    this.report({ error: code });
    return failure(this.clientId, code, `The concern filter failed on this request (${reason}).`);
  }

  /** Reports the request, with its method and era. */
  report(...[report, context]: ReturnType<LazyReport>): void {
    const { connection, clientId, era, policy, request } = this;
    if (connection.report === NO_REPORT) return;
    connection.report(
      { method: loggable(request.method), era, ...report },
      { id: clientId, policy, waits: this.waits, storeFailures: this.storeFailures, ...context },
    );
  }

  /** Returns a new exchange for the same request, under the policy in force: for messages that belong to no request. */
  again(): Exchange {
    // Without a related request, the transport uses the connection's own stream.
    return new Exchange(this.gate, this.request, this.sender, undefined);
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

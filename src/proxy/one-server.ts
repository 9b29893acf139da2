import type { SharedCatalog } from '../core/gate/request/catalog-cache.js';
import { SlowReaders } from '../core/http/streams/slow-readers.js';
import {
  ERRORS,
  type Era,
  type Request as McpRequest,
  METHODS,
  type Members,
  membersOf,
  read,
  refusal,
  SUBSCRIPTION_META,
} from '../core/wire/messages.js';
import { TASK_CHANGED } from '../core/wire/task-streams.js';
import type { Backend, Client, ClientPort } from './backend.js';
import {
  type AnswerOverHttp,
  ignore,
  type Params,
  type ServerCall,
  unaskable,
  unknownMethod,
  unreachable,
} from './call.js';
import { asksOf, capabilitiesOf, LEGACY_VERSIONS, levelOf, withoutMeta } from './eras/envelope.js';
import { askModern } from './eras/parameter-headers.js';
import type { ParkedCalls } from './eras/parked.js';
import { tellChanges } from './eras/stream.js';
import { type LegacyClient, legacyToModern, modernToLegacy, NO_LOGS } from './eras/translate.js';
import type { Caller, ChangeListener, Link, LinkOwner } from './link.js';
import type { Upstream } from './upstream.js';
import { InitializeRefused, ServerReplaced } from './upstream-error.js';

/** Requests that set state of a connection. All clients share it, so all of them would get that state. */
const SETS_STATE: ReadonlySet<string> = new Set([
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);

/** One server behind the endpoint as one client sees it: speaks the era of the client, whatever the server speaks. */
export class OneServer implements Backend {
  readonly servers: ReadonlySet<string> = new Set();
  readonly isEarly = false;
  readonly readers: SlowReaders;
  /** The connection of a legacy client. */
  private link: Promise<Link> | undefined;
  private current: Link | undefined;
  /** What a client with a connection of its own said when it began. */
  private initialize: Params;
  private isAnnounced = false;
  /** Ends the connection that began last, also while it is still starting. */
  private left: AbortController | undefined;
  private readonly said: LegacyClient & { capabilities: unknown; info: unknown } = {
    uris: new Set(),
    capabilities: undefined,
    info: undefined,
  };
  private readonly listener: ChangeListener = (method, params, from) => {
    if (from === this.current?.recovery) this.changed(method, params);
  };

  /**
   * @param isAlone whether the client, and nobody else, uses a connection to the server
   * @param ended called when the client has left
   */
  constructor(
    private readonly upstream: Upstream,
    private readonly parked: ParkedCalls,
    private readonly client: Client,
    private readonly isAlone: boolean,
    private readonly port: ClientPort,
    private readonly ended: () => Promise<void> = async () => undefined,
  ) {
    const own = new SlowReaders({ pause: (isPaused) => this.current?.recovery.pause(isPaused) });
    this.readers = isAlone ? own : upstream.readers;
    if (client.lasts) upstream.listeners.add(this.listener);
  }

  get isLocal(): boolean {
    return this.upstream.isLocal;
  }

  get serverEra(): Era | undefined {
    return this.current?.era;
  }

  async leave(): Promise<void> {
    this.left?.abort();
    this.upstream.listeners.delete(this.listener);
    await this.drop();
    await this.ended();
  }

  /** Leaves the connection to the server. */
  private async drop(): Promise<void> {
    const { link } = this;
    this.link = undefined;
    this.current = undefined;
    const left = await link?.catch(ignore);
    await this.upstream.watch('resourceSubscriptions', [...this.said.uris], -1).catch(ignore);
    this.said.uris.clear();
    await left?.release();
  }

  notified(method: string, params: Params): void {
    const isInitialized = method === METHODS.initialized;
    this.isAnnounced ||= isInitialized;
    // What a client tells of itself would be said of all that share the connection.
    if (!this.isAlone) return;
    const given = isInitialized ? undefined : params;
    void this.link?.then((link) => link.era === 'legacy' && link.recovery.pass(method, given), ignore);
  }

  answer(call: ServerCall): Promise<AnswerOverHttp> {
    return this.handle(call).catch((cause) => unreachable(call.method, cause));
  }

  private async handle(call: ServerCall): Promise<AnswerOverHttp> {
    const { link } = this;
    try {
      return await this.attempt(call);
    } catch (cause) {
      if (!(cause instanceof ServerReplaced || cause instanceof InitializeRefused)) throw cause;
      if (this.isAlone && this.link === link) this.begin();
      return this.attempt(call);
    }
  }

  private attempt(call: ServerCall): Promise<AnswerOverHttp> {
    if (this.client.era === 'modern') return this.handleModern(call);
    if (call.method === METHODS.initialize) {
      this.said.capabilities = read(call.params, 'capabilities');
      this.said.info = read(call.params, 'clientInfo');
    }
    return this.isAlone ? this.handleAlone(call) : this.handleShared(call);
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
    const owner: LinkOwner = {
      notified: (name, given) => this.changed(name, given),
      ask: this.port.ask,
      report: this.port.report,
      isAnnounced: () => this.isAnnounced,
    };
    this.left?.abort();
    this.left = new AbortController();
    this.current = undefined;
    this.link = this.upstream.forSession(this.initialize, owner, this.left.signal);
  }

  /** A session that could not begin begins again with the next request: a client of several servers goes on without one. */
  private async linked(link: Promise<Link>): Promise<Link> {
    try {
      return await link;
    } catch (cause) {
      if (this.link === link) this.begin();
      if (this.link === undefined) throw cause;
      return this.link;
    }
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
    return this.send(await (method === METHODS.initialize ? this.link : this.linked(this.link)), call);
  }

  /** Sends a request of a legacy client on a connection of either era. */
  private async send(link: Link, call: ServerCall): Promise<AnswerOverHttp> {
    this.current = link;
    if (link.era === 'modern') return legacyToModern(this.upstream, link, this.said, call);
    if (call.method !== METHODS.initialize) return link.recovery.request(call);
    return { result: (await link.recovery.opened()).about };
  }

  /** A legacy client that shares the connection, with its session elsewhere or none. */
  private async handleShared(call: ServerCall): Promise<AnswerOverHttp> {
    const { method, ownsTasks: hasTasks } = call;
    if (method === 'ping') return { result: {} };
    if (!hasTasks && method.startsWith('tasks/')) return unknownMethod(method);
    const { principal, session } = this.client;
    const link = await this.upstream.forLegacy({ principal, session, asks: {} });
    this.current = link;
    try {
      // Of a modern server, a connection has no state: this object keeps it for its client.
      const keepsState = link.era === 'modern' && this.client.lasts;
      if (SETS_STATE.has(method) && !keepsState) {
        const reason = `${method} is not supported: several clients share this server, and they would share the state that it sets.`;
        return refusal(ERRORS.methodNotFound, reason);
      }
      const params = hasTasks ? call.params : withoutTask(call.params);
      const shared = link.era === 'legacy' ? { ask: unaskable, level: NO_LOGS } : {};
      const answer = await this.send(link, { ...call, ...shared, params });
      if (method !== METHODS.initialize || keepsState || 'error' in answer) return answer;
      return { result: initializeResult(answer.result, params, hasTasks) };
    } finally {
      void link.release();
    }
  }

  /** What changed on the server. A legacy client hears only of the resources that it watches, and of no tasks. */
  private changed(method: string, params: Params): void {
    if (method === TASK_CHANGED) return;
    const { current, said } = this;
    const isWatched = current?.era !== 'modern' || said.uris.has(String(read(params, 'uri')));
    if (this.client.era === 'legacy' && method === METHODS.updated && !isWatched) return;
    const given = params === undefined ? undefined : withoutMeta(params, [SUBSCRIPTION_META]);
    this.port.tell(method, given);
  }
}

/** SDK v1 also accepts a version before the first. */
const ACCEPTED: readonly unknown[] = [...LEGACY_VERSIONS, '2024-10-07'];

/** @returns the initialize result of the server, without the capabilities that clients cannot share */
function initializeResult(initialized: Members, params: Params, hasTasks: boolean): Members {
  const { logging: _logging, resources, tasks, ...capabilities } = membersOf(initialized.capabilities);
  const { subscribe: _subscribe, ...kept } = membersOf(resources);
  const requested = read(params, 'protocolVersion');
  return {
    ...initialized,
    protocolVersion: ACCEPTED.includes(requested) ? requested : initialized.protocolVersion,
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

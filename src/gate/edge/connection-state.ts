import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import { listedUnder } from '../../engine/effective.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { SessionRecord } from '../../session/store.js';
import type { Capability } from '../../wire/messages.js';
import type { TaskLister, TaskListPage, TaskListQuery } from '../../wire/task-lister.js';
import type { Panel } from '../panel/panel.js';
import { CatalogCache, type SharedCatalog } from '../request/catalog-cache.js';
import type { Sender } from '../request/configure.js';
import type { Handshake } from '../request/decision.js';
import type { ConnectionFacts, Implementation } from '../request/facts.js';
import {
  type PrincipalPreferences,
  readSession,
  type SessionPreferences,
} from '../request/kept-preferences.js';
import { type LivePolicy, policyInForce } from '../request/live-policy.js';
import { NO_REPORT, type Report } from '../request/report.js';
import { TaskMemory, type TaskRecords, taskRecords } from '../tasks/task-records.js';

/** What the state of a connection begins with. */
export interface StateOptions {
  readonly policy: Policy | LivePolicy;
  readonly preferences: SessionPreferences;
  /** Where the preferences of the caller are kept. Without it, they are not kept per caller. */
  readonly principal?: PrincipalPreferences | undefined;
  /** The method of probes from an HTTP handler in this process. */
  readonly probe?: string | undefined;
  readonly listens?: boolean | undefined;
  readonly report?: Report | undefined;
  /** Who created which task. Without it, the connection remembers its own tasks. */
  readonly tasks?: TaskRecords | undefined;
  /** Lists the tasks of the server by their owner, if the server can. */
  readonly lister?: TaskLister | undefined;
  /** Whether the client initialized the session on an earlier connection. */
  readonly resumed?: boolean | undefined;
}

/** What the requests of a connection share, and what lasts between them. Written by the steps of its requests. */
export class ConnectionState implements ConnectionFacts {
  readonly preferences: SessionPreferences;
  readonly principal: PrincipalPreferences | undefined;
  readonly probe: string | undefined;
  readonly listens: boolean | undefined;
  readonly report: Report;
  readonly tasks: TaskRecords;
  readonly taskTools: readonly string[] | undefined;
  private readonly lister: TaskLister | undefined;
  /** Whether the client sent `initialize`. Then none of its requests is modern, unless the server refused. */
  isLegacy: boolean;
  lasts = false;
  server: Implementation | undefined = undefined;
  /** The capabilities whose changes the server announces to a legacy client. */
  announced: readonly Capability[] = [];
  isJoined = false;
  relisted: boolean | null = null;
  /** The page that shows the connection. */
  observer: ConnectionObserver | undefined = undefined;
  private readonly givenPolicy: Policy | LivePolicy;
  private isInitialized: boolean;
  private ownName: string | undefined = undefined;
  /** The configuration of the latest list request. */
  private latestListed: Configuration | undefined = undefined;
  private lists: CatalogCache | undefined = undefined;

  /** @param shared returns the lists that other connections have read too */
  constructor(
    options: StateOptions,
    private readonly shared: () => SharedCatalog | undefined,
  ) {
    const { preferences, resumed = false } = options;
    this.givenPolicy = options.policy;
    this.preferences = preferences;
    this.principal = options.principal;
    this.probe = options.probe;
    this.listens = options.listens;
    this.report = options.report ?? NO_REPORT;
    const store = preferences.place === 'store' ? preferences.store : undefined;
    this.tasks = options.tasks ?? taskRecords(new TaskMemory(), store);
    this.lister = options.lister;
    this.taskTools = options.lister?.tools;
    this.isLegacy = resumed;
    this.isInitialized = resumed;
  }

  /** The policy in force. */
  get policy(): Policy {
    return policyInForce(this.givenPolicy);
  }

  get isEnforced(): boolean {
    return this.policy.settings.enforcement === 'enforce';
  }

  /** Tells the connection from all others, where the transport has no session id. */
  get name(): string {
    this.ownName ??= crypto.randomUUID();
    return this.ownName;
  }

  /** What the server lists. Created by the first message that needs it: many connections serve a single request, which may not. */
  get catalog(): CatalogCache {
    this.lists ??= new CatalogCache(this.shared());
    return this.lists;
  }

  /** The configuration of the latest list request; without one, that of a client without preferences. */
  get listed(): Configuration {
    return this.latestListed ?? resolveConfiguration(this.policy, []);
  }

  /** Lists tasks of the sender, if the server lists them by their owner. */
  async listTasks(query: TaskListQuery, { extra }: Sender): Promise<TaskListPage> {
    return this.lister?.list(query, extra) ?? { ok: true, tasks: [] };
  }

  /** Returns which questions the client of this session can answer; `undefined` if nothing tells. */
  async questions(): Promise<unknown> {
    const session = await readSession(this.preferences);
    return session.state === 'live' ? session.record.questions : undefined;
  }

  /**
   * From `initialize` on, no request of the connection is modern. A connection that keeps the preferences itself keeps them
   * at once: a client that does not wait for the answer may already have sent its next messages. What its session id says is
   * stronger: `initialize` may be that of an endpoint that continues the session. A store may fail to keep them.
   */
  asked(record: SessionRecord): void {
    const { preferences } = this;
    this.isLegacy = true;
    if (preferences.place === 'connection') preferences.record = { ...record, ...preferences.sealed };
    if (preferences.place === 'store') preferences.known ??= record;
  }

  /** A client may try `initialize` first, and then send modern requests. */
  refused(): void {
    this.isLegacy = this.isInitialized;
  }

  accepted({ server, announced }: Extract<Handshake, { state: 'accepted' }>): void {
    this.isInitialized = true;
    this.lasts = true;
    this.server = server;
    this.announced = announced;
  }

  listedWith(configuration: Configuration, kind: Kind | undefined): void {
    this.latestListed = listedUnder(configuration);
    if (this.relisted === false && kind === 'tools') this.relisted = true;
  }

  /** Must be called when lists were announced because a person or a model of this client switched. */
  switched(capabilities: readonly Capability[]): void {
    if (capabilities.includes('tools')) this.relisted = false;
  }
}

/** A connection whose client has initialized it, for a page with switches. */
export interface InitializedConnection {
  /** What the page shows, and how it changes it. */
  readonly panel: Panel;
  readonly client: Implementation;
}

/** Is told what a page with switches shows. */
export interface ConnectionObserver {
  /** What the client is shown may have changed. */
  changed(): void;
  /** The client listed. */
  listed(): void;
  closed(): void;
}

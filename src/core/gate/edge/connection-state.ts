import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import { ONE_SERVER } from '../../engine/servers/outside-names.js';
import type { Capability, Request } from '../../wire/messages.js';
import type { TaskLister } from '../../wire/task-lister.js';
import { CatalogCache } from '../request/catalog-cache.js';
import type { Handshake } from '../request/decision.js';
import type { ConnectionFacts, Implementation } from '../request/facts.js';
import type { PrincipalPreferences, SessionPreferences } from '../request/kept-preferences.js';
import { policyInForce } from '../request/live-policy.js';
import { NO_REPORT, type Report } from '../request/report.js';
import { StoredRecords, TaskMemory, type TaskRecords } from '../tasks/task-records.js';
import type { ConnectionObserver, GateOptions } from './concerns-options.js';

/** What a connection begins with: where its preferences are kept is known from its first message. */
export interface ConnectionOptions {
  /** Not its `store` and its `report`, which these options have in another form. */
  readonly gate: Omit<GateOptions, 'store' | 'report'>;
  readonly preferences: SessionPreferences;
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
  /** Whether the client sent `initialize`. Then none of its requests is modern, unless the server refused. */
  isLegacy: boolean;
  lasts = false;
  server: Implementation | undefined = undefined;
  /** The capabilities whose changes the server announces to a legacy client. */
  announced: readonly Capability[] = [];
  readonly servers: ReadonlySet<string>;
  relisted: boolean | null = null;
  /** The page that shows the connection. */
  observer: ConnectionObserver | undefined = undefined;
  private ownName: string | undefined = undefined;
  /** The configuration of the latest list request. */
  latestListed: Configuration | undefined = undefined;
  private lists: CatalogCache | undefined = undefined;

  /** @param of has the latest request of the client */
  constructor(
    readonly options: ConnectionOptions,
    private readonly of: { readonly latest: { readonly request: Request } | undefined },
  ) {
    const { gate, preferences, resumed = false } = options;
    this.preferences = preferences;
    this.principal = gate.principal;
    this.probe = gate.probe;
    this.listens = gate.listens;
    this.report = options.report ?? NO_REPORT;
    const store = preferences.place === 'store' ? preferences.store : undefined;
    this.tasks = options.tasks ?? new StoredRecords(new TaskMemory(), store);
    this.taskTools = options.lister?.tools;
    this.servers = gate.upstream?.servers ?? ONE_SERVER;
    this.isLegacy = resumed;
  }

  /** The policy in force. */
  get policy(): Policy {
    return policyInForce(this.options.gate.policy);
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
    const { latest } = this.of;
    const { shared, upstream } = this.options.gate;
    this.lists ??= new CatalogCache((latest && upstream?.listsFor(latest.request)) ?? shared, this.servers);
    return this.lists;
  }

  /** The configuration of the latest list request; without one, that of a client without preferences. */
  get listed(): Configuration {
    return this.latestListed ?? resolveConfiguration(this.policy, []);
  }

  /**
   * From `initialize` on, no request of the connection is modern, unless the server refuses: a client may try `initialize`
   * first, and then send modern requests. A connection that keeps the preferences itself keeps them at once: a client that does
   * not wait for the answer may already have sent its next messages. What its session id says is stronger: `initialize` may be
   * that of an endpoint that continues the session. A store may fail to keep them.
   */
  handshake(step: Handshake): void {
    const { preferences, options } = this;
    if (step.state === 'refused') this.isLegacy = options.resumed === true || this.lasts;
    if (step.state === 'asked') {
      const { record } = step;
      this.isLegacy = true;
      if (preferences.place === 'connection') preferences.record = { ...record, ...preferences.sealed };
      if (preferences.place === 'store') preferences.known ??= record;
    }
    if (step.state === 'accepted') {
      this.lasts = true;
      this.server = step.server;
      this.announced = step.announced;
    }
  }
}

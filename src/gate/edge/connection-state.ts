import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import { listedUnder } from '../../engine/effective.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { SessionRecord } from '../../session/store.js';
import type { Capability } from '../../wire/messages.js';
import type { Panel } from '../panel/panel.js';
import { CatalogCache, type SharedCatalog } from '../request/catalog-cache.js';
import type { Handshake } from '../request/decision.js';
import type { Implementation } from '../request/facts.js';
import type { SessionPreferences } from '../request/kept-preferences.js';

/** Whether and how a client initialized a connection. Written by the steps of `initialize`. */
export class Initialization {
  /** Whether the client sent `initialize`. Then none of its requests is modern, unless the server refused. */
  isLegacy: boolean;
  /** Whether the client initialized this very connection. Then it lasts between requests. */
  lasts = false;
  /** How the server names itself, if this connection saw it. */
  server: Implementation | undefined = undefined;
  private isInitialized: boolean;

  /** @param resumed whether the client initialized the session on an earlier connection */
  constructor(resumed: boolean) {
    this.isLegacy = resumed;
    this.isInitialized = resumed;
  }

  /**
   * From `initialize` on, no request of the connection is modern. A connection that keeps the preferences itself keeps them
   * at once: a client that does not wait for the answer may already have sent its next messages. What its session id says is
   * stronger: `initialize` may be that of an endpoint that continues the session. A store may fail to keep them.
   */
  asked(preferences: SessionPreferences, record: SessionRecord): void {
    this.isLegacy = true;
    if (preferences.place === 'connection') preferences.record = { ...record, ...preferences.sealed };
    if (preferences.place === 'store') preferences.known ??= record;
  }

  /** A client may try `initialize` first, and then send modern requests. */
  refused(): void {
    this.isLegacy = this.isInitialized;
  }

  accepted({ server }: Extract<Handshake, { state: 'accepted' }>): void {
    this.isInitialized = true;
    this.lasts = true;
    this.server = server;
  }
}

/** What a server lists, and what the client saw of it. Written by list requests. */
export class Listing {
  /** The configuration of the latest list request. */
  private latest: Configuration | undefined = undefined;
  private lists: CatalogCache | undefined = undefined;

  constructor(private readonly shared: () => SharedCatalog | undefined) {}

  // Created by the first message that needs it: many connections serve a single request, which may not need it.
  get catalog(): CatalogCache {
    this.lists ??= new CatalogCache(this.shared());
    return this.lists;
  }

  listedWith(configuration: Configuration): void {
    this.latest = listedUnder(configuration);
  }

  /** Returns the configuration of the latest list request; without one, that of a client without preferences. */
  configurationUnder(policy: Policy): Configuration {
    return this.latest ?? resolveConfiguration(policy, []);
  }
}

/** What a client was told of changed lists, and the page that shows it. Written by switches. */
export class Switching {
  /** The capabilities whose changes the server announces. */
  announced: readonly Capability[] = [];
  /** Whether the client has listed its tools again since the last switch; `null` if there was none. */
  relisted: boolean | null = null;
  observer: ConnectionObserver | undefined = undefined;

  listed(kind: Kind | undefined): void {
    if (this.relisted === false && kind === 'tools') this.relisted = true;
    this.observer?.listed();
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

import type { Policy } from '../../engine/policy.js';
import type { SessionStore } from '../../session/store.js';
import type { Era, Request as McpRequest, Message, RequestId } from '../../wire/messages.js';
import type { Panel } from '../panel/panel.js';
import type { SharedCatalog } from '../request/catalog-cache.js';
import type { Implementation } from '../request/facts.js';
import type { PrincipalPreferences, SessionId } from '../request/kept-preferences.js';
import type { LivePolicy } from '../request/live-policy.js';
import type { Arrival, ReceiveReport } from '../request/report.js';
import type { TaskMemory } from '../tasks/task-records.js';
import type { KnownNames } from './outcomes.js';

/** The policy of a gate, and where preferences are kept. */
export interface ConcernsOptions {
  /** From `loadPolicy` or `openCompiledPolicy`. A `LivePolicy` can be replaced while connections are open. */
  readonly policy: Policy | LivePolicy;
  /** Keeps the preferences of HTTP sessions. Without a store, the connection keeps them as long as it lasts. */
  readonly store?: SessionStore | undefined;
  /** Called once for each request of a client, when its answer leaves, to write a log. */
  readonly report?: ReceiveReport | undefined;
}

/** What the endpoints of this package add: what they know of a caller, and what the gates of an endpoint share. */
export interface GateOptions extends ConcernsOptions {
  /** Keeps preferences per verified caller, besides those of sessions. */
  readonly principal?: PrincipalPreferences | undefined;
  /** The names that reports may contain. Connections that share it learn from each other. */
  readonly names?: KnownNames | undefined;
  /**
   * The method under which an HTTP handler that answers some requests before any transport asks what is hidden. It must
   * be impossible to guess.
   */
  readonly probe?: string | undefined;
  /** A catalog shared between server instances. The operator promises that it does not depend on the request. */
  readonly shared?: SharedCatalog | undefined;
  /** Whether the endpoint serves `subscriptions/listen`. Without it, what the server declares of changes stays. */
  readonly listens?: boolean | undefined;
  /** Called when a person or a model has changed the preferences of the caller. */
  readonly switched?: (() => void) | undefined;
  /** The id of the session, if the transport has one and somebody has taken it apart. */
  readonly session?: SessionId | undefined;
  /** The makers of tasks, as far as this process knows, shared between the connections of one endpoint. */
  readonly taskMemory?: TaskMemory | undefined;
  /** Returns the HTTP request that a request arrived in, once for each, where the connection lasts longer. */
  readonly arrived?: ((id: RequestId) => Arrival | undefined) | undefined;
  /** The server behind the endpoint, with the era that is spoken to it once it is known. */
  readonly upstream?: ServerBehind | undefined;
  /** Called when a client has initialized the connection, or listed in the modern era, by a process that serves a page with switches. */
  readonly observe?: ((initialized: InitializedConnection) => ConnectionObserver) | undefined;
  /** Returns whether the first message of a transport shows that its client meets no gate. Never for HTTP. */
  readonly opens?: (() => ((first: Message) => boolean) | undefined) | undefined;
}

/** What a gate can learn of a server behind the endpoint. */
export interface ServerBehind {
  /** The era that is spoken to it, as far as a request has told. */
  readonly serverEra: Era | undefined;
  /** Whether a server is not up, and is listed as when it was up last. */
  readonly isEarly: boolean;
  /** The names of several servers; empty for a single one. */
  readonly servers: ReadonlySet<string>;
  /** Returns the lists that the connection of a request keeps until they change, if it outlives the request. */
  listsFor(request: McpRequest): SharedCatalog | undefined;
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

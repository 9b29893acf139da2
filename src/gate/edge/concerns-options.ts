import type { Policy } from '../../engine/policy.js';
import type { SessionStore } from '../../session/store.js';
import type { Message, RequestId } from '../../wire/messages.js';
import type { TaskLister } from '../../wire/task-lister.js';
import type { SharedCatalog } from '../request/catalog-cache.js';
import type { PrincipalPreferences, SessionPreferences } from '../request/kept-preferences.js';
import type { LivePolicy } from '../request/live-policy.js';
import type { GateReport, Report } from '../request/report.js';
import type { TaskMemory, TaskRecords } from '../tasks/task-records.js';
import type { ConnectionObserver, InitializedConnection } from './connection-state.js';
import type { Exchange } from './exchange.js';
import type { Ledger } from './ledger.js';
import type { KnownNames } from './outcomes.js';

/** The policy of a gate, and where preferences are kept. */
export interface ConcernsOptions {
  /** From `loadPolicy` or `openCompiledPolicy`. A `LivePolicy` can be replaced while connections are open. */
  readonly policy: Policy | LivePolicy;
  /** Keeps the preferences of HTTP sessions. Without a store, the connection keeps them as long as it lasts. */
  readonly store?: SessionStore | undefined;
  /** Called once for each request of a client, when its answer leaves, to write a log. */
  readonly report?: ((report: GateReport) => void) | undefined;
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
  /** The makers of tasks, as far as this process knows, shared between the connections of one endpoint. */
  readonly taskMemory?: TaskMemory | undefined;
  /** Called when a client has initialized the connection, by a process that serves a page with switches. */
  readonly observe?: ((initialized: InitializedConnection) => ConnectionObserver) | undefined;
}

/** Where a connection sends messages. `extra` is what the transport told about the client's message that caused one. */
export interface ConnectionPorts {
  toServer(message: Message, extra: unknown): void;
  toClient(message: Message, relatedTo?: RequestId): Promise<void>;
}

/** The options of one connection: where its preferences are kept is known from its first message. */
export interface ConnectionOptions extends Omit<GateOptions, 'store' | 'report' | 'names' | 'taskMemory'> {
  readonly report?: Report | undefined;
  readonly preferences: SessionPreferences;
  /** Who created which task. Without it, the connection remembers its own tasks. */
  readonly tasks?: TaskRecords | undefined;
  /** Lists the tasks of the server by their owner, if the server can. */
  readonly lister?: TaskLister | undefined;
  /** Whether the client initialized the session on an earlier connection. */
  readonly resumed?: boolean | undefined;
  /** Has the requests that passed by before there was a connection. */
  readonly ledger?: Ledger<Exchange> | undefined;
}

import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import type { Era, Request } from '../../wire/messages.js';
import type { Route } from '../table/routes.js';
import type { Sender } from './configure.js';
import type { SessionPreferences, StoredPreferences } from './kept-preferences.js';

/** A client or a server, as it names itself. */
export interface Implementation {
  readonly name: string;
  readonly version?: string;
}

/** Where preferences of the sender of a request can be kept. */
export interface Keeps {
  readonly caller: boolean;
  /** Only the legacy era has sessions. What a model sets is kept for a host of one person as for a session. */
  readonly session: boolean;
  /** Where those of the session are. */
  readonly place: SessionPreferences['place'];
}

/** What is known of the connection that a request arrived on. */
export interface ConnectionFacts {
  /** Whether the client initialized this very connection. Then it lasts between requests. */
  readonly lasts: boolean;
  /** How the server names itself, if this connection saw it. */
  readonly server: Implementation | undefined;
  /** The servers whose lists are joined behind it; none if there is one server. */
  readonly servers: ReadonlySet<string>;
  /** Whether the client has listed its tools again since the last switch; `null` if there was none. */
  readonly relisted: boolean | null;
  /** Whether a client of 2026-07-28 can subscribe to changes; `undefined` if only the server knows. */
  readonly listens: boolean | undefined;
  /** The tools that create tasks, of a server that lists its tasks by their owner. */
  readonly taskTools: readonly string[] | undefined;
}

/** What is known of a request when it arrives. An `Exchange` is one, but whoever gets facts can neither wait nor send. */
export interface RequestFacts {
  readonly policy: Policy;
  readonly request: Request;
  readonly route: Route;
  readonly era: Era;
  readonly sender: Sender;
  readonly keeps: Keeps;
  readonly connection: ConnectionFacts;
  /** Whether the policy refuses what it hides. */
  readonly isEnforced: boolean;
}

/** A request whose preferences are known. */
export interface Facts extends RequestFacts {
  readonly configuration: Configuration;
  readonly kept: StoredPreferences;
  /** Warnings for the log only. */
  readonly logged: readonly ConcernWarning[];
  /** Set if the server was asked for a name that does not exist. */
  readonly substitute: Substitute | undefined;
}

/** The text that the server receives in place of a hidden name, and the text that it replaces. */
export interface Substitute {
  /** The whole name that the server receives. It contains `sent`. */
  readonly name: string;
  readonly sent: string;
  readonly original: string;
}

/** What decides which names of a server's own message are hidden: a configuration, and the request that it belongs to. */
export interface View {
  readonly configuration: Configuration;
  readonly request?: Request | undefined;
  readonly substitute?: Substitute | undefined;
  /** Which of several servers sent the message, if it says so. */
  readonly server?: string | undefined;
}

/** What is filled in for the templates. `src/deploy/entry.ts` makes it from an endpoint, and a bundle has it as constants. */
import type { Isolation, UpstreamOptions } from 'mcp-concerns/upstream';
import type { SecretValues } from '../secrets.js';

/** Names of the files beside the module that a function starts with. */
export const FILES = { policy: 'policy.json', catalog: 'catalog.json', server: 'server.mjs' } as const;

/** For every endpoint. */
export interface EndpointValues extends SecretValues {
  /** `snapshot`: it is in a file beside the module. */
  readonly catalog: 'static' | 'snapshot' | undefined;
  readonly preferences: 'principal' | undefined;
}

/** For an endpoint with a server module. */
export interface ModuleValues extends EndpointValues {
  /** What to import: an absolute path, or the name of a package. */
  readonly module: string;
}

type Options = Omit<UpstreamOptions, 'report'>;

/** A server that is the program of a package, and how it is used. */
export interface ProcessValues {
  /** The path of the program, relative to the bundle. */
  readonly program: string;
  /** The arguments of its command line. */
  readonly parameters: readonly string[];
  /** The names of the variables of the function that it gets. */
  readonly environment: readonly string[];
  readonly isolation: Isolation;
  readonly options: Options;
}

/** A remote server, and how it is used. */
export interface RemoteValues {
  readonly url: string;
  /** The name of the variable that has the value of each header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly options: Options;
}

/** For every endpoint in front of other servers. */
export interface UpstreamValues extends EndpointValues {
  /** Whether some server gets headers of hosts. */
  readonly forwards: boolean;
}

/** For an endpoint in front of the program of a package. */
export interface PackageValues extends UpstreamValues {
  readonly server: ProcessValues;
}

/** For an endpoint in front of a remote server. */
export interface UrlValues extends UpstreamValues {
  readonly server: RemoteValues;
}

/** For an endpoint in front of several servers, by their names. */
export interface ServersValues extends UpstreamValues {
  readonly servers: Readonly<Record<string, ProcessValues | RemoteValues>>;
}

/** For the function that runs the tasks of a server module. */
export interface WorkerValues extends SecretValues {
  /** The module of the server, for messages. */
  readonly module: string;
  /** What to import: a module that exports only the tasks of the server. */
  readonly exportedTasks: string;
}

import type { Endpoint } from './generated/endpoint-schema.js';
import { secretValues } from './secrets.js';
import type {
  EndpointValues,
  ModuleValues,
  PackageValues,
  ProcessValues,
  RemoteValues,
  ServersValues,
  UrlValues,
  WorkerValues,
} from './templates/values.js';

/** The module that a function starts with: which of `templates`, and what is filled in. */
export type Entry =
  | { readonly template: 'module-of-v1' | 'module-of-v2'; readonly values: ModuleValues }
  | { readonly template: 'package'; readonly values: PackageValues }
  | { readonly template: 'url'; readonly values: UrlValues }
  | { readonly template: 'servers'; readonly values: ServersValues }
  | { readonly template: 'worker'; readonly values: WorkerValues };

type Server = NonNullable<Endpoint['server']>;
type Child = Extract<Server, { package: string }>;
type Remote = Extract<Server, { url: string }>;
/** The program of each package that is a server, relative to the bundle. */
type Bins = ReadonlyMap<string, string>;

/**
 * Decides which module a function starts with. It is the module that you would write by hand with `createFunction`.
 *
 * @param endpoint what the function serves
 * @param bins the program of each package that is a server, relative to the bundle
 * @returns the template of the module, and what is filled in
 * @example
 * entryOf({ server: { module: './src/server.js' }, catalog: 'snapshot' }).template; // 'module-of-v1'
 */
export function entryOf(endpoint: Omit<Endpoint, 'policy'>, bins: Bins = new Map()): Entry {
  const { server, servers = {}, catalog, secrets, preferences } = endpoint;
  const common: EndpointValues = { ...secretValues(secrets), catalog, preferences };
  if (server !== undefined && 'module' in server) {
    const { sdk, module } = server;
    return { template: sdk === 2 ? 'module-of-v2' : 'module-of-v1', values: { ...common, module } };
  }
  const values = { ...common, forwards: forwardsHeaders(endpoint) };
  if (server === undefined) {
    const named = Object.entries(servers).map(
      ([slug, each]) => [slug, 'url' in each ? remoteOf(slug, each) : processOf(slug, each, bins)] as const,
    );
    return { template: 'servers', values: { ...values, servers: Object.fromEntries(named) } };
  }
  if ('url' in server) {
    const name = new URL(server.url).host;
    return { template: 'url', values: { ...values, server: remoteOf(name, server) } };
  }
  return { template: 'package', values: { ...values, server: processOf(server.package, server, bins) } };
}

/** @returns whether a server of the endpoint gets headers of hosts */
export function forwardsHeaders({ server, servers = {} }: Omit<Endpoint, 'policy'>): boolean {
  const all = server === undefined ? Object.values(servers) : [server];
  return all.some((each) => 'url' in each && each.forward !== undefined);
}

/** The function that runs the tasks of a server module, and the module that it takes them from. */
export interface WorkerEntry {
  readonly entry: Entry;
  readonly modules: Readonly<Record<string, string>>;
}

/** The name of the module that exports only the tasks of a server module, so that the rest of it is not bundled. */
const EXPORTED_TASKS = 'exported-tasks';

/**
 * Decides which module the function of the tasks starts with.
 *
 * @param name the server module, for messages
 * @param module what to import
 * @param secrets the secrets of the endpoint, which tasks can use too
 * @returns the template, and the text of the module that it imports
 * @example
 * workerEntryOf('src/server.ts', '/project/src/server.ts', {}).entry.template; // 'worker'
 */
export function workerEntryOf(name: string, module: string, secrets: Endpoint['secrets']): WorkerEntry {
  const values = { ...secretValues(secrets), module: name, exportedTasks: `mcp-concerns:${EXPORTED_TASKS}` };
  return {
    entry: { template: 'worker', values },
    modules: { [EXPORTED_TASKS]: `export { tasks } from ${JSON.stringify(module)};\n` },
  };
}

const processOf = (name: string, server: Child, bins: Bins): ProcessValues => ({
  program: `./${bins.get(server.package) ?? ''}`,
  parameters: server.arguments ?? [],
  environment: server.environment ?? [],
  isolation: server.isolation ?? 'shared',
  options: optionsOf(name, server),
});

const remoteOf = (name: string, server: Remote): RemoteValues => ({
  url: server.url,
  headers: server.headers ?? {},
  options: { ...optionsOf(name, server), ...(server.forward && { forward: server.forward }) },
});

/** Lambda ends a request after the timeout of the function. A server that is silent for as long is of no use. */
const optionsOf = (name: string, { silence = 25, protocol }: Child | Remote): RemoteValues['options'] => ({
  name,
  startMs: 20_000,
  silenceMs: silence * 1000,
  ...(protocol && { protocol }),
});

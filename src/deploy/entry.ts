import {
  entryModule,
  handlerOfV1,
  handlerOfV2,
  moduleServer,
  packageServer,
  severalServers,
  UPSTREAM_OF_MODULE,
  type UpstreamParts,
  urlServer,
  workerModule,
} from './entry-parts.js';
import type { Endpoint } from './generated/endpoint-schema.js';
import { secretLines } from './secrets.js';

/** Names of the files beside the entry in the bundle. */
export const FILES = { policy: 'policy.json', catalog: 'catalog.json', server: 'server.mjs' } as const;

/** Names of generated modules. */
export const MODULES = {
  entry: 'mcp-concerns:entry',
  tasks: 'mcp-concerns:tasks',
  worker: 'mcp-concerns:worker',
} as const;

type Server = NonNullable<Endpoint['server']>;
type Child = Extract<Server, { package: string }>;
type Remote = Extract<Server, { url: string }>;
/** The program of each package that is a server, relative to the bundle. */
type Bins = ReadonlyMap<string, string>;

/**
 * Writes the module that a function starts with. It is the module that you would write by hand with `createFunction`.
 *
 * @param endpoint what the function serves
 * @param bins the program of each package that is a server, relative to the bundle
 * @returns the text of the module
 * @example
 * entryOf({ server: { module: './src/server.js' }, catalog: 'snapshot' });
 */
export function entryOf(endpoint: Omit<Endpoint, 'policy'>, bins: Bins = new Map()): string {
  const { server, servers = {}, catalog, secrets, preferences } = endpoint;
  const read =
    catalog === 'snapshot' ? `read('${FILES.catalog}', parseExact)` : String(JSON.stringify(catalog));
  const keeps = preferences === undefined ? '' : `, preferences: '${preferences}'`;
  const isModule = server !== undefined && 'module' in server;
  const handler =
    isModule && server.sdk === 2
      ? handlerOfV2(keeps)
      : handlerOfV1({
          upstream: isModule ? UPSTREAM_OF_MODULE : '',
          // The snapshot of a module has the tools of its tasks.
          known: isModule && catalog === 'snapshot' ? `'static'` : 'catalog',
          preferences: keeps,
          // A module is a server of an SDK, whose schemas refuse numbers that keep their text.
          numbers: isModule ? '' : ', keepsNumbers: true',
          forwards: forwardsHeaders(endpoint) ? ', forwards: true' : '',
        });
  const behind = server === undefined ? several(servers, bins) : oneServer(server, bins);
  return entryModule(secretLines(secrets), read, behind, handler);
}

/** @returns whether a server of the endpoint gets headers of hosts */
export function forwardsHeaders({ server, servers = {} }: Omit<Endpoint, 'policy'>): boolean {
  const all = server === undefined ? Object.values(servers) : [server];
  return all.some((each) => 'url' in each && each.forward !== undefined);
}

/**
 * Writes the module that the function of the tasks starts with.
 *
 * @param module the server module, for messages
 * @param secrets the secrets of the endpoint, which tasks can use too
 * @returns the text of the module
 */
export const workerEntryOf = (module: string, secrets: Endpoint['secrets']): string =>
  workerModule(secretLines(secrets), JSON.stringify(module));

/** Writes the module that takes only the tasks from a server module, so that the rest of it is not bundled. */
export const exportedTasksOf = (module: string): string =>
  `export { tasks } from ${JSON.stringify(module)};\n`;

function oneServer(server: Server, bins: Bins): string {
  if ('module' in server)
    return moduleServer(JSON.stringify(server.module), server.sdk === 2 ? 'context' : '');
  if ('package' in server) return packageServer(upstreamOf(server.package, server, bins));
  return urlServer(upstreamOf(new URL(server.url).host, server, bins));
}

const several = (servers: NonNullable<Endpoint['servers']>, bins: Bins): string =>
  severalServers(
    new Map(Object.entries(servers).map(([slug, server]) => [slug, upstreamOf(slug, server, bins)])),
  );

function upstreamOf(name: string, server: Child | Remote, bins: Bins): UpstreamParts {
  const { silence = 25, protocol } = server;
  const isolation = 'package' in server ? server.isolation : undefined;
  const forward = 'url' in server ? server.forward : undefined;
  // Lambda ends a request after the timeout of the function. A server that is silent for as long is of no use.
  const options = [
    `name: ${JSON.stringify(name)}`,
    'startMs: 20000',
    `silenceMs: ${silence * 1000}`,
    ...(protocol === undefined ? [] : [`protocol: ${JSON.stringify(protocol)}`]),
    ...(forward === undefined ? [] : [`forward: ${JSON.stringify(forward)}`]),
    'report: createUpstreamLog()',
  ];
  return {
    open: 'package' in server ? childOf(server, bins) : remoteOf(server),
    isolation: JSON.stringify(isolation ?? 'shared'),
    options: `{ ${options.join(', ')} }`,
  };
}

function childOf({ package: name, arguments: args = [], environment = [] }: Child, bins: Bins): string {
  const given = [`./${bins.get(name) ?? ''}`, args, environment].map((each) => JSON.stringify(each));
  return `child(${given.join(', ')})`;
}

const remoteOf = ({ url, headers = {} }: Remote): string =>
  `remote(${JSON.stringify(url)}, upstreamHeaders(${JSON.stringify(headers)}))`;

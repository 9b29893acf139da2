import type { Endpoint } from './generated/endpoint-schema.js';
import { PARTS } from './generated/entry.js';
import { secretLines } from './secrets.js';

/** Names of the files beside the entry in the bundle. */
export const FILES = { policy: 'policy.json', catalog: 'catalog.json', server: 'server.mjs' } as const;

/** Names of generated modules. */
export const MODULES = {
  entry: 'mcp-concerns:entry',
  tasks: 'mcp-concerns:tasks',
  worker: 'mcp-concerns:worker',
} as const;

/** The module that adds the tasks of a server module to its servers. */
export const TASKS_MODULE: string = PARTS.TASKS;

type Server = NonNullable<Endpoint['server']>;
type Child = Extract<Server, { package: string }>;
type Remote = Extract<Server, { url: string }>;
/** The program of each package that is a server, relative to the bundle. */
type Bins = ReadonlyMap<string, string>;

/** @returns a part of a module with its words filled in: by the values, else by parts that have no words themselves */
function filled(part: keyof typeof PARTS, values: Readonly<Record<string, string>>): string {
  const known: Readonly<Record<string, string>> = { ...PARTS, ...values };
  return PARTS[part].replace(/\$([A-Z_]+)/g, (word, name) => known[name] ?? word);
}

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
  const isModule = server !== undefined && 'module' in server;
  const isV2 = isModule && server.sdk === 2;
  return filled('ENTRY', {
    SECRETS: secretLines(secrets),
    CATALOG:
      catalog === 'snapshot' ? `read('${FILES.catalog}', parseExact)` : String(JSON.stringify(catalog)),
    SERVER: server === undefined ? severalServers(servers, bins) : oneServer(server, bins),
    HANDLER: filled(isV2 ? 'HANDLER_OF_V2' : 'HANDLER', {
      UPSTREAM: isModule ? PARTS.UPSTREAM_OF_MODULE : '',
      // The snapshot of a module has the tools of its tasks.
      KNOWN: isModule && catalog === 'snapshot' ? `'static'` : 'catalog',
      PREFERENCES: preferences === undefined ? '' : `, preferences: '${preferences}'`,
      // A module is a server of an SDK, whose schemas refuse numbers that keep their text.
      NUMBERS: isModule ? '' : ', keepsNumbers: true',
      FORWARDS: forwardsHeaders(endpoint) ? ', forwards: true' : '',
    }),
  });
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
  filled('WORKER', { SECRETS: secretLines(secrets), FILE: JSON.stringify(module) });

/** Writes the module that takes only the tasks from a server module, so that the rest of it is not bundled. */
export const exportedTasksOf = (module: string): string =>
  `export { tasks } from ${JSON.stringify(module)};\n`;

function oneServer(server: Server, bins: Bins): string {
  if ('module' in server) {
    const CONTEXT = server.sdk === 2 ? 'context' : '';
    return filled('MODULE', { FILE: JSON.stringify(server.module), CONTEXT });
  }
  if ('package' in server) return filled('PACKAGE', upstreamOf(server.package, server, bins));
  return filled('URL', upstreamOf(new URL(server.url).host, server, bins));
}

function severalServers(servers: NonNullable<Endpoint['servers']>, bins: Bins): string {
  const each = Object.entries(servers).map(([slug, server]) =>
    filled('ONE_OF_SEVERAL', { SLUG: JSON.stringify(slug), ...upstreamOf(slug, server, bins) }),
  );
  return filled('SEVERAL', { EACH: each.join('') });
}

/** @returns how a server is opened, what it is shared between, and when it is given up */
function upstreamOf(name: string, server: Child | Remote, bins: Bins) {
  const { silence = 25, protocol } = server;
  const isolation = 'package' in server ? server.isolation : undefined;
  const forward = 'url' in server ? server.forward : undefined;
  return {
    OPEN: 'package' in server ? childOf(server, bins) : remoteOf(server),
    ISOLATION: JSON.stringify(isolation ?? 'shared'),
    OPTIONS: filled('OPTIONS', {
      NAME: JSON.stringify(name),
      SILENCE_MS: String(silence * 1000),
      PROTOCOL: protocol === undefined ? '' : `, protocol: ${JSON.stringify(protocol)}`,
      FORWARD: forward === undefined ? '' : `, forward: ${JSON.stringify(forward)}`,
    }),
  };
}

function childOf({ package: name, arguments: args = [], environment = [] }: Child, bins: Bins): string {
  const given = [`./${bins.get(name) ?? ''}`, args, environment].map((each) => JSON.stringify(each));
  return `child(${given.join(', ')})`;
}

const remoteOf = ({ url, headers = {} }: Remote): string =>
  `remote(${JSON.stringify(url)}, upstreamHeaders(${JSON.stringify(headers)}))`;

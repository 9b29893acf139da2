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

/**
 * Adds the tasks that the server module exports. It is a module of its own, so that a function loads its code only if there
 * are tasks, and the code that runs them only with the first call about one.
 */
export const TASKS_MODULE: string = `import { createDeployedTasks, withTasks } from 'mcp-concerns/tasks';
let deployed;
export const addTasks = (server, tasks) => withTasks(server, (deployed ??= createDeployedTasks(tasks)));
`;

/**
 * Writes the module that a function starts with. It is the module that you would write by hand with `createFunction`.
 *
 * @param endpoint what the function serves
 * @param bins the program of each package that is a server, relative to the bundle
 * @returns the text of the module
 * @example
 * entryOf({ server: { module: './src/server.js' }, catalog: 'snapshot' });
 */
export function entryOf(
  { server, servers = {}, catalog, secrets, preferences }: Omit<Endpoint, 'policy'>,
  bins: ReadonlyMap<string, string> = new Map(),
): string {
  const kept = preferences === undefined ? '' : `, preferences: '${preferences}'`;
  const isV2 = server !== undefined && 'module' in server && server.sdk === 2;
  const lines = [
    `import { readFileSync } from 'node:fs';`,
    `import { createFunction, createUpstreamLog, LivePolicy, upstreamHeaders } from 'mcp-concerns/lambda';`,
    `import { openCompiledPolicy } from 'mcp-concerns/policy/compiled';`,
    // A static import is loaded while Lambda initializes, which has more CPU than a request.
    ...(isV2 ? [`import { createHandler } from 'mcp-concerns/http/v2';`] : []),
    ...secretLines(secrets),
    `const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));`,
    // The environment may name a policy outside the function, which then replaces this one.
    `const policy = new LivePolicy(openCompiledPolicy(read('${FILES.policy}')));`,
    `const catalog = ${catalog === 'snapshot' ? `read('${FILES.catalog}')` : JSON.stringify(catalog)};`,
    ...(server === undefined ? severalLines(servers, bins) : serverLines(server, bins)),
    ...(isV2
      ? [
          `const make = (store) => createHandler({ policy, server, catalog, store${kept} });`,
          'export const handler = createFunction({ policy, handler: make });',
        ]
      : [
          ...modernLines(server, catalog, kept),
          `export const handler = createFunction({ policy, server, catalog, modern${kept} });`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

type Server = NonNullable<Endpoint['server']>;
type Servers = NonNullable<Endpoint['servers']>;
type Child = Extract<Server, { package: string }>;
type Remote = Extract<Server, { url: string }>;

/**
 * Writes the module that the function of the tasks starts with.
 *
 * @param module the server module, for messages
 * @param secrets the secrets of the endpoint, which tasks can use too
 * @returns the text of the module
 */
export function workerEntryOf(module: string, secrets: Endpoint['secrets']): string {
  const lines = [
    `import { readExportedTasks } from 'mcp-concerns/tasks';`,
    `import { createDynamoRecords } from 'mcp-concerns/tasks/dynamodb';`,
    `import { createTaskWorker } from 'mcp-concerns/tasks/durable';`,
    ...secretLines(secrets),
    // After the secrets, because the module may read them.
    `const { tasks } = await import('${MODULES.tasks}');`,
    `const records = createDynamoRecords({ table: process.env.MCP_CONCERNS_TASKS_TABLE ?? '' });`,
    `const definitions = readExportedTasks(tasks, ${JSON.stringify(module)});`,
    `export const handler = createTaskWorker({ definitions, records });`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Writes the module that takes only the tasks from a server module, so that the rest of it is not bundled. */
export const exportedTasksOf = (module: string): string =>
  `export { tasks } from ${JSON.stringify(module)};\n`;

function serverLines(server: Server, bins: ReadonlyMap<string, string>): string[] {
  if (!('module' in server)) {
    return [...('package' in server ? childLines(server, bins) : remoteLines(server)), SERVER_BEHIND];
  }
  return [
    // The first request that needs the server imports it. Lists from a snapshot do not need it.
    `const load = async () => {`,
    `  const { default: byDefault, createServer = byDefault, tasks } = await import(${JSON.stringify(server.module)});`,
    `  return { createServer, tasks };`,
    `};`,
    `const server = async (${server.sdk === 2 ? 'context' : ''}) => {`,
    `  const { createServer, tasks } = await load();`,
    `  const made = await createServer(${server.sdk === 2 ? 'context' : ''});`,
    `  return tasks === undefined ? made : (await import('${MODULES.tasks}')).addTasks(made, tasks);`,
    `};`,
  ];
}

const SERVER_BEHIND = `const server = (request, given) => upstream.make({ era: 'legacy', requestInfo: request, authInfo: given?.authInfo });`;

/**
 * Writes how hosts of 2026-07-28 are served. They need SDK v2, which would double the time that the import of the function
 * takes: the first of them imports it.
 *
 * Tasks of the legacy era are not translated, so these hosts get a module of SDK v1 without them: not from its snapshot,
 * which has their tools.
 */
function modernLines(server: Server | undefined, catalog: Endpoint['catalog'], kept: string): string[] {
  const isModule = server !== undefined && 'module' in server;
  const known = isModule && catalog === 'snapshot' ? `'static'` : 'catalog';
  return [
    `const modern = async (store) => {`,
    `  const { createHandler } = await import('mcp-concerns/http/v2');`,
    ...(isModule
      ? [
          `  const { inProcessTransport, isolateUpstream } = await import('mcp-concerns/upstream');`,
          `  const open = () => inProcessTransport(async () => (await load()).createServer());`,
          `  const upstream = isolateUpstream(open, 'per-request');`,
        ]
      : []),
    `  return createHandler({ policy, server: (context) => upstream.make(context), catalog: ${known}, store${kept} });`,
    `};`,
  ];
}

/** The process gets the usual variables and those that are named, but no others: the function's include credentials. */
const CHILD = [
  `import { fileURLToPath } from 'node:url';`,
  `const child = (bin, args, names) => {`,
  `  const env = Object.fromEntries(['PATH', 'LANG', 'TZ', ...names].map((name) => [name, process.env[name]]));`,
  `  const program = fileURLToPath(new URL(bin, import.meta.url));`,
  `  return () => new ChildTransport(process.execPath, [program, ...args], { HOME: '/tmp', TMPDIR: '/tmp', ...env });`,
  `};`,
];

function childOf(
  { package: name, arguments: args = [], environment = [] }: Child,
  bins: ReadonlyMap<string, string>,
): string {
  const given = [`./${bins.get(name) ?? ''}`, args, environment].map((each) => JSON.stringify(each));
  return `child(${given.join(', ')})`;
}

function childLines(server: Child, bins: ReadonlyMap<string, string>): string[] {
  const { package: name, isolation = 'shared' } = server;
  return [
    `import { ChildTransport, isolateUpstream } from 'mcp-concerns/upstream';`,
    ...CHILD,
    `const upstream = isolateUpstream(${childOf(server, bins)}, ${JSON.stringify(isolation)}, ${recovery(name, server)});`,
  ];
}

/** Several servers, each with its own headers, process and limits. */
function severalLines(servers: Servers, bins: ReadonlyMap<string, string>): string[] {
  const each = Object.entries(servers).map(([slug, server]) => {
    const isolation = 'package' in server ? server.isolation : undefined;
    const open = 'package' in server ? childOf(server, bins) : remoteOf(server);
    return `  ${JSON.stringify(slug)}: { open: ${open}, isolation: ${JSON.stringify(isolation ?? 'shared')}, options: ${recovery(slug, server)} },`;
  });
  return [
    `import { ChildTransport, isolateSeveral, remoteTransport } from 'mcp-concerns/upstream';`,
    ...CHILD,
    REMOTE,
    `const upstream = isolateSeveral({`,
    ...each,
    `});`,
    SERVER_BEHIND,
  ];
}

/** Lambda ends a request after the timeout of the function. A server that is silent for as long is of no use. */
function recovery(name: string, { silence = 25, protocol }: Pick<Remote, 'silence' | 'protocol'>): string {
  const era = protocol === undefined ? '' : `, protocol: ${JSON.stringify(protocol)}`;
  return `{ name: ${JSON.stringify(name)}, startMs: 20000, silenceMs: ${silence * 1000}${era}, report: createUpstreamLog() }`;
}

const REMOTE = `const remote = (url, headers) => () => remoteTransport(url, headers);`;

const remoteOf = ({ url, headers = {} }: Remote): string =>
  `remote(${JSON.stringify(url)}, upstreamHeaders(${JSON.stringify(headers)}))`;

const remoteLines = (server: Remote): string[] => [
  `import { remoteTransport, shareUpstream } from 'mcp-concerns/upstream';`,
  REMOTE,
  `const upstream = shareUpstream(${remoteOf(server)}, ${recovery(new URL(server.url).host, server)});`,
];

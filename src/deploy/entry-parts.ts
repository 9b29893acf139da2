/*
 * The modules that functions start with, in parts: what you would write by hand with `createFunction`. What is given to a part is
 * code: an expression, or the lines of another part.
 */

/** The module that a function starts with. The environment may name a policy outside the function, which then replaces the one that is read. */
export const entryModule = (secrets: string, catalog: string, server: string, handler: string): string => `\
import { readFileSync } from 'node:fs';
import { createFunction, createUpstreamLog, LivePolicy, parseExact, serverOfModule, upstreamHeaders } from 'mcp-concerns/lambda';
import { openCompiledPolicy } from 'mcp-concerns/policy/compiled';
${secrets}
const read = (name, parse = JSON.parse) => parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const policy = new LivePolicy(openCompiledPolicy(read('policy.json')));
const catalog = ${catalog};
${server}
${handler}
`;

/** A static import is loaded while Lambda initializes, which has more CPU than a request. */
export const handlerOfV2 = (preferences: string): string => `\
import { createHandler } from 'mcp-concerns/http/v2';
const make = (store) => createHandler({ policy, server, catalog, store${preferences} });
export const handler = createFunction({ policy, handler: make });
`;

/** What the handler of SDK v1 differs in. Options of a call begin with a comma. */
interface HandlerParts {
  /** The lines that make `upstream`, if the server does not. */
  readonly upstream: string;
  /** The catalog of hosts of 2026-07-28. */
  readonly known: string;
  readonly preferences: string;
  readonly numbers: string;
  readonly forwards: string;
}

/** Hosts of 2026-07-28 need SDK v2, which would double the time that the import of the function takes: the first of them imports it. */
export const handlerOfV1 = ({ upstream, known, preferences, numbers, forwards }: HandlerParts): string => `\
const modern = async (store) => {
  const { createHandler } = await import('mcp-concerns/http/v2');
  ${upstream}
  return createHandler({ policy, server: (context) => upstream.make(context), catalog: ${known}, store${preferences}${numbers} });
};
export const handler = createFunction({ policy, server, catalog, modern${preferences}${numbers}${forwards} });
`;

/** Tasks of the legacy era are not translated, so modern hosts get the module without them. */
export const UPSTREAM_OF_MODULE = `\
const { inProcessTransport, isolateUpstream } = await import('mcp-concerns/upstream');
const open = () => inProcessTransport(async () => (await load()).createServer());
const upstream = isolateUpstream(open, 'per-request');
`;

/** The first request that needs the server imports it. Lists from a snapshot do not need it. */
export const moduleServer = (file: string, context: string): string => `\
const load = async () => serverOfModule(await import(${file}), 'server.mjs');
const server = async (${context}) => {
  const { createServer, tasks } = await load();
  const made = await createServer(${context});
  return tasks === undefined ? made : (await import('mcp-concerns:tasks')).addTasks(made, tasks);
};
`;

/** How a server is opened, what it is shared between, and when it is given up: expressions. */
export interface UpstreamParts {
  readonly open: string;
  readonly isolation: string;
  readonly options: string;
}

/** The process gets the usual variables and those that are named, but no others: the function's include credentials. */
const CHILD = `\
import { fileURLToPath } from 'node:url';
const child = (bin, args, names) => {
  const env = Object.fromEntries(['PATH', 'LANG', 'TZ', ...names].map((name) => [name, process.env[name]]));
  const program = fileURLToPath(new URL(bin, import.meta.url));
  return () => new ChildTransport(process.execPath, [program, ...args], { HOME: '/tmp', TMPDIR: '/tmp', ...env });
};
`;

const REMOTE = `\
const remote = (url, headers) => () => remoteTransport(url, headers);
`;

const SERVER_BEHIND = `\
const server = (request, given) => upstream.make({ era: 'legacy', requestInfo: request, authInfo: given?.authInfo });
`;

export const packageServer = ({ open, isolation, options }: UpstreamParts): string => `\
import { ChildTransport, isolateUpstream } from 'mcp-concerns/upstream';
${CHILD}
const upstream = isolateUpstream(${open}, ${isolation}, ${options});
${SERVER_BEHIND}
`;

export const urlServer = ({ open, options }: UpstreamParts): string => `\
import { remoteTransport, shareUpstream } from 'mcp-concerns/upstream';
${REMOTE}
const upstream = shareUpstream(${open}, ${options});
${SERVER_BEHIND}
`;

/** Several servers by their names, each with its own headers, process and limits. */
export const severalServers = (servers: ReadonlyMap<string, UpstreamParts>): string => `\
import { ChildTransport, isolateSeveral, remoteTransport } from 'mcp-concerns/upstream';
${CHILD}
${REMOTE}
const upstream = isolateSeveral({
  ${[...servers].map(([slug, each]) => oneOfSeveral(JSON.stringify(slug), each)).join('')}
});
${SERVER_BEHIND}
`;

const oneOfSeveral = (slug: string, { open, isolation, options }: UpstreamParts): string => `\
${slug}: { open: ${open}, isolation: ${isolation}, options: ${options} },
`;

/** The module that the function of the tasks starts with. The module of the tasks may read the secrets. */
export const workerModule = (secrets: string, file: string): string => `\
import { readExportedTasks } from 'mcp-concerns/tasks';
import { createDynamoRecords } from 'mcp-concerns/tasks/dynamodb';
import { createTaskWorker } from 'mcp-concerns/tasks/durable';
${secrets}
const { tasks } = await import('mcp-concerns:tasks');
const records = createDynamoRecords({ table: process.env.MCP_CONCERNS_TASKS_TABLE ?? '' });
const definitions = readExportedTasks(tasks, ${file});
export const handler = createTaskWorker({ definitions, records });
`;

/**
 * The tasks that a module exports are a module of their own, so that a function loads its code only if there are tasks, and the
 * code that runs them only with the first call about one.
 */
export const TASKS_MODULE = `\
import { createDeployedTasks, withTasks } from 'mcp-concerns/tasks';
let deployed;
export const addTasks = (server, tasks) => withTasks(server, (deployed ??= createDeployedTasks(tasks)));
`;

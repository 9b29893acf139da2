/** Serves a module that makes servers of SDK v1. */
import {
  createFunction,
  type ServerFunctionOptions,
  type StreamingHandler,
  serverOfModule,
} from 'mcp-concerns/lambda';
import { catalog, policy } from './read-files.js';
import { FILES, type ModuleValues } from './values.js';

declare const MCP_CONCERNS_FUNCTION: ModuleValues;

/** The first request that needs the server imports it. Lists from a snapshot do not need it. */
const load = async () =>
  serverOfModule<ServerFunctionOptions['server']>(await import(MCP_CONCERNS_FUNCTION.module), FILES.server);

const server: ServerFunctionOptions['server'] = async () => {
  const { createServer, tasks } = await load();
  const made = await createServer();
  return tasks === undefined ? made : (await import('./add-tasks.js')).addTasks(made, tasks);
};

/**
 * Hosts of 2026-07-28 need SDK v2, which would double the time that the import of the function takes: the first of them imports it.
 * Tasks of the legacy era are not translated, so these hosts get the module without them.
 */
const modern: ServerFunctionOptions['modern'] = async (store) => {
  const { createHandler } = await import('mcp-concerns/http/v2');
  const { inProcessTransport, isolateUpstream } = await import('mcp-concerns/upstream');
  const open = () => inProcessTransport(async () => (await load()).createServer());
  const upstream = isolateUpstream(open, 'per-request');
  return createHandler({
    policy,
    server: (context) => upstream.make(context),
    // A snapshot of the module has the tools of its tasks.
    catalog: MCP_CONCERNS_FUNCTION.catalog === 'snapshot' ? 'static' : catalog,
    store,
    preferences: MCP_CONCERNS_FUNCTION.preferences,
  });
};

export const handler: StreamingHandler = createFunction({
  policy,
  server,
  catalog,
  modern,
  preferences: MCP_CONCERNS_FUNCTION.preferences,
});

/** Serves a module that makes servers of SDK v2. A static import is loaded while Lambda initializes, which has more CPU than a request. */
import { createHandler, type HandlerOptions } from 'mcp-concerns/http/v2';
import { createFunction, type StreamingHandler, serverOfModule } from 'mcp-concerns/lambda';
import { catalog, policy } from './read-files.js';
import { FILES, type ModuleValues } from './values.js';

declare const MCP_CONCERNS_FUNCTION: ModuleValues;

/** The first request that needs the server imports it. Lists from a snapshot do not need it. */
const server: HandlerOptions['server'] = async (context) => {
  const module: unknown = await import(MCP_CONCERNS_FUNCTION.module);
  const { createServer, tasks } = serverOfModule<HandlerOptions['server']>(module, FILES.server);
  const made = await createServer(context);
  return tasks === undefined ? made : (await import('./add-tasks.js')).addTasks(made, tasks);
};

export const handler: StreamingHandler = createFunction({
  policy,
  handler: (store) =>
    createHandler({ policy, server, catalog, store, preferences: MCP_CONCERNS_FUNCTION.preferences }),
});

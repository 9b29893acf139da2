import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { TaskDefinitionError } from '../author/errors.js';
import type { Tasks } from '../port/tasks.js';
import { TaskTransport } from './task-transport.js';

/**
 * Adds tasks to a server of SDK v1 or v2: their tools to its lists, and the answers to all messages about them, in both
 * eras of the protocol. Call it before the server connects; `attachConcerns` can follow.
 *
 * @param server a `Server` or `McpServer` that is not connected yet
 * @param tasks the tasks, from `createTasks`. All servers of an endpoint share them.
 * @returns the same server
 * @throws {TaskDefinitionError} if `server` has no `connect` method
 * @example
 * const tasks = createTasks({ definitions });
 * export const createServer = () => withTasks(new McpServer({ name: 'reports', version: '1.0.0' }), tasks);
 */
export function withTasks<Server extends object>(server: Server, tasks: Tasks): Server {
  // McpServer.connect calls the connect method of the Server that it contains.
  const inner: unknown = 'server' in server ? server.server : server;
  if (!isConnectable(inner)) {
    throw new TaskDefinitionError(
      'The value passed to withTasks has no connect method. Pass a Server or McpServer of an MCP SDK.',
    );
  }
  const connect = inner.connect.bind(inner);
  inner.connect = (transport) => connect(new TaskTransport(transport, tasks));
  return server;
}

interface Connectable {
  connect(transport: Transport): Promise<void>;
}

function isConnectable(value: unknown): value is Connectable {
  return (
    typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
  );
}

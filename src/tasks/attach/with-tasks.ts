import { AnsweringTransport } from '../../core/wire/answering-transport.js';
import { addLayer, isSdkServer } from '../../core/wire/transport-layer.js';
import { TaskDefinitionError } from '../author/errors.js';
import type { Tasks } from '../port/tasks.js';
import { answerCalls } from './answer-calls.js';

const NOT_A_SERVER =
  'The value passed to withTasks is not a Server or McpServer of an MCP SDK. If a framework makes the server, pass the server inside it.';

/**
 * Adds tasks to a server of SDK v1 or v2: their tools to its lists, and the answers to all messages about them, in both
 * eras of the protocol. Call it before the server connects, before or after `attachConcerns`.
 *
 * @param server a `Server` or `McpServer` that is not connected yet
 * @param tasks the tasks, from `createTasks`. All servers of an endpoint share them.
 * @returns the same server
 * @throws {TaskDefinitionError} if `server` is not a server of an SDK
 * @example
 * const tasks = createTasks({ definitions });
 * export const createServer = () => withTasks(new McpServer({ name: 'reports', version: '1.0.0' }), tasks);
 */
export function withTasks<Server extends object>(server: Server, tasks: Tasks): Server {
  if (!isSdkServer(server)) throw new TaskDefinitionError(NOT_A_SERVER);
  return addTasks(server, tasks);
}

/** Does the same as `withTasks`, also for a server that stands for one behind the endpoint. */
export function addTasks<Server extends object>(server: Server, tasks: Tasks): Server {
  const answerer = answerCalls(tasks, () => hasTasks(server));
  const isAdded = addLayer(server, 'tasks', (transport) => new AnsweringTransport(transport, answerer));
  if (!isAdded) throw new TaskDefinitionError(NOT_A_SERVER);
  return server;
}

/** Whether a server of either SDK answers requests about tasks of its own: then it has a handler for them. */
function hasTasks(server: object): boolean {
  const own: unknown = 'server' in server ? server.server : server;
  if (!(own instanceof Object) || !('assertCanSetRequestHandler' in own)) return true;
  if ('fallbackRequestHandler' in own && own.fallbackRequestHandler !== undefined) return true;
  const { assertCanSetRequestHandler: assert } = own;
  try {
    if (typeof assert === 'function') assert.call(own, 'tasks/get');
    return false;
  } catch {
    return true;
  }
}

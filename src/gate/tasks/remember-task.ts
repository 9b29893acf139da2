import { ownerOf, type TaskCaller } from '../../session/task-owner.js';
import { ACCESS_METHODS, type Answer, type Failure, read } from '../../wire/messages.js';
import type { Exchange } from '../request/exchange.js';
import { storeWarning } from '../request/report.js';
import { callerOf } from './task-owner.js';

/**
 * Remembers who created a task and by which tool, from the answer to the tool call. A task itself names neither.
 *
 * @param exchange the request
 * @param message the answer
 * @returns the answer; a promise if the store must be waited for. Until then the client must not learn the id of the task.
 */
export function rememberTask(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  const { method, params } = exchange.request;
  if ('error' in message || method !== ACCESS_METHODS.call) return message;
  const taskId = taskIdOf(exchange, message.result);
  const tool = read(params, 'name');
  if (taskId === undefined || typeof tool !== 'string') return message;

  const remember = (caller: TaskCaller): Answer | Promise<Answer> => {
    const owner = ownerOf(caller, taskId);
    const stored = exchange.connection.tasks.set(taskId, { tool, owner });
    return stored instanceof Promise ? stored.then(() => message, failed('written')) : message;
  };
  const failed =
    (operation: 'read' | 'written') =>
    (cause: unknown): Answer => {
      exchange.report({ warnings: [storeWarning(operation, cause)] });
      return message;
    };
  const caller = callerOf(exchange);
  if (!(caller instanceof Promise)) return remember(caller);
  return caller.then(remember, (cause) => {
    // Nothing tells whose session it is, but the client gets the id, and must be able to use it.
    const told = failed('read')(cause);
    const stored = exchange.connection.tasks.set(taskId, { tool, owner: ownerOf({}, taskId) });
    return stored instanceof Promise ? stored.then(() => told, failed('written')) : told;
  });
}

/** Protocol version 2025-11-25 has the task in a member, the Tasks extension of 2026-07-28 is the task itself. */
function taskIdOf({ request }: Exchange, result: Record<string, unknown>): string | undefined {
  const nested = request.params?.task === undefined ? undefined : read(result, 'task', 'taskId');
  const id = nested ?? (result.resultType === 'task' ? read(result, 'taskId') : undefined);
  return typeof id === 'string' ? id : undefined;
}

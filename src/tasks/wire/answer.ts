import type { TaskCaller } from '../../core/session/task-owner.js';
import type { Call } from '../../core/wire/calls.js';
import { ERRORS, type Failure, refusal } from '../../core/wire/messages.js';
import type { Tasks } from '../port/tasks.js';

/** A call about tasks, whose caller is known. */
export interface TaskCall extends Call {
  readonly tasks: Tasks;
  readonly caller: TaskCaller;
}

/** Who sent a message about which tasks, and which tools it is shown. */
export type TaskSender = Pick<TaskCall, 'tasks' | 'caller' | 'shows'>;

export const invalidParams = (message: string): Pick<Failure, 'error'> =>
  refusal(ERRORS.invalidParams, message);

/** The same for tasks that do not exist, have expired, belong to somebody else, or whose tool is hidden. */
export const NOT_FOUND: Pick<Failure, 'error'> = invalidParams('Failed to retrieve task: Task not found');

export const METHOD_NOT_FOUND: Pick<Failure, 'error'> = refusal(ERRORS.methodNotFound, 'Method not found');

/** The answer to a call that asks for a task, of a tool that is none. */
export const notATask = (tool: string): Pick<Failure, 'error'> =>
  refusal(ERRORS.methodNotFound, `Tool ${tool} cannot be called as a task. Call it without params.task.`);

import type { TaskCaller } from '../../session/task-owner.js';
import { ERRORS, read } from '../../wire/messages.js';
import type { Tasks } from '../port/tasks.js';
import { METHOD_NOT_FOUND, NOT_FOUND, refusal, result, type WireAnswer } from './answer.js';
import { modernTask } from './describe.js';
import { missingCapability, supportsTasks } from './start.js';

/** A request about a task. */
export interface TaskRequest {
  readonly caller: TaskCaller;
  readonly method: string;
  readonly params: unknown;
  /** Whether the policy shows a tool to this client. A task of a hidden tool is not found. */
  readonly shows: (tool: string) => boolean | Promise<boolean>;
}

/**
 * Answers a request of the Tasks extension (SEP-2663): `tasks/get`, `tasks/update` and `tasks/cancel`.
 *
 * @param tasks the tasks
 * @param request the request, with the capabilities that it declares
 */
export async function answerModern(
  tasks: Tasks,
  request: TaskRequest & { readonly capabilities: unknown },
): Promise<WireAnswer> {
  const { caller, method, params, shows, capabilities } = request;
  if (!supportsTasks(capabilities)) return missingCapability();
  if (method !== 'tasks/get' && method !== 'tasks/update' && method !== 'tasks/cancel') {
    return METHOD_NOT_FOUND;
  }
  const id = read(params, 'taskId');
  const record = await tasks.read(caller, id);
  if (record === undefined || !(await shows(record.tool))) return NOT_FOUND;
  if (method === 'tasks/get') return result({ resultType: 'complete', ...modernTask(record, Date.now()) });
  if (method === 'tasks/cancel') {
    // Cancelling a task that has ended does not fail.
    await tasks.cancel(caller, id);
    return result({ resultType: 'complete' });
  }
  const responses = read(params, 'inputResponses');
  if (typeof responses !== 'object' || responses === null || Array.isArray(responses)) {
    return refusal(ERRORS.invalidParams, 'params.inputResponses must be an object: an answer for each key.');
  }
  const outcome = await tasks.answer(caller, id, Object.fromEntries(Object.entries(responses)));
  const large = outcome?.ignored.find(({ reason }) => reason === 'too-large');
  if (large !== undefined) {
    return refusal(ERRORS.invalidParams, `The answer to ${JSON.stringify(large.key)} has more than 256 KB.`);
  }
  return result({ resultType: 'complete' });
}

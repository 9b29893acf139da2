import { ERRORS, type RequestId, read } from '../../wire/messages.js';
import type { Tasks } from '../port/tasks.js';
import type { TaskRecord } from '../records/record.js';
import { METHOD_NOT_FOUND, NOT_FOUND, refusal, result, type WireAnswer, type WireMessage } from './answer.js';
import { legacyStatus, legacyTask, RELATED_TASK } from './describe.js';
import type { TaskRequest } from './modern.js';
import { pollInterval } from './poll.js';
import { questionsToSend } from './questions.js';

/** A request of protocol 2025-11-25 about a task. */
export interface LegacyTaskRequest extends TaskRequest {
  readonly id: RequestId;
}

/** After how many poll intervals a client that only polls is asked on the answer to its poll. */
const POLLS_BEFORE_ASKING = 2;

/**
 * Answers `tasks/get`, `tasks/result` and `tasks/cancel` of protocol 2025-11-25. `tasks/list` is in `list.ts`.
 *
 * @param tasks the tasks
 * @param request the request
 */
export async function answerLegacy(tasks: Tasks, request: LegacyTaskRequest): Promise<WireAnswer> {
  const { caller, method, params, shows, id } = request;
  const taskId = read(params, 'taskId');
  if (method !== 'tasks/get' && method !== 'tasks/result' && method !== 'tasks/cancel')
    return METHOD_NOT_FOUND;
  const record = await tasks.read(caller, taskId);
  if (record === undefined || !(await shows(record.tool))) return NOT_FOUND;
  if (method === 'tasks/result') return resultOrRetry(tasks, record, id);
  if (method === 'tasks/get') {
    const task = legacyTask(record, Date.now());
    // Some clients never call tasks/result before the end. Without this, their tasks would wait for ever.
    const interval = POLLS_BEFORE_ASKING * pollInterval(record, Date.now());
    const questions = record.status === 'open' ? await questionsToSend(tasks, record, interval) : [];
    if (questions.length === 0) return result(task);
    return { kind: 'stream', messages: [...questions, { jsonrpc: '2.0', id, result: task }] };
  }
  const outcome = await tasks.cancel(caller, taskId);
  if (outcome === undefined) return NOT_FOUND;
  if (outcome.cancelled) return result(legacyTask(outcome.record, Date.now()));
  const status = legacyStatus(outcome.record);
  return refusal(ERRORS.invalidParams, `Cannot cancel task: already in terminal status '${status}'`);
}

/**
 * Answers `tasks/result` without holding a function: questions, and the result if it is there. Otherwise the stream ends,
 * and the client comes back with the id of its event (MCP 2025-11-25, "Transports: Resumability", SEP-1699).
 */
async function resultOrRetry(tasks: Tasks, record: TaskRecord, id: RequestId): Promise<WireAnswer> {
  const retryMs = pollInterval(record, Date.now());
  if (record.status === 'open') {
    return { kind: 'stream', retryMs, messages: await questionsToSend(tasks, record) };
  }
  const response = responseOf(record, id);
  // A client that has received a result does not come back. After an error, some clients would, without end.
  if ('error' in response) return { kind: 'stream', messages: [response] };
  return { kind: 'stream', retryMs, messages: [response] };
}

/** The response to `tasks/result` of a task that has ended: what the tool call would have been answered. */
function responseOf({ id: taskId, end }: TaskRecord, id: RequestId): WireMessage {
  const jsonrpc = '2.0';
  if (end !== undefined && 'result' in end) {
    const _meta = { ...Object(end.result._meta), [RELATED_TASK]: { taskId } };
    return { jsonrpc, id, result: { ...end.result, _meta } };
  }
  if (end !== undefined && 'error' in end) return { jsonrpc, id, error: end.error };
  return { jsonrpc, id, error: { code: ERRORS.invalidParams, message: 'The task was cancelled.' } };
}

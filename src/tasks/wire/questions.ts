import {
  type Answer,
  type Failure,
  RELATED_TASK_META,
  type Request,
  read,
} from '../../core/wire/messages.js';
import type { Tasks } from '../port/tasks.js';
import type { TaskRecord } from '../records/record.js';
import type { TaskSender } from './answer.js';

/** The id of a question to a legacy client has everything that its answer needs, so no process has to remember it. */
const QUESTION_ID = /^ask:([0-9a-f]{44}):([\w.-]{1,64})$/;

/** A question that was sent this long ago without an answer was lost with its stream. */
const LOST_MS = 60_000;

/** Whether a JSON-RPC id is that of a question of a task. */
export function isQuestionId(id: unknown): id is string {
  return typeof id === 'string' && QUESTION_ID.test(id);
}

/**
 * Returns the open questions of a task as requests for a legacy client, and marks them as sent. A question is sent by one
 * process only, and again only after its stream was lost.
 *
 * @param tasks the tasks
 * @param record the task
 * @param olderThanMs only questions that were asked this long ago
 */
export async function questionsToSend(
  tasks: Tasks,
  record: TaskRecord,
  olderThanMs = 0,
): Promise<readonly Request[]> {
  if (record.status !== 'open') return [];
  const now = Date.now();
  const messages: Request[] = [];
  for (const [key, { request, askedAt, sent }] of Object.entries(record.inputs)) {
    if (now - askedAt < olderThanMs || (sent !== undefined && now - sent.at < LOST_MS)) continue;
    if (!(await tasks.markSent(record, key))) continue;
    const params = typeof request.params === 'object' ? request.params : {};
    const _meta = { ...Object(read(params, '_meta')), [RELATED_TASK_META]: { taskId: record.id } };
    messages.push({
      jsonrpc: '2.0',
      id: `ask:${record.id}:${key}`,
      method: request.method,
      params: { ...params, _meta },
    });
  }
  return messages;
}

/**
 * Takes a client's response to a question.
 *
 * @param sender who responds, and which tools it is shown: the task of another tool does not learn of the response
 * @param response the JSON-RPC response, with a result or an error
 * @returns whether the response belongs to a question, answered or not
 */
export async function takeResponse(sender: TaskSender, response: Answer | Failure): Promise<boolean> {
  const { tasks, caller, shows } = sender;
  const [, taskId, key] = (isQuestionId(response.id) && QUESTION_ID.exec(response.id)) || [];
  if (taskId === undefined || key === undefined) return false;
  const record = await tasks.read(caller, taskId);
  if (record === undefined || !(await shows(record.tool))) return true;
  if ('result' in response) {
    await tasks.answer(caller, taskId, { [key]: response.result });
  } else {
    const message = read(response.error, 'message');
    await tasks.refuse(caller, taskId, key, typeof message === 'string' ? message : 'no reason given');
  }
  return true;
}

import type { CallAnswer } from '../../core/wire/calls.js';
import { type Era, RELATED_TASK_META, read } from '../../core/wire/messages.js';
import { MISSING_EXTENSION, supportsTasks } from '../../core/wire/task-streams.js';
import { sleep } from '../execution/replay.js';
import type { TaskRecord } from '../records/record.js';
import { invalidParams, METHOD_NOT_FOUND, NOT_FOUND, type TaskCall } from './answer.js';
import { legacyStatus, legacyTask, modernTask } from './describe.js';
import { pollInterval } from './poll.js';
import { questionsToSend } from './questions.js';

/** Answers a request about a task that its sender sees; without an answer if the sender comes back for it, or has left. */
type AnswerAbout = (record: TaskRecord, call: TaskCall) => Promise<CallAnswer | undefined>;

/** The methods of the Tasks extension (SEP-2663) and of protocol 2025-11-25. */
const ANSWERS: Readonly<Record<`${Era} ${string}`, AnswerAbout>> = {
  'modern tasks/get': getModern,
  'modern tasks/update': update,
  'modern tasks/cancel': cancelModern,
  'legacy tasks/get': getLegacy,
  'legacy tasks/result': resultOrRetry,
  'legacy tasks/cancel': cancelLegacy,
};

/**
 * Answers a request about one task. `tasks/list` is in `list.ts`.
 *
 * @param call the request
 */
export async function answerAboutTask(call: TaskCall): Promise<CallAnswer | undefined> {
  if (call.era === 'modern' && !supportsTasks(call.capabilities)) return MISSING_EXTENSION;
  const answer = ANSWERS[`${call.era} ${call.method}`];
  if (answer === undefined) return METHOD_NOT_FOUND;
  const record = await visibleTask(call);
  return record === undefined ? NOT_FOUND : answer(record, call);
}

/** Returns the task of a request, if it is the sender's and its tool is shown. */
async function visibleTask({ tasks, caller, params, shows }: TaskCall): Promise<TaskRecord | undefined> {
  const record = await tasks.read(caller, read(params, 'taskId'));
  return record !== undefined && (await shows(record.tool)) ? record : undefined;
}

async function getModern(record: TaskRecord): Promise<CallAnswer> {
  return { result: { resultType: 'complete', ...modernTask(record, Date.now()) } };
}

/** Cancels a task. If it has ended, that does not fail. */
async function cancelModern({ id }: TaskRecord, { tasks, caller }: TaskCall): Promise<CallAnswer> {
  await tasks.cancel(caller, id);
  return { result: { resultType: 'complete' } };
}

async function update({ id }: TaskRecord, { tasks, caller, params }: TaskCall): Promise<CallAnswer> {
  const responses = read(params, 'inputResponses');
  if (typeof responses !== 'object' || responses === null || Array.isArray(responses)) {
    return invalidParams('params.inputResponses must be an object: an answer for each key.');
  }
  const outcome = await tasks.answer(caller, id, Object.fromEntries(Object.entries(responses)));
  const large = outcome?.ignored.find(({ reason }) => reason === 'too-large');
  return large === undefined
    ? { result: { resultType: 'complete' } }
    : invalidParams(`The answer to ${JSON.stringify(large.key)} has more than 256 KB.`);
}

/** After how many poll intervals a client that only polls is asked on the answer to its poll. */
const POLLS_BEFORE_ASKING = 2;

async function getLegacy(record: TaskRecord, call: TaskCall): Promise<CallAnswer> {
  const result = legacyTask(record, Date.now());
  // Some clients never call tasks/result before the end. Without this, their tasks would wait for ever. One that declared what it
  // can answer is asked at once.
  const isDeclared = record.answers !== undefined;
  const interval = isDeclared ? 0 : POLLS_BEFORE_ASKING * pollInterval(record, Date.now());
  for (const question of await questionsToSend(call.tasks, record, interval)) await call.send(question);
  return { result };
}

async function cancelLegacy({ id }: TaskRecord, { tasks, caller }: TaskCall): Promise<CallAnswer> {
  const outcome = await tasks.cancel(caller, id);
  if (outcome === undefined) return NOT_FOUND;
  if (outcome.cancelled) return { result: legacyTask(outcome.record, Date.now()) };
  return invalidParams(`Cannot cancel task: already in terminal status '${legacyStatus(outcome.record)}'`);
}

/** How often a pending `tasks/result` looks at its task, in milliseconds. */
const LOOK = { first: 50, most: 1000 };

/**
 * Answers `tasks/result` without holding a function: questions, and the result if it is there. Otherwise the stream ends,
 * and the client comes back with the id of its event (MCP 2025-11-25, "Transports: Resumability", SEP-1699). For a client
 * that cannot come back, it waits for the end of the task.
 */
async function resultOrRetry(first: TaskRecord, call: TaskCall): Promise<CallAnswer | undefined> {
  const questions = await questionsToSend(call.tasks, first);
  const answer = resultOf(first);
  // A client that has received a result does not come back. After an error, some clients would, without end.
  const isError = answer !== undefined && 'error' in answer;
  const end = isError ? undefined : call.comeBack(pollInterval(first, Date.now()));
  for (const question of questions) await call.send(question);
  if (answer !== undefined) return answer;
  if (end !== undefined) return void end();
  for (let pause = LOOK.first; ; pause = Math.min(LOOK.most, pause * 1.5)) {
    await sleep(pause);
    const record = call.signal.aborted ? undefined : await visibleTask(call);
    if (call.signal.aborted) return undefined;
    if (record === undefined) return NOT_FOUND;
    for (const question of await questionsToSend(call.tasks, record)) await call.send(question);
    const later = resultOf(record);
    if (later !== undefined) return later;
  }
}

/** The answer to `tasks/result` of a task that has ended: what the tool call would have been answered. */
function resultOf({ id: taskId, status, end }: TaskRecord): CallAnswer | undefined {
  if (status === 'open') return undefined;
  if (end !== undefined && 'result' in end) {
    const _meta = { ...Object(end.result._meta), [RELATED_TASK_META]: { taskId } };
    return { result: { ...end.result, _meta } };
  }
  if (end !== undefined && 'error' in end) return { error: end.error };
  return invalidParams('The task was cancelled.');
}

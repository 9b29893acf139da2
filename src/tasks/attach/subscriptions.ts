import type { CallAnswer } from '../../core/wire/calls.js';
import { METHODS, type Notification, SUBSCRIPTION_META } from '../../core/wire/messages.js';
import { askedTasks, TASK_CHANGED } from '../../core/wire/task-streams.js';
import { sleep } from '../execution/replay.js';
import { isTaskId } from '../records/owner.js';
import { stateOf, type TaskRecord } from '../records/record.js';
import type { TaskCall, TaskSender } from '../wire/answer.js';
import { legacyTask, modernTask } from '../wire/describe.js';
import { pollInterval } from '../wire/poll.js';

/** How soon a task is read again after a change, in milliseconds. Then the pauses grow to its poll interval. */
const SOON_MS = 50;

/** Who learns of a task, until when. While the policy hides the tool, the client learns nothing. */
interface Subscriber extends TaskSender {
  readonly signal: AbortSignal;
  readonly tell: (record: TaskRecord) => Promise<void>;
}

/** Tells the client of a lasting connection of a task that it created ("Tasks: Task Status Notification"). */
export async function followTask(taskId: string, call: TaskCall): Promise<void> {
  const { tasks, caller, connection } = call;
  if (connection === undefined) return;
  const tell = (record: TaskRecord) =>
    connection.send(notification('notifications/tasks/status', legacyTask(record, Date.now())));
  await watch(taskId, { ...connection, tasks, caller, tell });
}

/**
 * Answers `subscriptions/listen` with `taskIds` (SEP-2663). A task that does not exist, belongs to somebody else or whose
 * tool is hidden is left out of the acknowledgment.
 *
 * @param call the request
 * @param shows whether the policy shows a tool, now and later on
 * @returns the answer, when all tasks have ended; `undefined` if the client cancelled the subscription, or the server goes on
 */
export async function listenToTasks(
  { tasks, clientId, params, caller, signal, send, acknowledge }: TaskCall,
  shows: TaskSender['shows'],
): Promise<CallAnswer | undefined> {
  const asked = askedTasks(params) ?? [];
  if ('error' in asked) return asked;
  const taskIds: string[] = [];
  for (const each of asked) {
    const record = isTaskId(each) ? await tasks.read(caller, each) : undefined;
    if (record !== undefined && (await shows(record.tool))) taskIds.push(each);
  }
  const _meta = { [SUBSCRIPTION_META]: clientId };
  const goesOn = await acknowledge(notification(METHODS.acknowledged, { notifications: { taskIds }, _meta }));
  const tell = (record: TaskRecord) =>
    send(notification(TASK_CHANGED, { ...modernTask(record, Date.now()), _meta }));
  await Promise.all(taskIds.map((each) => watch(each, { tasks, caller, shows, signal, tell })));
  return signal.aborted || goesOn ? undefined : { result: { resultType: 'complete', _meta } };
}

const notification = (method: string, params: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
});

/** Tells of each state of a task that is seen, until its end. The first one is told too: nothing can be missed. */
async function watch(taskId: string, { tasks, caller, shows, signal, tell }: Subscriber): Promise<void> {
  let told: string | undefined;
  for (let pause = SOON_MS; !signal.aborted; await sleep(pause)) {
    const record = await tasks.read(caller, taskId);
    if (record === undefined) return;
    const state = `${record.updatedAt} ${stateOf(record)}`;
    const isNew = state !== told && (await shows(record.tool));
    if (signal.aborted) return;
    if (isNew) {
      told = state;
      await tell(record);
    }
    if (record.status !== 'open') return;
    pause = isNew ? SOON_MS : Math.min(pollInterval(record, Date.now()), pause * 1.5);
  }
}

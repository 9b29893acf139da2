import type { TaskCaller } from '../../core/session/task-owner.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import { read } from '../../core/wire/messages.js';
import type { TaskFilter, TaskListPage, TaskListQuery } from '../../core/wire/task-lister.js';
import type { Tasks } from '../port/tasks.js';
import { isTaskId } from '../records/owner.js';
import type { TaskPosition, TaskQuery } from '../records/record.js';
import { invalidParams, type TaskCall } from './answer.js';
import { legacyTask, statesOf } from './describe.js';

/**
 * Answers `tasks/list` of protocol 2025-11-25, with the filters of SEP-1904 pushed down to the records.
 *
 * @param tasks the tasks
 * @param caller whose tasks to list
 * @param query which of them
 * @returns a page, or the message of a `-32602` error
 */
export async function listTasks(
  tasks: Tasks,
  caller: TaskCaller,
  { filter, tools, pageSize, after }: TaskListQuery,
): Promise<TaskListPage> {
  const position = after === undefined ? undefined : readPosition(after);
  if (after !== undefined && position === undefined) {
    return { ok: false, message: 'The cursor is not valid. List again without a cursor.' };
  }
  // Only tool calls create tasks.
  if (filter?.methods !== undefined && !filter.methods.includes('tools/call')) return { ok: true, tasks: [] };
  const page = await tasks.list(caller, { ...queryOf(filter), limit: pageSize, tools, after: position });
  const now = Date.now();
  const listed = page.tasks.map((task) => legacyTask(task, now));
  return page.next === undefined
    ? { ok: true, tasks: listed }
    : { ok: true, tasks: listed, next: JSON.stringify([page.next.id, page.next.at]) };
}

const PAGE_SIZE = 50;

/** Answers `tasks/list` where no gate does. */
export async function answerList({ tasks, caller, params }: TaskCall): Promise<CallAnswer> {
  const cursor = read(params, 'cursor');
  const after = cursor === undefined ? undefined : String(cursor);
  const page = await listTasks(tasks, caller, { pageSize: PAGE_SIZE, after });
  if (!page.ok) return invalidParams(page.message);
  return { result: { tasks: page.tasks, nextCursor: page.next } };
}

function queryOf(filter: TaskFilter | undefined): Omit<TaskQuery, 'limit'> {
  if (filter === undefined) return { orderBy: 'updatedAt', ascending: false };
  // Tasks have milliseconds. A bound between two of them excludes or includes whole ones.
  const after = (bound: number | undefined) => bound && Math.floor(bound);
  const before = (bound: number | undefined) => bound && Math.ceil(bound);
  return {
    orderBy: filter.orderBy === 'createdAt' ? 'createdAt' : 'updatedAt',
    ascending: filter.order === 'asc',
    ids: filter.taskIds,
    states: filter.status && statesOf(filter.status),
    createdAfter: after(filter.createdAfter),
    createdBefore: before(filter.createdBefore),
    updatedAfter: after(filter.lastUpdatedAfter),
    updatedBefore: before(filter.lastUpdatedBefore),
  };
}

function readPosition(text: string): TaskPosition | undefined {
  try {
    const [id, at]: unknown[] = JSON.parse(text);
    return isTaskId(id) && typeof at === 'number' ? { id, at } : undefined;
  } catch {
    return undefined;
  }
}

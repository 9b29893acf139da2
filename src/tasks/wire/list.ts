import type { TaskCaller } from '../../session/task-owner.js';
import type { Instant, TaskFilter, TaskListPage, TaskListQuery } from '../../wire/task-lister.js';
import type { Tasks } from '../port/tasks.js';
import { isTaskId } from '../records/owner.js';
import type { TaskPosition, TaskQuery } from '../records/record.js';
import { legacyTask, statesOf } from './describe.js';

/** What of a caller's tasks to list. */
export interface TaskListRequest extends TaskListQuery {
  readonly caller: TaskCaller;
}

/**
 * Answers `tasks/list` of protocol 2025-11-25, with the filters of SEP-1904 pushed down to the records.
 *
 * @param tasks the tasks
 * @param request what to list
 * @returns a page, or the message of a `-32602` error
 */
export async function listTasks(tasks: Tasks, request: TaskListRequest): Promise<TaskListPage> {
  const { caller, filter, tools, pageSize, after } = request;
  const position = after === undefined ? undefined : readPosition(after);
  if (after !== undefined && position === undefined) {
    return { ok: false, message: 'The cursor is not valid. List again without a cursor.' };
  }
  // Only tool calls create tasks.
  if (filter?.methods !== undefined && !filter.methods.includes('tools/call')) return { ok: true, tasks: [] };
  const page = await tasks.list(caller, {
    ...queryOf(filter),
    limit: pageSize,
    ...(tools === undefined ? {} : { tools }),
    ...(position === undefined ? {} : { after: position }),
  });
  const now = Date.now();
  const listed = page.tasks.map((task) => legacyTask(task, now));
  return page.next === undefined
    ? { ok: true, tasks: listed }
    : { ok: true, tasks: listed, next: JSON.stringify([page.next.id, page.next.at]) };
}

function queryOf(filter: TaskFilter | undefined): Omit<TaskQuery, 'limit'> {
  if (filter === undefined) return { orderBy: 'updatedAt', ascending: false };
  const after = (name: string, bound: Instant | undefined) =>
    bound === undefined ? {} : { [name]: Math.floor(milliseconds(bound)) };
  const before = (name: string, bound: Instant | undefined) =>
    bound === undefined ? {} : { [name]: Math.ceil(milliseconds(bound)) };
  return {
    orderBy: filter.orderBy === 'createdAt' ? 'createdAt' : 'updatedAt',
    ascending: filter.order === 'asc',
    ...(filter.taskIds === undefined ? {} : { ids: filter.taskIds }),
    ...(filter.status === undefined ? {} : { states: statesOf(filter.status) }),
    ...after('createdAfter', filter.createdAfter),
    ...before('createdBefore', filter.createdBefore),
    ...after('updatedAfter', filter.lastUpdatedAfter),
    ...before('updatedBefore', filter.lastUpdatedBefore),
  };
}

/** Tasks have milliseconds. A bound between two of them excludes or includes whole ones. */
function milliseconds({ seconds, decimals }: Instant): number {
  const whole = Number(decimals.slice(0, 3).padEnd(3, '0'));
  return seconds * 1000 + whole + (decimals.length > 3 ? 0.5 : 0);
}

function readPosition(text: string): TaskPosition | undefined {
  try {
    const [id, at]: unknown[] = JSON.parse(text);
    return isTaskId(id) && typeof at === 'number' ? { id, at } : undefined;
  } catch {
    return undefined;
  }
}

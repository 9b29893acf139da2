import { read, TASK_LIST } from '../core/wire/messages.js';
import { PreferencesError } from './errors.js';
import { fetchAll } from './lists.js';
import { eraOfClient, type HostClient, type RequestOptions, sendRequest } from './sdk.js';

/** Which tasks to list (SEP-1904). Times are ISO 8601, and exclude the time itself. */
export interface TaskListFilter {
  readonly methods?: readonly string[];
  readonly taskIds?: readonly string[];
  readonly status?: readonly string[];
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly lastUpdatedAfter?: string;
  readonly lastUpdatedBefore?: string;
}

/** The order of listed tasks. By default, the task that was updated last comes first. */
export interface TaskListOrder {
  readonly by?: 'createdAt' | 'lastUpdatedAt';
  readonly direction?: 'asc' | 'desc';
}

/** The tasks of a server, as it sent them, and the other members of the first page. */
export interface TaskList {
  readonly tasks: readonly { readonly taskId: string; readonly [member: string]: unknown }[];
  readonly [member: string]: unknown;
}

/**
 * Lists the tasks of a server of 2025-11-25 on all pages.
 *
 * @param client the client
 * @param filter which tasks; all by default
 * @param order their order
 * @param options the options of each request
 * @throws {PreferencesError} `TASKS_UNSUPPORTED`, `FILTER_UNSUPPORTED`, `LIST_ENDLESS`
 */
export async function listTasks(
  client: HostClient,
  filter: TaskListFilter = {},
  { by, direction }: TaskListOrder = {},
  options?: RequestOptions,
): Promise<TaskList> {
  const listing = read(client.getServerCapabilities(), 'tasks', 'list');
  if (eraOfClient(client) === 'modern' || listing === undefined) {
    const message =
      'The server does not list tasks: it does not declare tasks.list, or speaks 2026-07-28. Read a task by its id.';
    throw new PreferencesError('TASKS_UNSUPPORTED', message);
  }
  const params = { ...filter, ...(by && { orderBy: by }), ...(direction && { order: direction }) };
  if (Object.keys(params).length > 0 && read(listing, 'filter') === undefined) {
    const message =
      'The server does not declare tasks.list.filter, so it would ignore the filter or the order. List all tasks, and filter them.';
    throw new PreferencesError('FILTER_UNSUPPORTED', message);
  }
  const listed = await fetchAll('tasks', params, (page) =>
    sendRequest(client, TASK_LIST, page ?? {}, options),
  );
  // The items are the server's own, as in the other lists.
  return listed as TaskList;
}

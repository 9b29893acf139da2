/**
 * A client's filter and order of tasks (SEP-1904). Lists are unique, sorted and not empty. Times are milliseconds since
 * 1970-01-01 UTC with decimals: servers write microseconds, and a client that lists changes since its latest task would
 * miss those of the same millisecond.
 */
export interface TaskFilter {
  readonly methods?: readonly string[];
  readonly taskIds?: readonly string[];
  readonly status?: readonly string[];
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly lastUpdatedAfter?: number;
  readonly lastUpdatedBefore?: number;
  readonly orderBy: 'lastUpdatedAt' | 'createdAt';
  readonly order: 'desc' | 'asc';
}

/** Which of the sender's tasks to list. */
export interface TaskListQuery {
  /** The client's own filter. Without one, the last update comes first. */
  readonly filter?: TaskFilter | undefined;
  /** The tools whose tasks the client sees. Without it, nothing is hidden. */
  readonly tools?: readonly string[];
  readonly pageSize: number;
  /** Where the page begins: the `next` of the page before. */
  readonly after?: string | undefined;
}

/** A page of tasks, which can be short or empty and have a `next`; or the message of a `-32602` error. */
export type TaskListPage =
  | { readonly ok: true; readonly tasks: readonly unknown[]; readonly next?: string }
  | { readonly ok: false; readonly message: string };

/** Lists tasks for the gate, which decides what the client sees. */
export interface TaskLister {
  /** The tools that create tasks. */
  readonly tools: readonly string[];
  /**
   * Lists a page of the sender's tasks.
   *
   * @param query which tasks
   * @param extra what the transport tells about the request
   */
  list(query: TaskListQuery, extra: unknown): Promise<TaskListPage>;
}

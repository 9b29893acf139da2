import {
  stateOf,
  type TaskPage,
  type TaskPosition,
  type TaskQuery,
  type TaskRecord,
  type TaskSummary,
} from './record.js';

/** Whether a task is in a list. */
export function matchesQuery(task: TaskSummary, query: TaskQuery): boolean {
  return (
    (query.ids === undefined || query.ids.includes(task.id)) &&
    (query.states === undefined || query.states.includes(stateOf(task))) &&
    (query.tools === undefined || query.tools.includes(task.tool)) &&
    between(task.createdAt, query.createdAfter, query.createdBefore) &&
    between(task.updatedAt, query.updatedAfter, query.updatedBefore)
  );
}

/** The place of a task in a list. */
export function positionOf(task: TaskSummary, { orderBy }: Pick<TaskQuery, 'orderBy'>): TaskPosition {
  return { id: task.id, at: task[orderBy] };
}

/** What lists show of a record. */
export function summaryOf(record: TaskRecord): TaskSummary {
  const { id, tool, status, waits, message, createdAt, updatedAt, ttlMs, expiresAt } = record;
  const summary = { id, tool, status, waits, createdAt, updatedAt, ttlMs, expiresAt };
  return message === undefined ? summary : { ...summary, message };
}

function between(time: number, after: number | undefined, before: number | undefined): boolean {
  return (after === undefined || time > after) && (before === undefined || time < before);
}

/** Filters and orders tasks, and cuts out one page. */
export function pageOf(tasks: readonly TaskSummary[], query: TaskQuery): TaskPage {
  const direction = query.ascending ? 1 : -1;
  const compare = (a: TaskPosition, b: TaskPosition): number =>
    direction * (a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const { after } = query;
  const found = tasks
    .filter((task) => matchesQuery(task, query))
    .map((task) => ({ task, ...positionOf(task, query) }))
    .sort(compare)
    .filter((each) => after === undefined || compare(each, after) > 0);
  const page = found.slice(0, query.limit).map(({ task }) => task);
  const last = page.at(-1);
  return found.length > page.length && last !== undefined
    ? { tasks: page, next: positionOf(last, query) }
    : { tasks: page };
}

/** Whether the bounds of a query exclude every time. DynamoDB refuses such a range. */
export function hasEmptyRange(query: TaskQuery): boolean {
  const empty = (after = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY): boolean =>
    before - after <= 1;
  return empty(query.createdAfter, query.createdBefore) || empty(query.updatedAfter, query.updatedBefore);
}

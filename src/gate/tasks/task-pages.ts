import { read } from '../../wire/messages.js';
import type { TaskFilter } from '../../wire/task-lister.js';
import { type CutPage, pageOf } from '../lists/answer-page.js';
import { type CursorTarget, openCursor, sealCursor } from '../lists/cursor.js';
import { CURSOR_MESSAGES } from '../request/generated/texts.js';
import { isAtOrAfter } from './task-filter.js';

/** A list of tasks, and what its cursors depend on. */
export interface TaskPages {
  readonly tasks: readonly unknown[];
  /** The client's own filter and order. */
  readonly filter: TaskFilter | undefined;
  readonly target: CursorTarget;
  readonly pageSize: number | undefined;
}

/**
 * Cuts out the page that a client's cursor points to. A cursor has the last task of the page before, and not a number of
 * tasks: so it stays valid when a task is added, and skips none.
 *
 * @param pages the list, filtered and ordered for this client
 * @param cursor the cursor that the client sent; `undefined` for the first page
 * @returns the page
 * @example
 * cutTaskPage({ tasks, filter: undefined, target, pageSize: 20 }, request.params?.cursor);
 */
export function cutTaskPage(
  { tasks, filter, target, pageSize }: TaskPages,
  cursor: unknown,
): CutPage<unknown> {
  const start = cursor === undefined ? 0 : startOf(tasks, filter, cursor, target);
  if (typeof start === 'string') return { ok: false, message: start };
  const page = pageOf(tasks, start, { pageSize });
  const last = page.items.at(-1);
  const nextCursor =
    page.next === undefined
      ? {}
      : { nextCursor: sealCursor(target, JSON.stringify(positionOf(last, filter))) };
  return { ok: true, items: page.items, nextCursor };
}

/** The id of a task, and the time that orders it. */
type Position = readonly [taskId: unknown, time: unknown];

const positionOf = (task: unknown, filter: TaskFilter | undefined): Position => [
  read(task, 'taskId') ?? null,
  filter === undefined ? null : (read(task, filter.orderBy) ?? null),
];

/** Returns the index of the first task of the page, or the message of an error. */
function startOf(
  tasks: readonly unknown[],
  filter: TaskFilter | undefined,
  cursor: unknown,
  target: CursorTarget,
): number | string {
  const opened = openCursor(cursor, target);
  if (!opened.ok) return CURSOR_MESSAGES[opened.reason];
  const [taskId, time] = JSON.parse(opened.cursor) as Position;
  const same = tasks.findIndex((task) => {
    const [id, at] = positionOf(task, filter);
    return id === taskId && at === time;
  });
  if (same !== -1) return same + 1;
  // The last task was updated or removed. In the server's own order, nothing tells where it was.
  if (filter === undefined) return CURSOR_MESSAGES.changed;
  const next = tasks.findIndex((task) => isAtOrAfter(read(task, filter.orderBy), time, filter.order));
  return next === -1 ? tasks.length : next;
}

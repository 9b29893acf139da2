import { read } from '../../wire/messages.js';
import type { TaskFilter } from '../../wire/task-lister.js';
import { type CutPage, pageOf } from '../lists/answer-page.js';
import { type CursorTarget, openCursor, sealCursor } from '../lists/cursor.js';
import { CURSOR_MESSAGES } from '../request/messages.js';
import { rankOf } from './task-filter.js';

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
  const opened = cursor === undefined ? undefined : openCursor(cursor, target);
  if (opened?.ok === false) return { ok: false, message: CURSOR_MESSAGES[opened.reason] };
  const start = opened === undefined ? 0 : startAfter(String(opened.cursor), tasks, filter);
  if (start === undefined) return { ok: false, message: CURSOR_MESSAGES.changed };
  const page = pageOf(tasks, start, { pageSize });
  const next = page.next === undefined ? undefined : positionOf(page.items.at(-1), filter);
  const nextCursor = next === undefined ? {} : { nextCursor: sealCursor(target, next) };
  return { ok: true, items: page.items, nextCursor };
}

/** Returns the index of the first task after a position; `undefined` if nothing tells which tasks the client has not seen. */
function startAfter(
  position: string,
  tasks: readonly unknown[],
  filter: TaskFilter | undefined,
): number | undefined {
  const last = tasks.findIndex((task) => positionOf(task, filter) === position);
  if (last !== -1) return last + 1;
  // The task was updated or removed. In the server's own order, nothing tells where it was.
  if (filter === undefined) return undefined;
  const [, time]: unknown[] = JSON.parse(position);
  const rank = rankOf({ [filter.orderBy]: time }, filter);
  const next = tasks.findIndex((task) => rankOf(task, filter) >= rank);
  return next === -1 ? tasks.length : next;
}

/** Returns the id of a task, and the time that orders it. */
const positionOf = (task: unknown, filter: TaskFilter | undefined): string =>
  JSON.stringify([read(task, 'taskId'), filter && read(task, filter.orderBy)]);

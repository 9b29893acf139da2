import { describe, expect, it } from 'vitest';
import { type CursorTarget, sealCursor } from '../../../src/core/gate/lists/cursor.js';
import { cutTaskPage, type TaskPages } from '../../../src/core/gate/tasks/task-pages.js';
import type { TaskFilter } from '../../../src/core/wire/task-lister.js';

const TARGET: CursorTarget = { catalog: 'tasks', policy: 'p', configuration: 'c', filter: '' };
const MALFORMED = { ok: false, message: 'The cursor is not valid. List again without a cursor.' };
const CHANGED = {
  ok: false,
  message: 'The list changed, so the cursor is not valid any more. List again without a cursor.',
};

const task = (taskId: string, minute: number) => ({
  taskId,
  createdAt: `2026-01-01T10:0${minute}:00Z`,
  lastUpdatedAt: `2026-01-01T11:0${minute}:00Z`,
});
const TASKS = [task('a', 1), task('b', 2), task('c', 3), task('d', 4)];
const ASCENDING: TaskFilter = { orderBy: 'createdAt', order: 'asc' };
const DESCENDING: TaskFilter = { orderBy: 'createdAt', order: 'desc' };

const pages = (changed: Partial<TaskPages> = {}): TaskPages => ({
  tasks: TASKS,
  filter: undefined,
  target: TARGET,
  pageSize: 2,
  ...changed,
});
/** The cursor of the page after a task, which has the task's id and the time that orders it. */
const cursorAfter = (taskId: unknown, time: unknown = null) =>
  sealCursor(TARGET, JSON.stringify([taskId, time]));

describe('the first page', () => {
  it.each([
    ['a page size', pages(), TASKS.slice(0, 2), cursorAfter('b')],
    ['an order', pages({ filter: ASCENDING }), TASKS.slice(0, 2), cursorAfter('b', '2026-01-01T10:02:00Z')],
    ['a task without an id', pages({ tasks: [{}, {}], pageSize: 1 }), [{}], cursorAfter(null)],
    [
      'an order, and a task without a time',
      pages({ tasks: [{ taskId: 'x' }, {}], pageSize: 1, filter: ASCENDING }),
      [{ taskId: 'x' }],
      cursorAfter('x'),
    ],
  ])('has the cursor of the next one, with %s', (_what, given, tasks, nextCursor) => {
    expect(cutTaskPage(given, undefined)).toEqual({ ok: true, items: tasks, nextCursor: { nextCursor } });
  });

  it.each([
    ['a page size that fits', pages({ pageSize: 4 }), TASKS],
    ['no page size', pages({ pageSize: undefined }), TASKS],
    ['no tasks', pages({ tasks: [] }), []],
  ])('is the last one with %s', (_what, given, tasks) => {
    expect(cutTaskPage(given, undefined)).toEqual({ ok: true, items: tasks, nextCursor: {} });
  });
});

describe('the page after a task', () => {
  it.each<[string, unknown, Partial<TaskPages>, string, string | undefined]>([
    ['begins with the next one', cursorAfter('a'), {}, 'bc', cursorAfter('c')],
    ['can be the last page', cursorAfter('b'), {}, 'cd', undefined],
    ['is empty after the last task', cursorAfter('d'), {}, '', undefined],
    [
      'needs the same id and the same time',
      cursorAfter('c', '2026-01-01T10:03:00Z'),
      { filter: ASCENDING },
      'd',
      undefined,
    ],
    [
      'begins at the position of a task that was removed, ascending',
      cursorAfter('gone', '2026-01-01T10:02:30Z'),
      { filter: ASCENDING },
      'cd',
      undefined,
    ],
    [
      'begins with a task of the same time as one that was removed',
      cursorAfter('gone', '2026-01-01T10:03:00Z'),
      { filter: ASCENDING },
      'cd',
      undefined,
    ],
    [
      'begins at the position of a task that was removed, descending',
      cursorAfter('gone', '2026-01-01T10:02:30Z'),
      { filter: DESCENDING, tasks: TASKS.toReversed() },
      'ba',
      undefined,
    ],
    [
      'begins at the old position of a task that was updated',
      cursorAfter('d', '2026-01-01T10:01:30Z'),
      { filter: ASCENDING },
      'bc',
      cursorAfter('c', '2026-01-01T10:03:00Z'),
    ],
    [
      'is empty if all tasks come before a task that was removed',
      cursorAfter('gone', '2026-01-01T10:09:00Z'),
      { filter: ASCENDING },
      '',
      undefined,
    ],
  ])('%s', (_what, cursor, changed, ids, next) => {
    expect(cutTaskPage(pages(changed), cursor)).toEqual({
      ok: true,
      items: [...ids].map((id) => TASKS.find(({ taskId }) => taskId === id)),
      nextCursor: next === undefined ? {} : { nextCursor: next },
    });
  });

  it('begins after the one without a readable time that the page before ended with', () => {
    const tasks = [...TASKS, { taskId: 'x' }, { taskId: 'y' }];
    expect(cutTaskPage(pages({ tasks, filter: ASCENDING }), cursorAfter('x'))).toEqual({
      ok: true,
      items: [{ taskId: 'y' }],
      nextCursor: {},
    });
  });
});

describe('a cursor that cannot be used', () => {
  it.each([
    ['of another type', 7, MALFORMED],
    ['null', null, MALFORMED],
    ['of the server', 'page-2', MALFORMED],
    ['of another policy', sealCursor({ ...TARGET, policy: 'other' }, '["a",null]'), CHANGED],
    [
      'of another filter',
      sealCursor({ ...TARGET, filter: 'other' }, '["a",null]'),
      { ok: false, message: 'Filter parameters must not change between paginated requests' },
    ],
    ["after a task that was removed from the server's own order", cursorAfter('gone'), CHANGED],
  ])('%s', (_what, cursor, answer) => {
    expect(cutTaskPage(pages(), cursor)).toEqual(answer);
  });
});

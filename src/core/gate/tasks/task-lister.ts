import { hasOwner } from '../../session/task-owner.js';
import { ERRORS } from '../../wire/messages.js';
import type { TaskFilter, TaskListPage } from '../../wire/task-lister.js';
import { redactRecords } from '../enforce/redaction.js';
import { cursorTarget, openCursor, sealCursor } from '../lists/cursor.js';
import { canHide } from '../request/configure.js';
import { ask, type RequestOutcome, type ResponseSteps, refuse } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { CURSOR_MESSAGES } from '../request/messages.js';
import { answerTasks } from './listed-tasks.js';
import type { ReadTaskFilter } from './task-filter.js';
import { shownTools } from './visible-tasks.js';

/** How many tasks a page has without `page-size`. */
const PAGE_SIZE = 50;

/**
 * Answers `tasks/list` of a server that lists tasks by their owner itself. It gets the client's filter and the tools that the
 * client is shown, so it reads one page, however many tasks there are.
 *
 * @param facts the request
 * @param tools the tools that create tasks
 * @param own the client's own filter and order (SEP-1904)
 */
export function* answerFromLister(
  facts: Facts,
  tools: readonly string[],
  own: Extract<ReadTaskFilter, { ok: true }>,
): ResponseSteps<RequestOutcome> {
  const { cursor } = facts.request.params ?? {};
  // The position is bound to the filter and to the policy, and encrypted: it has the id of a task.
  const target = cursorTarget(facts, 'tasks/lister', own.key);
  const opened = cursor === undefined ? undefined : openCursor(cursor, target);
  if (opened?.ok === false) return refuse(ERRORS.invalidParams, CURSOR_MESSAGES[opened.reason]);
  let page: TaskListPage;
  try {
    page = yield* listPage(facts, tools, { filter: own.filter, after: opened && String(opened.cursor) });
  } catch {
    return refuse(ERRORS.internal, 'The tasks could not be listed. Try again.');
  }
  if (!page.ok) return refuse(ERRORS.invalidParams, page.message);
  const next = page.next === undefined ? {} : { nextCursor: sealCursor(target, page.next) };
  // Only what is on this page is counted: nobody reads the whole list.
  return answerTasks(facts, { tasks: page.tasks, next, counts: { shown: page.tasks.length } });
}

function* listPage(
  facts: Facts,
  all: readonly string[],
  { filter, after }: { readonly filter: TaskFilter | undefined; readonly after: string | undefined },
): ResponseSteps<TaskListPage> {
  if (!hasOwner(yield* ask({ need: 'owner' }))) return { ok: true, tasks: [] };
  const tools = canHide(facts.configuration) ? yield* shownTools(facts, all) : all;
  const visible = tools.length === all.length ? {} : { tools };
  const pageSize = facts.policy.settings.pageSize ?? PAGE_SIZE;
  const page = yield* ask({ need: 'tasks', query: { filter, after, pageSize, ...visible } });
  return page.ok ? { ...page, tasks: yield* redactRecords(facts, page.tasks) } : page;
}

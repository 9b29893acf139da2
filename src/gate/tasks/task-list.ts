import { type Answer, ERRORS, type Failure, read, TASK_LIST } from '../../wire/messages.js';
import type { TaskFilter } from '../../wire/task-lister.js';
import { redactResponse } from '../enforce/redaction.js';
import { cursorTarget, openCursor, sealCursor } from '../lists/cursor.js';
import { withWarnings } from '../lists/filter-list.js';
import { otherMembers } from '../lists/other-members.js';
import { unshared } from '../request/configure.js';
import {
  ask,
  type Deciding,
  fail,
  type Outcome,
  pass,
  refuse,
  type Settled,
  type Settling,
} from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { CURSOR_MESSAGES, UNBOUNDED_TASK_LIST } from '../request/generated/texts.js';
import { describeConcerns } from '../request/report.js';
import { answerTasks, describeTasks, type ListedTasks } from './listed-tasks.js';
import { applyTaskFilter, readTaskFilter } from './task-filter.js';
import { answerFromLister } from './task-lister.js';
import { isPrivate, principalOf } from './task-owner.js';
import { cutTaskPage } from './task-pages.js';
import { refuseUnread } from './task-request.js';
import { hidesTasks, visibleTasks } from './visible-tasks.js';

/** A longer list is filtered page by page. */
const BOUNDS = { pages: 100, milliseconds: 60_000 };

/**
 * Answers `tasks/list`: omits the tasks of other callers and of hidden tools, applies the client's own filter and order
 * (SEP-1904), and pages.
 */
export function* judgeTaskList(asked: RequestFacts): Deciding<Outcome> {
  const own = readTaskFilter(asked.request.params);
  if (!own.ok) return refuse(ERRORS.invalidParams, own.message);
  const facts = yield* ask({ need: 'preferences', invalid: 'refuse' });
  const { taskTools } = facts.connection;
  if (taskTools !== undefined && facts.era === 'legacy')
    return yield* answerFromLister(facts, taskTools, own);
  if (!mustRewrite(facts, own.filter)) return pass(facts);
  const { cursor, ...params } = facts.request.params ?? {};
  const serverPage = openCursor(cursor, cursorTarget(facts, PAGES, own.key));
  if (serverPage.ok) return { to: 'server', params: { ...params, cursor: serverPage.cursor } };
  return yield* answerWholeList(facts, own.filter, own.key);
}

/** What the cursors of a list are bound to. The tasks in it are not a part: a new task must not invalidate a cursor. */
const WHOLE = 'tasks';
/** Of a list that is filtered page by page. */
const PAGES = 'tasks/pages';

/** Returns whether the list may differ from the server's own. */
const mustRewrite = (facts: Facts, filter: TaskFilter | undefined): boolean =>
  filter !== undefined || !isPrivate(facts) || hidesTasks(facts);

function* answerWholeList(
  facts: Facts,
  filter: TaskFilter | undefined,
  filterKey: string,
): Settling<Outcome> {
  const { pages, end } = yield* ask({ need: 'pages', method: TASK_LIST, field: 'tasks', bounds: BOUNDS });
  if (end.kind === 'failed') return yield* failedList(facts, end.error);
  // A repeated cursor leads to the same tasks again.
  if (end.kind !== 'complete' && end.kind !== 'repeated-cursor') return firstPage(facts);
  let found: Pick<ListedTasks, 'tasks' | 'counts'>;
  try {
    found = yield* filtered(facts, pages.flatMap(tasksIn), filter);
  } catch (cause) {
    return refuseUnread(cause);
  }
  const target = cursorTarget(facts, WHOLE, filterKey);
  const { pageSize } = facts.policy.settings;
  const page = cutTaskPage({ tasks: found.tasks, filter, target, pageSize }, facts.request.params?.cursor);
  if (!page.ok) return refuse(ERRORS.invalidParams, page.message);
  const rest = otherMembers(facts, pages[0], 'tasks');
  return answerTasks(facts, { ...found, rest, tasks: page.items, next: page.nextCursor });
}

function tasksIn(page: unknown): readonly unknown[] {
  const tasks = read(page, 'tasks');
  return Array.isArray(tasks) ? tasks : [];
}

function firstPage({ request }: Facts): Outcome {
  const { cursor, ...params } = request.params ?? {};
  // The list was short enough when the gate made this cursor.
  if (cursor !== undefined) return refuse(ERRORS.invalidParams, CURSOR_MESSAGES.changed);
  return { to: 'server', params };
}

function* failedList(facts: Facts, error: Failure['error']): Settling<Outcome> {
  const failed: Failure = { jsonrpc: '2.0', id: facts.request.id, error };
  const { message } = facts.isEnforced ? yield* redactResponse(facts, failed) : { message: failed };
  return fail('error' in message ? message.error : error);
}

/** Applies the gate's filter, then the client's own. */
function* filtered(
  facts: Facts,
  tasks: readonly unknown[],
  filter: TaskFilter | undefined,
): Settling<Pick<ListedTasks, 'tasks' | 'counts'>> {
  const { visible, total, hidden } = yield* visibleTasks(facts, tasks);
  // On a server, only tool calls create tasks.
  const kept = applyTaskFilter(visible, filter, () => 'tools/call');
  const left = visible.length - kept.length;
  const counts = { shown: kept.length, total, hidden: left === 0 ? hidden : { ...hidden, filter: left } };
  return { tasks: kept, counts };
}

/** Filters the answer to a list that was passed: one page of a list that is too long, or a list without anything hidden. */
export function* settleTaskList(facts: Facts, message: Answer | Failure): Settling<Settled> {
  if ('error' in message) return facts.isEnforced ? yield* redactResponse(facts, message) : { message };
  const own = readTaskFilter(facts.request.params);
  const filter = own.ok ? own.filter : undefined;
  const { configuration, logged } = facts;
  if (!mustRewrite(facts, filter)) {
    const { warnings } = configuration;
    const result = unshared(facts.era, withWarnings(message.result, warnings));
    return {
      message: result === message.result ? message : { ...message, result },
      tell: () => [describeConcerns(configuration, [...logged, ...warnings])],
    };
  }
  const { nextCursor } = message.result;
  const target = cursorTarget(facts, PAGES, own.ok ? own.key : '');
  const { result, tell } = describeTasks(facts, {
    ...(yield* filtered(facts, tasksIn(message.result), filter)),
    rest: otherMembers(facts, message.result, 'tasks'),
    next: typeof nextCursor === 'string' ? { nextCursor: sealCursor(target, nextCursor) } : {},
    warnings: [UNBOUNDED_TASK_LIST],
  });
  return { message: { ...message, result }, tell };
}

/**
 * Removes `tasks.list` from the answer to `initialize` where nothing tells callers apart, as the specification of tasks
 * asks: a caller without a verified identity and without a session has no list of its own.
 */
export function withoutTaskList(
  { keeps, sender }: RequestFacts,
  message: Answer | Failure,
): Answer | Failure {
  if ('error' in message || read(message.result, 'capabilities', 'tasks', 'list') === undefined)
    return message;
  if (keeps.place !== 'none' || principalOf(sender) !== undefined) return message;
  const { tasks, ...capabilities } = message.result.capabilities as Record<string, unknown>;
  const { list: _list, ...kept } = tasks as Record<string, unknown>;
  return { ...message, result: { ...message.result, capabilities: { ...capabilities, tasks: kept } } };
}

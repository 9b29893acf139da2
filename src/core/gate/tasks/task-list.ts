import type { ConcernWarning } from '../../engine/configuration.js';
import { type Answer, ERRORS, type Failure, type Members, read, TASK_LIST } from '../../wire/messages.js';
import type { TaskFilter } from '../../wire/task-lister.js';
import { NOTHING } from '../enforce/exceptions.js';
import { redactRecords, redactResponse } from '../enforce/redaction.js';
import { cursorTarget } from '../lists/cursor.js';
import { withWarnings } from '../lists/filter-list.js';
import { otherMembers } from '../lists/other-members.js';
import { canHide, unshared } from '../request/configure.js';
import {
  ask,
  fail,
  pass,
  type RequestOutcome,
  type RequestSteps,
  type ResponseOutcome,
  type ResponseSteps,
  refuse,
} from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { describeConcerns } from '../request/report.js';
import { answerTasks, type ListedTasks } from './listed-tasks.js';
import { applyTaskFilter, readTaskFilter } from './task-filter.js';
import { answerFromLister } from './task-lister.js';
import { isPrivate, principalOf } from './task-owner.js';
import { cutTaskPage } from './task-pages.js';
import { refuseUnread } from './task-request.js';
import { visibleTasks } from './visible-tasks.js';

/** Of a longer list, only the tasks on these pages are listed. */
const BOUNDS = { pages: 10_000, milliseconds: 60_000 };

/**
 * Answers `tasks/list`: omits the tasks of other callers and of hidden tools, applies the client's own filter and order
 * (SEP-1904), and pages.
 */
export function* judgeTaskList(asked: RequestFacts): RequestSteps<RequestOutcome> {
  const own = readTaskFilter(asked.request.params);
  if (!own.ok) return refuse(ERRORS.invalidParams, own.message);
  const facts = yield* ask({ need: 'preferences', invalid: 'refuse' });
  const { taskTools } = facts.connection;
  if (taskTools !== undefined && facts.era === 'legacy')
    return yield* answerFromLister(facts, taskTools, own);
  if (!mustRewrite(facts, own.filter)) return pass(facts);
  return yield* answerWholeList(facts, own.filter, own.key);
}

/** Returns whether the list may differ from the server's own. */
const mustRewrite = (facts: Facts, filter: TaskFilter | undefined): boolean =>
  filter !== undefined || !isPrivate(facts) || canHide(facts.configuration);

const UNBOUNDED_TASK_LIST: ConcernWarning = {
  code: 'unbounded-list',
  message: 'The list is too long to be read at once. Only the tasks on its first pages are listed.',
};

function* answerWholeList(
  facts: Facts,
  filter: TaskFilter | undefined,
  filterKey: string,
): ResponseSteps<RequestOutcome> {
  const { pages, end } = yield* ask({ need: 'pages', method: TASK_LIST, field: 'tasks', bounds: BOUNDS });
  if (end.kind === 'failed') return yield* failedList(facts, end.error);
  let found: Pick<ListedTasks, 'tasks' | 'counts'>;
  try {
    found = yield* filtered(facts, pages.flatMap(tasksIn), filter);
  } catch (cause) {
    return refuseUnread(cause);
  }
  // The tasks are not a part of what its cursors are bound to: a new task must not invalidate a cursor.
  const target = cursorTarget(facts, 'tasks', filterKey);
  const { pageSize } = facts.policy.settings;
  const page = cutTaskPage({ tasks: found.tasks, filter, target, pageSize }, facts.request.params?.cursor);
  if (!page.ok) return refuse(ERRORS.invalidParams, page.message);
  const [rest = {}] = (yield* redactRecords(
    facts,
    [otherMembers(facts, pages[0], 'tasks')],
    () => NOTHING,
  )) as Members[];
  const warnings = end.kind === 'complete' ? [] : [UNBOUNDED_TASK_LIST];
  return answerTasks(facts, { ...found, rest, tasks: page.items, next: page.nextCursor, warnings });
}

function tasksIn(page: unknown): readonly unknown[] {
  const tasks = read(page, 'tasks');
  return Array.isArray(tasks) ? tasks : [];
}

function* failedList(facts: Facts, error: Failure['error']): ResponseSteps<RequestOutcome> {
  const failed: Failure = { jsonrpc: '2.0', id: facts.request.id, error };
  const { message } = facts.isEnforced ? yield* redactResponse(facts, failed) : { message: failed };
  return fail('error' in message ? message.error : error);
}

/** Applies the gate's filter, then the client's own. */
function* filtered(
  facts: Facts,
  tasks: readonly unknown[],
  filter: TaskFilter | undefined,
): ResponseSteps<Pick<ListedTasks, 'tasks' | 'counts'>> {
  const { visible, total, hidden } = yield* visibleTasks(facts, tasks);
  // On a server, only tool calls create tasks.
  const kept = applyTaskFilter(visible, filter, () => 'tools/call');
  const left = visible.length - kept.length;
  const counts = { shown: kept.length, total, hidden: left === 0 ? hidden : { ...hidden, filter: left } };
  return { tasks: kept, counts };
}

/** Tells the warnings in the answer to a list from which nothing can be left out. */
export function* settleTaskList(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  if ('error' in message) return facts.isEnforced ? yield* redactResponse(facts, message) : { message };
  const { configuration, logged } = facts;
  const { warnings } = configuration;
  const result = unshared(facts.era, withWarnings(message.result, warnings));
  return {
    message: result === message.result ? message : { ...message, result },
    tell: () => [describeConcerns(configuration, [...logged, ...warnings])],
  };
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

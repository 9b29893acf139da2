import { type ConcernWarning, describeConfiguration } from '../../engine/configuration.js';
import { type Answer, ERRORS, EXTENSION_ID, type Failure, read, TASK_LIST } from '../../wire/messages.js';
import { askForPages } from '../../wire/pending-requests.js';
import { redactNow } from '../gather/gather.js';
import { CURSOR_MESSAGES, type CursorTarget } from '../lists/cursor.js';
import { withWarnings } from '../lists/filter-list.js';
import { isSealed, openCursor, sealCursor } from '../lists/sealed-cursor.js';
import { unshared } from '../request/can-change.js';
import type { Exchange } from '../request/exchange.js';
import type { TaskFilter } from '../request/task-lister.js';
import { withConfiguration } from '../request/with-configuration.js';
import { applyTaskFilter, readTaskFilter } from './task-filter.js';
import { answerFromLister } from './task-lister.js';
import { isPrivate, principalOf } from './task-owner.js';
import { cutTaskPage } from './task-pages.js';
import { refuseUnread } from './task-request.js';
import { hidesTasks, type VisibleTasks, visibleTasks } from './visible-tasks.js';

/** A longer list is filtered page by page. */
const BOUNDS = { pages: 100, milliseconds: 60_000 };

const UNBOUNDED: ConcernWarning = {
  code: 'unbounded-list',
  message:
    'The list is too long to be read at once. It is filtered and ordered page by page, so pages may be short.',
};

/**
 * Answers `tasks/list`: omits the tasks of other callers and of hidden tools, applies the client's own filter and order
 * (SEP-1904), and pages.
 *
 * @param exchange the request
 * @returns a promise if the session store must be waited for
 */
export function judgeTaskList(exchange: Exchange): void | Promise<void> {
  const own = readTaskFilter(exchange.request.params);
  if (!own.ok) return exchange.refuse(ERRORS.invalidParams, own.message);
  return withConfiguration(exchange, () => {
    const { lister } = exchange.connection;
    if (lister !== undefined && exchange.era === 'legacy') return answerFromLister(exchange, lister, own);
    if (!mustRewrite(exchange, own.filter)) return exchange.pass();
    const { cursor, ...params } = exchange.request.params ?? {};
    const serverPage = isSealed(cursor) ? openCursor(cursor, targetOf(exchange, PAGES, own.key)) : undefined;
    if (serverPage?.ok) return exchange.pass({ ...params, cursor: serverPage.cursor });
    answerWholeList(exchange, own.filter, own.key);
  });
}

/** What the cursors of a list are bound to. The tasks in it are not a part: a new task must not invalidate a cursor. */
type TaskCatalog = 'tasks' | 'tasks/pages';
const WHOLE: TaskCatalog = 'tasks';
/** Of a list that is filtered page by page. */
const PAGES: TaskCatalog = 'tasks/pages';

function targetOf({ configuration }: Exchange, catalog: TaskCatalog, filter: string): CursorTarget {
  return { catalog, policy: configuration.policy.digest, configuration: configuration.key, filter };
}

/** Returns whether the list may differ from the server's own. */
const mustRewrite = (exchange: Exchange, filter: TaskFilter | undefined): boolean =>
  filter !== undefined || !isPrivate(exchange) || hidesTasks(exchange);

function answerWholeList(exchange: Exchange, filter: TaskFilter | undefined, filterKey: string): void {
  const tasks: unknown[] = [];
  let rest: Record<string, unknown> | undefined;
  const onPage = (page: unknown): number => {
    const items = read(page, 'tasks');
    rest ??= otherMembers(exchange, page);
    if (!Array.isArray(items)) return 0;
    for (const item of items) tasks.push(item);
    return items.length;
  };
  exchange.hold();
  askForPages(exchange.ask, TASK_LIST, { bounds: BOUNDS, onPage }, (end) => {
    if (end.kind === 'failed') {
      if (exchange.resume()) exchange.fail(redactedError(exchange, end.error));
      return;
    }
    // A repeated cursor leads to the same tasks again.
    if (end.kind !== 'complete' && end.kind !== 'repeated-cursor') {
      if (exchange.resume()) passFirstPage(exchange);
      return;
    }
    visibleTasks(exchange, tasks).then(
      (visible) => {
        if (exchange.resume()) reply(exchange, { visible, filter, filterKey, rest: rest ?? {} });
      },
      (cause) => {
        if (exchange.resume()) refuseUnread(exchange, cause);
      },
    );
  });
}

/** The members of a result besides the list. */
const KNOWN_MEMBERS = ['_meta', 'resultType', 'ttlMs', 'cacheScope'];

/** Under `enforce`, members that the protocol does not have are left out: nothing tells what they reveal. */
function otherMembers(exchange: Exchange, result: unknown): Record<string, unknown> {
  if (typeof result !== 'object' || result === null) return {};
  const { tasks: _tasks, nextCursor: _next, ...others } = result as Record<string, unknown>;
  if (!exchange.isEnforced) return others;
  return Object.fromEntries(Object.entries(others).filter(([name]) => KNOWN_MEMBERS.includes(name)));
}

function passFirstPage(exchange: Exchange): void {
  const { cursor, ...params } = exchange.request.params ?? {};
  // The list was short enough when the gate made this cursor.
  if (cursor !== undefined) return exchange.refuse(ERRORS.invalidParams, CURSOR_MESSAGES.changed);
  exchange.pass(params);
}

function redactedError(exchange: Exchange, error: Failure['error']): Failure['error'] {
  if (!exchange.isEnforced) return error;
  // Without a list that must be fetched first, this is synchronous. Otherwise the text is left out.
  const redacted = redactNow(exchange, { jsonrpc: '2.0', id: exchange.clientId, error });
  return redacted instanceof Promise || !('error' in redacted)
    ? { code: error.code, message: 'The server did not list its tasks.' }
    : redacted.error;
}

interface Listed {
  readonly visible: VisibleTasks;
  readonly filter: TaskFilter | undefined;
  readonly filterKey: string;
  readonly rest: Record<string, unknown>;
}

function reply(exchange: Exchange, { visible, filter, filterKey, rest }: Listed): void {
  const described = describe(exchange, visible, filter, exchange.configuration.warnings);
  const page = cutTaskPage(
    {
      tasks: described.tasks,
      filter,
      target: targetOf(exchange, WHOLE, filterKey),
      pageSize: exchange.policy.settings.pageSize,
    },
    exchange.request.params?.cursor,
  );
  if (!page.ok) return exchange.refuse(ERRORS.invalidParams, page.message);
  described.report();
  const result = { ...rest, tasks: page.tasks, ...page.nextCursor, ...described.meta(rest) };
  exchange.reply(unshared(exchange.era, result));
}

/** Applies the client's own filter, and describes the list as `_meta` and the log do. */
function describe(
  exchange: Exchange,
  { visible, total, hidden }: VisibleTasks,
  filter: TaskFilter | undefined,
  warnings: readonly ConcernWarning[],
) {
  const { configuration, policy } = exchange;
  const { enforcement } = policy.settings;
  // On a server, only tool calls create tasks.
  const tasks = applyTaskFilter(visible, filter, () => 'tools/call');
  const shown = tasks.length;
  const filtered = visible.length - shown;
  const own = {
    ...(configuration.active && enforcement !== 'shadow'
      ? {
          concerns: describeConfiguration(configuration),
          shown,
          // The number of hidden tasks reveals that there are some.
          ...(enforcement === 'enforce' ? {} : { total }),
        }
      : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  return {
    tasks,
    meta: ({ _meta }: Record<string, unknown>): { _meta?: object } =>
      Object.keys(own).length === 0
        ? {}
        : { _meta: { ...(_meta as object | undefined), [EXTENSION_ID]: own } },
    report: (): void =>
      exchange.reportConcerns([...exchange.logged, ...warnings], {
        shown,
        total,
        hidden: filtered === 0 ? hidden : { ...hidden, filter: filtered },
      }),
  };
}

/** Filters the answer to a list that was passed: one page of a list that is too long, or a list without anything hidden. */
export function settleTaskList(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  if ('error' in message) return exchange.isEnforced ? redactNow(exchange, message) : message;
  const own = readTaskFilter(exchange.request.params);
  const filter = own.ok ? own.filter : undefined;
  if (!mustRewrite(exchange, filter)) {
    const { warnings } = exchange.configuration;
    exchange.reportConcerns([...exchange.logged, ...warnings]);
    const result = unshared(exchange.era, withWarnings(message.result, warnings));
    return result === message.result ? message : { ...message, result };
  }
  const { tasks, nextCursor } = message.result;
  const rest = otherMembers(exchange, message.result);
  return visibleTasks(exchange, Array.isArray(tasks) ? tasks : []).then((visible) => {
    const described = describe(exchange, visible, filter, [...exchange.configuration.warnings, UNBOUNDED]);
    described.report();
    const target = targetOf(exchange, PAGES, own.ok ? own.key : '');
    const next = typeof nextCursor === 'string' ? { nextCursor: sealCursor(target, nextCursor) } : {};
    const result = { ...rest, tasks: described.tasks, ...next, ...described.meta(rest) };
    return { ...message, result: unshared(exchange.era, result) };
  });
}

/**
 * Removes `tasks.list` from the answer to `initialize` where nothing tells callers apart, as the specification of tasks
 * asks: a caller without a verified identity and without a session has no list of its own.
 */
export function withoutTaskList(exchange: Exchange, message: Answer | Failure): Answer | Failure {
  if ('error' in message || read(message.result, 'capabilities', 'tasks', 'list') === undefined)
    return message;
  const { preferences } = exchange.connection;
  if (preferences.place !== 'none' || principalOf(exchange) !== undefined) return message;
  const { tasks, ...capabilities } = message.result.capabilities as Record<string, unknown>;
  const { list: _list, ...kept } = tasks as Record<string, unknown>;
  return { ...message, result: { ...message.result, capabilities: { ...capabilities, tasks: kept } } };
}

import { describeConfiguration } from '../../engine/configuration.js';
import { hasOwner, type TaskCaller } from '../../session/task-owner.js';
import { ERRORS, EXTENSION_ID } from '../../wire/messages.js';
import { CURSOR_MESSAGES, type CursorTarget } from '../lists/cursor.js';
import { isSealed, openCursor, sealCursor } from '../lists/sealed-cursor.js';
import type { Exchange } from '../request/exchange.js';
import type { TaskFilter, TaskLister } from '../request/task-lister.js';
import { callerOf } from './task-owner.js';
import { redactTasks } from './task-redaction.js';
import { hidesTasks, shownTools } from './visible-tasks.js';

/** How many tasks a page has without `page-size`. */
const PAGE_SIZE = 50;

/** A client's own filter, with the key that its cursors are bound to. */
interface OwnFilter {
  readonly filter: TaskFilter | undefined;
  readonly key: string;
}

/**
 * Answers `tasks/list` of a server that lists tasks by their owner itself. It gets the client's filter and the tools that the
 * client is shown, so it reads one page, however many tasks there are.
 *
 * @param exchange the request, which has its configuration
 * @param lister lists tasks
 * @param own the client's own filter and order (SEP-1904)
 */
export function answerFromLister(exchange: Exchange, lister: TaskLister, own: OwnFilter): void {
  const after = positionOf(exchange, own);
  if (!after.ok) return exchange.refuse(ERRORS.invalidParams, after.message);
  exchange.hold();
  listPage(exchange, lister, { filter: own.filter, after: after.position }).then(
    (page) => {
      if (!exchange.resume()) return;
      if (!page.ok) return exchange.refuse(ERRORS.invalidParams, page.message);
      const { configuration, logged } = exchange;
      const next =
        page.next === undefined ? {} : { nextCursor: sealCursor(targetOf(exchange, own), page.next) };
      exchange.reportConcerns([...logged, ...configuration.warnings], { shown: page.tasks.length });
      exchange.reply({ tasks: page.tasks, ...next, ...metaOf(exchange, page.tasks.length) });
    },
    () => {
      if (exchange.resume()) exchange.refuse(ERRORS.internal, 'The tasks could not be listed. Try again.');
    },
  );
}

/** The position is bound to the filter and to the policy, and encrypted: it has the id of a task. */
function targetOf({ configuration }: Exchange, { key }: OwnFilter): CursorTarget {
  return {
    catalog: 'tasks/lister',
    policy: configuration.policy.digest,
    configuration: configuration.key,
    filter: key,
  };
}

type Position =
  | { readonly ok: true; readonly position: string | undefined }
  | { readonly ok: false; readonly message: string };

function positionOf(exchange: Exchange, own: OwnFilter): Position {
  const cursor = exchange.request.params?.cursor;
  if (cursor === undefined) return { ok: true, position: undefined };
  if (!isSealed(cursor)) return { ok: false, message: CURSOR_MESSAGES.malformed };
  const opened = openCursor(cursor, targetOf(exchange, own));
  return opened.ok
    ? { ok: true, position: opened.cursor }
    : { ok: false, message: CURSOR_MESSAGES[opened.reason] };
}

async function listPage(
  exchange: Exchange,
  lister: TaskLister,
  { filter, after }: { readonly filter: TaskFilter | undefined; readonly after: string | undefined },
): ReturnType<TaskLister['list']> {
  const caller: TaskCaller = await callerOf(exchange);
  if (!hasOwner(caller)) return { ok: true, tasks: [] };
  const { policy, sender } = exchange;
  const tools = hidesTasks(exchange) ? await shownTools(exchange, lister.tools) : lister.tools;
  const visible = tools.length === lister.tools.length ? {} : { tools };
  const pageSize = policy.settings.pageSize ?? PAGE_SIZE;
  const page = await lister.list({ filter, after, pageSize, ...visible }, sender.extra);
  return page.ok ? { ...page, tasks: await redactTasks(exchange, page.tasks) } : page;
}

/** Only what is on this page is counted: nobody reads the whole list. */
function metaOf({ configuration }: Exchange, shown: number): { readonly _meta?: object } {
  const { active, policy, warnings } = configuration;
  const own = {
    ...(active && policy.settings.enforcement !== 'shadow'
      ? { concerns: describeConfiguration(configuration), shown }
      : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  return Object.keys(own).length === 0 ? {} : { _meta: { [EXTENSION_ID]: own } };
}

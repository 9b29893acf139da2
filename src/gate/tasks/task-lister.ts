import { describeConfiguration } from '../../engine/configuration.js';
import { hasOwner } from '../../session/task-owner.js';
import { ERRORS, EXTENSION_ID } from '../../wire/messages.js';
import type { TaskFilter, TaskListPage } from '../../wire/task-lister.js';
import { redactRecords } from '../enforce/redaction.js';
import { CURSOR_MESSAGES, type CursorTarget } from '../lists/cursor.js';
import { isSealed, openCursor, sealCursor } from '../lists/sealed-cursor.js';
import { type Outcome, owner, refuse, reply, type Settling, tasksOf } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { describeConcerns } from '../request/report.js';
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
 * @param facts the request
 * @param tools the tools that create tasks
 * @param own the client's own filter and order (SEP-1904)
 */
export function* answerFromLister(facts: Facts, tools: readonly string[], own: OwnFilter): Settling<Outcome> {
  const after = positionOf(facts, own);
  if (!after.ok) return refuse(ERRORS.invalidParams, after.message);
  let page: TaskListPage;
  try {
    page = yield* listPage(facts, tools, { filter: own.filter, after: after.position });
  } catch {
    return refuse(ERRORS.internal, 'The tasks could not be listed. Try again.');
  }
  if (!page.ok) return refuse(ERRORS.invalidParams, page.message);
  const { configuration, logged } = facts;
  const shown = page.tasks.length;
  const next = page.next === undefined ? {} : { nextCursor: sealCursor(targetOf(facts, own), page.next) };
  return reply({ tasks: page.tasks, ...next, ...metaOf(facts, shown) }, () => [
    describeConcerns(configuration, [...logged, ...configuration.warnings], { shown }),
  ]);
}

/** The position is bound to the filter and to the policy, and encrypted: it has the id of a task. */
function targetOf({ configuration }: Facts, { key }: OwnFilter): CursorTarget {
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

function positionOf(facts: Facts, own: OwnFilter): Position {
  const cursor = facts.request.params?.cursor;
  if (cursor === undefined) return { ok: true, position: undefined };
  if (!isSealed(cursor)) return { ok: false, message: CURSOR_MESSAGES.malformed };
  const opened = openCursor(cursor, targetOf(facts, own));
  return opened.ok
    ? { ok: true, position: opened.cursor }
    : { ok: false, message: CURSOR_MESSAGES[opened.reason] };
}

function* listPage(
  facts: Facts,
  all: readonly string[],
  { filter, after }: { readonly filter: TaskFilter | undefined; readonly after: string | undefined },
): Settling<TaskListPage> {
  if (!hasOwner(yield* owner())) return { ok: true, tasks: [] };
  const tools = hidesTasks(facts) ? yield* shownTools(facts, all) : all;
  const visible = tools.length === all.length ? {} : { tools };
  const pageSize = facts.policy.settings.pageSize ?? PAGE_SIZE;
  const page = yield* tasksOf({ filter, after, pageSize, ...visible });
  return page.ok ? { ...page, tasks: yield* redactRecords(facts, page.tasks) } : page;
}

/** Only what is on this page is counted: nobody reads the whole list. */
function metaOf({ configuration }: Facts, shown: number): { readonly _meta?: object } {
  const { active, policy, warnings } = configuration;
  const own = {
    ...(active && policy.settings.enforcement !== 'shadow'
      ? { concerns: describeConfiguration(configuration), shown }
      : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  return Object.keys(own).length === 0 ? {} : { _meta: { [EXTENSION_ID]: own } };
}

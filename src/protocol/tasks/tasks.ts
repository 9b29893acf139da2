import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import { FITS } from '../../engine/evaluate.js';
import { countHidden, type HiddenCounts } from '../../engine/hidden.js';
import { LruMap } from '../../engine/lru-map.js';
import { decisionOnName } from '../access/visibility.js';
import { canChange } from '../lists/filter-list.js';
import { CURSOR_MESSAGES, digestOf, makeCursor, pageOf, readCursor } from '../messages/cursor.js';
import {
  type Answer,
  answer,
  ERRORS,
  type Failure,
  type Request,
  read,
  TASK_LIST,
} from '../messages/wire.js';
import {
  configure,
  type GateReport,
  type GateScope,
  type MessageContext,
  refuse,
  refuseValue,
  reportConcerns,
  storeWarning,
} from '../request/request.js';
import { withSession } from '../request/session-of.js';
import { applyTaskFilter, readTaskFilter } from './task-filter.js';

/** Tasks whose tool a connection remembers by itself; a store remembers all. */
const MAX_TASKS = 10_000;

/** Which tool made which task, as far as this connection knows: a task itself does not say it. */
export class RememberedTasks {
  private readonly tools = new LruMap<string>({ maxEntries: MAX_TASKS });

  get(taskId: string): string | undefined {
    return this.tools.get(taskId);
  }

  set(taskId: string, tool: string): void {
    this.tools.set(taskId, tool);
  }
}

/** Pages of the server's tasks that are read for one list; a server that goes on after that is taken at its word. */
const MAX_PAGES = 100;

/** One read of the store for each task that this connection does not know. */
const READS_AT_ONCE = 16;

/** Tasks of a store are found by any process, under a key of their own. */
const keyOf = (taskId: string): string => `task/${taskId}`;

/**
 * Remembers which tool made a task, from the answer to the call.
 *
 * @param scope the gate
 * @param tools what this connection remembers
 * @param request the call
 * @param result the server's result
 * @returns a promise where the store has to be waited for: before it, the client must not learn the task's id
 */
export function rememberTask<C extends MessageContext>(
  scope: GateScope<C>,
  tools: RememberedTasks,
  request: Request,
  result: Record<string, unknown>,
): Promise<void> | undefined {
  const taskId = read(result, 'task', 'taskId');
  const tool = read(request.params, 'name');
  if (typeof taskId !== 'string' || typeof tool !== 'string') return undefined;
  tools.set(taskId, tool);
  if (scope.preferences.place !== 'store') return undefined;
  return scope.preferences.store.update(keyOf(taskId), { tool }).then(
    () => undefined,
    (cause) => {
      scope.report({ method: request.method, era: 'legacy', warnings: [storeWarning('written', cause)] });
    },
  );
}

/**
 * Answers `tasks/list`: without the tasks of hidden tools, by the client's own filter and order (SEP-1904), in pages.
 * Whoever could create a task keeps everything else that can be done with it.
 *
 * @param scope the gate
 * @param tools what this connection remembers
 * @param request the request
 * @param context what the transport knows of it
 * @param ports lets the server answer, where nothing is to be filtered; tells whether the request still waits
 * @returns a promise where the store has to be waited for
 */
export function listTasks<C extends MessageContext>(
  scope: GateScope<C>,
  tools: RememberedTasks,
  request: Request,
  context: C,
  ports: { pass(): void; wait(): { done(): boolean } },
): void | Promise<void> {
  const own = readTaskFilter(request.params);
  if (!own.ok) return refuse(scope, request, ERRORS.invalidParams, own.message);
  return withSession(scope, request, (session, logged) => {
    const configuration = configure(scope.policy, request, context, { session, meta: true });
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return refuseValue(scope, request, invalid);
    const hides = canChange(scope.policy, configuration) && scope.policy.settings.enforcement !== 'shadow';
    if (own.filter === undefined && !hides) {
      reportConcerns(scope, { method: TASK_LIST, era: 'legacy' }, configuration, logged);
      return ports.pass();
    }
    const waiting = ports.wait();
    walk(scope, request, context, (outcome) => {
      if ('error' in outcome) {
        if (waiting.done()) scope.reply({ jsonrpc: '2.0', id: request.id, error: outcome.error });
        return;
      }
      const reply = ({ visible, hidden }: VisibleTasks): void => {
        if (!waiting.done()) return;
        // Only calls of tools make tasks on a server.
        const tasks = applyTaskFilter(visible, own.filter, () => 'tools/call');
        const filter = visible.length - tasks.length;
        answerPage(scope, request, tasks, configuration, own.key, logged, {
          shown: tasks.length,
          total: outcome.tasks.length,
          hidden: filter === 0 ? hidden : { ...hidden, filter },
        });
      };
      if (!hides) return reply({ visible: outcome.tasks, hidden: {} });
      void visibleTasks(scope, tools, request, context, configuration, outcome.tasks).then(reply, () => {
        if (!waiting.done()) return;
        refuse(scope, request, ERRORS.internal, 'Which tools made the tasks could not be read; try again.');
      });
    });
  });
}

function walk<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  then: (outcome: { readonly tasks: readonly unknown[] } | { readonly error: Failure['error'] }) => void,
): void {
  const ask = scope.ask(request, context);
  const tasks: unknown[] = [];
  let pages = 0;
  const onPage = (response: Answer | Failure): void => {
    if ('error' in response) return then({ error: response.error });
    const page = read(response.result, 'tasks');
    if (Array.isArray(page)) tasks.push(...page);
    const cursor = read(response.result, 'nextCursor');
    if (typeof cursor !== 'string' || ++pages >= MAX_PAGES) return then({ tasks });
    ask(TASK_LIST, { cursor }, onPage);
  };
  ask(TASK_LIST, {}, onPage);
}

interface VisibleTasks {
  readonly visible: readonly unknown[];
  /** Why the others are hidden: for what hides the tools that made them. */
  readonly hidden: HiddenCounts;
}

async function visibleTasks<C extends MessageContext>(
  scope: GateScope<C>,
  tools: RememberedTasks,
  request: Request,
  context: C,
  configuration: Configuration,
  tasks: readonly unknown[],
): Promise<VisibleTasks> {
  const catalog = await new Promise<Parameters<typeof decisionOnName>[0]>((resolve) => {
    scope.catalogs.get('tools', scope.ask(request, context), (outcome) => {
      resolve(outcome.state === 'complete' ? outcome.catalog.bound : undefined);
    });
  });
  const made: (string | undefined)[] = [];
  for (let from = 0; from < tasks.length; from += READS_AT_ONCE) {
    const some = tasks.slice(from, from + READS_AT_ONCE);
    made.push(...(await Promise.all(some.map((task) => toolOf(scope, tools, read(task, 'taskId'))))));
  }
  const decisions = made.map((tool) =>
    tool === undefined ? FITS : (decisionOnName(catalog, tool, configuration) ?? FITS),
  );
  return {
    visible: tasks.filter((_task, index) => decisions[index]?.effect === 'show'),
    hidden: countHidden(scope.policy, decisions),
  };
}

async function toolOf<C extends MessageContext>(
  { preferences }: GateScope<C>,
  tools: RememberedTasks,
  taskId: unknown,
): Promise<string | undefined> {
  if (typeof taskId !== 'string') return undefined;
  const known = tools.get(taskId);
  if (known !== undefined || preferences.place !== 'store') return known;
  const stored = await preferences.store.read(keyOf(taskId));
  return stored.state === 'live' ? stored.record.tool : undefined;
}

function answerPage<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  tasks: readonly unknown[],
  configuration: Configuration,
  filter: string,
  logged: readonly ConcernWarning[],
  counts: Pick<GateReport, 'shown' | 'total' | 'hidden'>,
): void {
  const target = {
    catalog: digestOf([TASK_LIST, ...tasks.map((task) => String(read(task, 'taskId')))]),
    policy: scope.policy.digest,
    configuration: configuration.key,
    filter,
  };
  const cursor = request.params?.cursor;
  const from = cursor === undefined ? ({ ok: true, offset: 0 } as const) : readCursor(cursor, target);
  if (!from.ok) return refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES[from.reason]);
  const page = pageOf(tasks, from.offset, { pageSize: scope.policy.settings.pageSize });
  const warnings = [...logged, ...configuration.warnings];
  reportConcerns(scope, { method: TASK_LIST, era: 'legacy' }, configuration, warnings, counts);
  const next = page.next === undefined ? {} : { nextCursor: makeCursor({ ...target, offset: page.next }) };
  scope.reply(answer(request, { tasks: page.items, ...next }));
}

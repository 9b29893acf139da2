import QuickLRU from 'quick-lru';
import type { Configuration } from '../../engine/configuration.js';
import { FITS } from '../../engine/evaluate.js';
import { countHidden, type HiddenCounts } from '../../engine/hidden.js';
import { decisionOnName } from '../access/visibility.js';
import { answerPage } from '../lists/answer-page.js';
import { canChange } from '../lists/filter-list.js';
import type { GateScope } from '../lists/gate-scope.js';
import { askForPages } from '../messages/pending-requests.js';
import { ERRORS, type Failure, type Request, read, TASK_LIST } from '../messages/wire.js';
import { withConfiguration } from '../request/preferences.js';
import { reportConcerns, storeWarning } from '../request/report.js';
import { type MessageContext, refuse } from '../request/request.js';
import { applyTaskFilter, readTaskFilter } from './task-filter.js';

/** For how many tasks a connection remembers the tool. A store remembers all. */
const MAX_TASKS = 10_000;

/** Which tool created which task, as far as this connection knows. A task itself does not name its tool. */
export class TaskTools {
  // Created on first use: most connections have no tasks, and many serve a single request.
  private tools: QuickLRU<string, string> | undefined;

  get(taskId: string): string | undefined {
    return this.tools?.get(taskId);
  }

  set(taskId: string, tool: string): void {
    this.tools ??= new QuickLRU({ maxSize: MAX_TASKS });
    this.tools.set(taskId, tool);
  }
}

/** How much of the server's task list is read. Tasks past a bound are not listed. */
const BOUNDS = { pages: 100, milliseconds: 60_000 };

/** How many tasks are looked up in the store at once. */
const READS_AT_ONCE = 16;

/** The key of a task in the session store, where every process can find it. */
const keyOf = (taskId: string): string => `task/${taskId}`;

/**
 * Remembers which tool created a task, from the answer to the tool call.
 *
 * @param scope the gate
 * @param tools the tools that this connection remembers
 * @param request the tool call
 * @param result the server's result
 * @returns a promise if the store must be waited for. Until then the client must not learn the id of the task.
 */
export function rememberTask<C extends MessageContext>(
  scope: GateScope<C>,
  tools: TaskTools,
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
 * Answers `tasks/list`: omits the tasks of hidden tools, applies the client's own filter and order (SEP-1904), and pages.
 * Other task methods are not filtered: a client that has the id of a task could create the task.
 *
 * @param scope the gate
 * @param tools the tools that this connection remembers
 * @param request the request
 * @param context what the transport knows about the request
 * @param ports `pass` lets the server answer. `wait` lets the gate answer later, unless the client cancels before.
 * @returns a promise if the session store must be waited for
 */
export function listTasks<C extends MessageContext>(
  scope: GateScope<C>,
  tools: TaskTools,
  request: Request,
  context: C,
  ports: { pass(): void; wait(): { done(): boolean } },
): void | Promise<void> {
  const own = readTaskFilter(request.params);
  if (!own.ok) return refuse(scope, request, ERRORS.invalidParams, own.message);
  return withConfiguration(scope, request, context, (configuration, logged) => {
    const hides = canChange(configuration) && configuration.policy.settings.enforcement !== 'shadow';
    if (own.filter === undefined && !hides) {
      reportConcerns(scope, { method: TASK_LIST, era: 'legacy' }, configuration, logged);
      return ports.pass();
    }
    const waiting = ports.wait();
    listAll(scope, request, context, (outcome) => {
      if ('error' in outcome) {
        if (waiting.done()) scope.reply({ jsonrpc: '2.0', id: request.id, error: outcome.error });
        return;
      }
      const reply = ({ visible, hidden }: VisibleTasks): void => {
        if (!waiting.done()) return;
        // On a server, only tool calls create tasks.
        const tasks = applyTaskFilter(visible, own.filter, () => 'tools/call');
        const filter = visible.length - tasks.length;
        answerPage(scope, request, {
          field: 'tasks',
          items: tasks,
          identities: () => tasks.map((task) => String(read(task, 'taskId'))),
          configuration,
          filterKey: own.key,
          counts: {
            shown: tasks.length,
            total: outcome.tasks.length,
            hidden: filter === 0 ? hidden : { ...hidden, filter },
          },
          warnings: [...logged, ...configuration.warnings],
        });
      };
      if (!hides) return reply({ visible: outcome.tasks, hidden: {} });
      void visibleTasks(scope, tools, request, context, configuration, outcome.tasks).then(reply, () => {
        if (!waiting.done()) return;
        refuse(
          scope,
          request,
          ERRORS.internal,
          'The tools that created the tasks could not be read. Try again.',
        );
      });
    });
  });
}

type TaskListOutcome = { readonly tasks: readonly unknown[] } | { readonly error: Failure['error'] };

/** Reads the server's whole task list, up to the bounds. */
function listAll<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  then: (outcome: TaskListOutcome) => void,
): void {
  const tasks: unknown[] = [];
  const onPage = (page: unknown): number => {
    const items = read(page, 'tasks');
    if (!Array.isArray(items)) return 0;
    tasks.push(...items);
    return items.length;
  };
  askForPages(scope.ask(request, context), TASK_LIST, { bounds: BOUNDS, onPage }, (end) => {
    then(end.kind === 'failed' ? { error: end.error } : { tasks });
  });
}

interface VisibleTasks {
  readonly visible: readonly unknown[];
  /** How many tasks are hidden, by the reason that hides their tool. */
  readonly hidden: HiddenCounts;
}

async function visibleTasks<C extends MessageContext>(
  scope: GateScope<C>,
  tools: TaskTools,
  request: Request,
  context: C,
  configuration: Configuration,
  tasks: readonly unknown[],
): Promise<VisibleTasks> {
  const toolList = await new Promise<Parameters<typeof decisionOnName>[0]>((resolve) => {
    scope.catalog.get('tools', configuration.policy, scope.ask(request, context), (outcome) => {
      resolve(outcome.state === 'complete' ? outcome.list.bound : undefined);
    });
  });
  const toolNames: (string | undefined)[] = [];
  for (let from = 0; from < tasks.length; from += READS_AT_ONCE) {
    const some = tasks.slice(from, from + READS_AT_ONCE);
    toolNames.push(...(await Promise.all(some.map((task) => toolOf(scope, tools, read(task, 'taskId'))))));
  }
  const decisions = toolNames.map((tool) =>
    tool === undefined ? FITS : (decisionOnName(toolList, tool, configuration) ?? FITS),
  );
  return {
    visible: tasks.filter((_task, index) => decisions[index]?.effect === 'show'),
    hidden: countHidden(decisions, configuration),
  };
}

async function toolOf<C extends MessageContext>(
  { preferences }: GateScope<C>,
  tools: TaskTools,
  taskId: unknown,
): Promise<string | undefined> {
  if (typeof taskId !== 'string') return undefined;
  const known = tools.get(taskId);
  if (known !== undefined || preferences.place !== 'store') return known;
  const stored = await preferences.store.read(keyOf(taskId));
  return stored.state === 'live' ? stored.record.tool : undefined;
}

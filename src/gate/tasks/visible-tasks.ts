import { decide, type IndexedDecision } from '../../engine/evaluate.js';
import { countHidden, type HiddenCounts } from '../../engine/hidden.js';
import { mapPrimitive } from '../../engine/mapping.js';
import { read } from '../../wire/messages.js';
import { decisionOnName, type Lists } from '../enforce/visibility.js';
import { withLists } from '../gather/with-lists.js';
import { canChange } from '../request/can-change.js';
import type { Exchange, TaskMaker } from '../request/exchange.js';
import { callerOf, isListedFor, isPrivate } from './task-owner.js';
import { redactTasks } from './task-redaction.js';

/** How many tasks are looked up in the store at once. */
const READS_AT_ONCE = 16;

/** The tasks of a list that the caller is shown. */
export interface VisibleTasks {
  readonly visible: readonly unknown[];
  /** How many tasks belong to the caller, visible or hidden. */
  readonly total: number;
  /** How many of its tasks are hidden, by the reason that hides their tool. */
  readonly hidden: HiddenCounts;
}

/** Returns whether a configuration can hide tasks of the caller itself. */
export const hidesTasks = ({ configuration }: Exchange): boolean =>
  canChange(configuration) && configuration.policy.settings.enforcement !== 'shadow';

/**
 * Omits the tasks of other callers and of hidden tools. Under `enforce`, a task of an unknown tool is omitted, and what is
 * left is redacted.
 *
 * @param exchange the list request
 * @param tasks the server's tasks
 * @returns the tasks of the caller; rejects if the session store cannot be read
 * @throws {Error} if `enforce` cannot read the server's tools
 */
export async function visibleTasks(exchange: Exchange, tasks: readonly unknown[]): Promise<VisibleTasks> {
  const own = await ownTasks(exchange, tasks);
  if (!hidesTasks(exchange)) return { visible: own.map(({ task }) => task), total: own.length, hidden: {} };
  const { configuration, isEnforced } = exchange;
  const known = isEnforced ? own.filter(({ maker }) => maker !== undefined) : own;
  const makers = known.flatMap(({ maker }) => (maker === undefined ? [] : [maker.tool]));
  const lists = await toolLists(exchange, makers);
  const decisions = known.map(({ maker }) => decisionOn(maker, lists, exchange));
  const shown = known.filter((_, index) => decisions[index]?.effect !== 'hide');
  return {
    visible: await redactTasks(
      exchange,
      shown.map(({ task }) => task),
    ),
    total: known.length,
    hidden: countHidden(
      decisions.filter((decision) => decision !== undefined),
      configuration,
    ),
  };
}

/** Returns which of the tools that create tasks are not hidden. */
export async function shownTools(exchange: Exchange, tools: readonly string[]): Promise<readonly string[]> {
  const lists = await toolLists(exchange, tools);
  return tools.filter((tool) => decisionOn({ tool }, lists, exchange)?.effect !== 'hide');
}

interface OwnTask {
  readonly task: unknown;
  readonly maker: TaskMaker | undefined;
}

async function ownTasks(exchange: Exchange, tasks: readonly unknown[]): Promise<readonly OwnTask[]> {
  const caller = await callerOf(exchange);
  const own: OwnTask[] = [];
  for (let from = 0; from < tasks.length; from += READS_AT_ONCE) {
    const some = tasks.slice(from, from + READS_AT_ONCE).map(async (task) => {
      const taskId = read(task, 'taskId');
      if (typeof taskId !== 'string') return [];
      const maker = await exchange.connection.tasks.get(taskId);
      const isOwn = isPrivate(exchange) || (maker !== undefined && isListedFor(caller, taskId, maker));
      return isOwn ? [{ task, maker }] : [];
    });
    own.push(...(await Promise.all(some)).flat());
  }
  return own;
}

function decisionOn(
  maker: Pick<TaskMaker, 'tool'> | undefined,
  { tools }: Lists,
  { policy, configuration }: Exchange,
): IndexedDecision | undefined {
  if (maker === undefined) return undefined;
  const { tool } = maker;
  // A tool that the server does not list any more is decided by the policy alone.
  return (
    decisionOnName(tools, tool, configuration) ??
    decide(mapPrimitive(policy, 'tools', { name: tool }), configuration)
  );
}

function toolLists(exchange: Exchange, tools: readonly string[]): Promise<Lists> {
  if (tools.length === 0) return Promise.resolve({});
  const targets = [...new Set(tools)].map((name) => ({
    type: 'tool' as const,
    name,
    withName: (params: Readonly<Record<string, unknown>>) => params,
  }));
  return new Promise((resolve, reject) => {
    withLists(exchange, { kinds: ['tools'], targets }, (lists, enough) => {
      if (enough || !exchange.isEnforced) resolve(lists);
      else reject(new Error('The server did not list its tools.'));
    });
  });
}

import { configurationFor } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import { decide, type IndexedDecision } from '../../engine/evaluate.js';
import { countHidden, type HiddenCounts } from '../../engine/hidden.js';
import { mapPrimitive } from '../../engine/mapping.js';
import type { TaskCaller } from '../../session/task-owner.js';
import { read } from '../../wire/messages.js';
import { scopesFor } from '../enforce/explain-target.js';
import { redactRecords } from '../enforce/redaction.js';
import { decisionOnName, isShown } from '../enforce/visibility.js';
import { canChange, canHide } from '../request/configure.js';
import { ask, type Lists, listsFor, type ResponseSteps, type TaskMaker } from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { NO_LISTS } from '../request/whole-list.js';
import { isListedFor, isPrivate } from './task-owner.js';

/** The tasks of a list that the caller is shown. */
export interface VisibleTasks {
  readonly visible: readonly unknown[];
  /** How many tasks belong to the caller, visible or hidden. */
  readonly total: number;
  /** How many of its tasks are hidden, by the reason that hides their tool. A missing scope is not counted. */
  readonly hidden: HiddenCounts;
}

/**
 * Omits the tasks of other callers and of hidden tools. Under `enforce`, a task of an unknown tool is omitted, and what is
 * left is redacted.
 *
 * @param facts the list request
 * @param tasks the server's tasks
 * @returns the tasks of the caller
 * @throws {Error} if `enforce` cannot read the server's tools; what reading the session store throws
 */
export function* visibleTasks(facts: Facts, tasks: readonly unknown[]): ResponseSteps<VisibleTasks> {
  const named = tasks.flatMap((task) => {
    const taskId = read(task, 'taskId');
    return typeof taskId === 'string' ? [{ task, taskId }] : [];
  });
  const own = yield* ownTasks(facts, named, isListedFor);
  if (!canHide(facts.configuration))
    return { visible: own.map(({ task }) => task), total: own.length, hidden: {} };
  const known = facts.isEnforced ? own.filter(({ maker }) => maker !== undefined) : own;
  const makers = known.flatMap(({ maker }) => (maker === undefined ? [] : [maker.tool]));
  const lists = yield* toolLists(makers, facts.isEnforced);
  const decisions = known.map(({ maker }) => decisionOn(maker, lists, facts));
  const shown = known.filter((_, index) => isUsable(decisions[index])).map(({ task }) => task);
  const decided = decisions.filter((decision) => decision !== undefined);
  return {
    visible: yield* redactRecords(facts, shown),
    total: known.length,
    hidden: countHidden(decided, facts.configuration),
  };
}

/** Returns which of the tools that create tasks are not hidden. */
export function* shownTools(facts: Facts, tools: readonly string[]): ResponseSteps<readonly string[]> {
  const lists = yield* toolLists(tools, facts.isEnforced);
  return tools.filter((tool) => isUsable(decisionOn({ tool }, lists, facts)));
}

/** A task has what a tool returned, so it is hidden from a caller who lacks a scope to call the tool. */
const isUsable = ({ effect, reason }: Partial<IndexedDecision> = {}): boolean =>
  effect !== 'hide' && !(typeof reason === 'object' && 'scopes' in reason);

/**
 * Returns whether a tool is not hidden, under `enforce`, from the sender of a request that does not name the tool itself, such
 * as a request about a task.
 *
 * @throws {Error} if the server did not list its tools
 */
export function* toolIsShown(configuration: Configuration, name: string): ResponseSteps<boolean> {
  if (!canChange(configuration)) return true;
  const target = { type: 'tool', name } as const;
  const lists = yield* toolLists([name], true);
  return isShown(lists, target, configuration) && scopesFor(lists, target, configuration).length === 0;
}

/**
 * Returns which tasks are those of the sender.
 *
 * @param facts the request
 * @param tasks the tasks
 * @param isTheirs whether a task of a known maker is one of a caller
 */
export function* ownTasks<T extends { readonly taskId: string }>(
  facts: RequestFacts,
  tasks: readonly T[],
  isTheirs: (caller: TaskCaller, taskId: string, maker: TaskMaker) => boolean,
): ResponseSteps<readonly (T & { readonly maker: TaskMaker | undefined })[]> {
  const caller = yield* ask({ need: 'owner' });
  const makers = yield* ask({ need: 'makers', taskIds: tasks.map(({ taskId }) => taskId) });
  return tasks
    .map((task, index) => ({ ...task, maker: makers[index] }))
    .filter(
      ({ taskId, maker }) => isPrivate(facts) || (maker !== undefined && isTheirs(caller, taskId, maker)),
    );
}

function decisionOn(
  maker: Pick<TaskMaker, 'tool'> | undefined,
  { tools }: Lists,
  { policy, configuration }: Facts,
): IndexedDecision | undefined {
  if (maker === undefined) return undefined;
  const { tool } = maker;
  // A tool that the server does not list any more is decided by the policy alone.
  return (
    decisionOnName(tools, tool, configuration) ??
    decide(mapPrimitive(policy, 'tools', { name: tool }), configurationFor(configuration, 'tools', tool))
  );
}

function* toolLists(tools: readonly string[], isEnforced: boolean): ResponseSteps<Lists> {
  if (tools.length === 0) return NO_LISTS;
  const { lists, enough } = yield* listsFor('tool', new Set(tools));
  if (!enough && isEnforced) throw new Error('The server did not list its tools.');
  return lists;
}

import { type Notification, read } from '../../wire/messages.js';
import { askedTasks } from '../../wire/task-streams.js';
import { judgeListen } from '../concerns/listen.js';
import { canChange } from '../request/configure.js';
import {
  ask,
  fail,
  type RequestOutcome,
  type RequestSteps,
  type ResponseSteps,
  type TaskMaker,
} from '../request/decision.js';
import type { RequestFacts } from '../request/facts.js';
import { mayUse } from './task-owner.js';
import { refuseUnread } from './task-request.js';
import { ownTasks, toolIsShown } from './visible-tasks.js';

/**
 * Decides what a stream of changes is about: which tasks (SEP-2663), and what else. A task of another caller is left out, in
 * every mode, like one that does not exist. So is one whose tool is hidden, under `enforce`.
 */
export function* judgeStream(asked: RequestFacts): RequestSteps<RequestOutcome> {
  const facts = yield* ask({ need: 'preferences', invalid: 'refuse' });
  const taskIds = askedTasks(asked.request.params);
  if (taskIds === undefined) return yield* judgeListen(facts);
  if ('error' in taskIds) return fail(taskIds.error);
  let own: readonly OwnTask[];
  try {
    own = yield* usableTasks(facts, taskIds);
  } catch (cause) {
    return refuseUnread(cause);
  }
  const shown = yield* withShownTools(facts, own);
  const outcome = yield* judgeListen(facts);
  if (outcome.to !== 'server') return outcome;
  const notifications = { ...Object(read(outcome.params, 'notifications')), taskIds: shown };
  return { ...outcome, params: { ...outcome.params, notifications } };
}

/** Returns whether a stream may tell of a task now: the policy and the preferences may have changed since it began. */
export function* isTold(facts: RequestFacts, { params }: Notification): ResponseSteps<boolean> {
  const taskId = read(params, 'taskId');
  if (typeof taskId !== 'string') return false;
  const own = yield* usableTasks(facts, [taskId]);
  return (yield* withShownTools(facts, own)).length > 0;
}

interface OwnTask {
  readonly taskId: string;
  readonly maker: TaskMaker | undefined;
}

function usableTasks(facts: RequestFacts, taskIds: readonly string[]): ResponseSteps<readonly OwnTask[]> {
  const named = taskIds.map((taskId) => ({ taskId }));
  return ownTasks(facts, named, mayUse);
}

function* withShownTools(facts: RequestFacts, own: readonly OwnTask[]): ResponseSteps<readonly string[]> {
  const configuration = yield* ask({ need: 'configuration' });
  // A server that lists tasks by their owner asks for the tool of each itself.
  const isFree = !facts.isEnforced || facts.connection.taskTools !== undefined || !canChange(configuration);
  const shown: string[] = [];
  for (const { taskId, maker } of own) {
    if (isFree || (maker !== undefined && (yield* toolIsShown(configuration, maker.tool))))
      shown.push(taskId);
  }
  return shown;
}

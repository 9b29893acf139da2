import { deferred } from '../../core/once.js';
import { beforeAbort } from '../../core/session/before-abort.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import {
  CAPABILITIES,
  ERRORS,
  listChangedMethod,
  METHODS,
  membersOf,
  read,
  refusal,
  SUBSCRIPTION_META,
  TASKS_EXTENSION,
} from '../../core/wire/messages.js';
import { TASK_CHANGED } from '../../core/wire/task-streams.js';
import { abortSignalOf, CANCELLED, type CallSignal, type Notify, type ServerCall } from '../call.js';
import type { Caller, ChangeListener, Link } from '../link.js';
import type { Upstream } from '../upstream.js';
import { withoutMeta } from './envelope.js';
import type { WatchedKind } from './watched.js';

/** Waits until a client leaves, or until there is nothing more to tell it. */
export function untilLeft(
  signal: CallSignal,
  ended: Promise<unknown> = new Promise(() => undefined),
): Promise<CallAnswer> {
  return beforeAbort(ended, abortSignalOf(signal)).then(
    () => ({ result: { resultType: 'complete' } }),
    () => CANCELLED,
  );
}

/** @returns what a stream asks for of a kind */
export function namesIn(asked: unknown, kind: WatchedKind): readonly string[] {
  const names = read(asked, kind);
  return Array.isArray(names) ? [...new Set(names.map(String))] : [];
}

/** Whether a stream is about tasks alone. It ends when they have ended. */
export const isOfTasks = (asked: unknown): boolean =>
  read(asked, 'taskIds') !== undefined &&
  namesIn(asked, 'resourceSubscriptions').length === 0 &&
  CAPABILITIES.every((each) => read(asked, `${each}ListChanged`) !== true);

/**
 * Answers `subscriptions/listen` of a modern client: acknowledges what the server can tell, and tells it until the client
 * leaves.
 *
 * @param upstream the server
 * @param caller the client
 * @param call its request, as the gate lets it pass
 */
export async function tellChanges(
  upstream: Upstream,
  caller: Caller,
  { params, signal, notify }: ServerCall,
): Promise<CallAnswer> {
  const asked = read(params, 'notifications');
  if (typeof asked !== 'object' || asked === null) {
    return refusal(ERRORS.invalidParams, 'params.notifications must be an object.');
  }
  const lists = CAPABILITIES.filter((each) => read(asked, `${each}ListChanged`) === true);
  const [uris, taskIds] = [namesIn(asked, 'resourceSubscriptions'), namesIn(asked, 'taskIds')];
  const methods = lists.map(listChangedMethod);
  const tasks = new OpenTasks(upstream, notify);
  const listener: ChangeListener = (method, given) => {
    const told = withoutMeta(membersOf(given), [SUBSCRIPTION_META]);
    if (method === TASK_CHANGED) return tasks.changed(told);
    if (method === METHODS.updated ? uris.includes(String(told.uri)) : methods.includes(method))
      notify(method, told);
  };
  // The gate has just read the lists. A change before the acknowledgment is told after it.
  upstream.listeners.add(listener);
  let watched: readonly string[] = [];
  let link: Link | undefined;
  try {
    link = (await upstream.modern()) ?? upstream.pooled(caller);
    const { about } = await link.recovery.opened();
    const { capabilities } = about;
    if (read(capabilities, 'resources', 'subscribe') === true) watched = uris;
    await upstream.watch('resourceSubscriptions', watched, 1);
    // The tasks of a legacy server are others.
    const hasTasks = link.era === 'modern' && read(capabilities, 'extensions', TASKS_EXTENSION) !== undefined;
    const known = hasTasks ? await tasks.watch(taskIds, link) : [];
    // The gate announces changed lists too, for example after a new policy, so each list that the server has can change.
    const able = lists.filter((each) => read(capabilities, each) !== undefined);
    const told = Object.fromEntries(able.map((each) => [`${each}ListChanged`, true]));
    const resources = watched.length === 0 ? {} : { resourceSubscriptions: watched };
    const ofTasks = read(asked, 'taskIds') === undefined ? {} : { taskIds: known };
    notify(METHODS.acknowledged, { notifications: { ...told, ...resources, ...ofTasks } });
    return await untilLeft(signal, isOfTasks(asked) ? tasks.ended.promise : undefined);
  } finally {
    void link?.release();
    upstream.listeners.delete(listener);
    void upstream.watch('resourceSubscriptions', watched, -1).catch(() => undefined);
    tasks.leave();
  }
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** The tasks of one stream that have not ended. */
class OpenTasks {
  /** What the stream was told last of each: a server that is asked for more tasks tells again of those that it watches. */
  private readonly told = new Map<string, string>();
  /** Resolved when there are none left. */
  readonly ended = deferred();

  constructor(
    private readonly upstream: Upstream,
    private readonly notify: Notify,
  ) {}

  /** @returns those that the server knows */
  async watch(taskIds: readonly string[], { watched }: Link): Promise<readonly string[]> {
    for (const each of taskIds) this.told.set(each, '');
    await this.upstream.watch('taskIds', taskIds, 1);
    this.drop(taskIds.filter((each) => !watched.tasks.has(each)));
    return taskIds.filter((each) => watched.tasks.has(each));
  }

  changed(task: Record<string, unknown>): void {
    const [taskId, text] = [String(task.taskId), JSON.stringify(task)];
    const before = this.told.get(taskId);
    if (before === undefined || before === text) return;
    this.told.set(taskId, text);
    this.notify(TASK_CHANGED, task);
    if (ENDED.has(task.status)) this.drop([taskId]);
  }

  leave(): void {
    this.drop([...this.told.keys()]);
  }

  private drop(taskIds: readonly string[]): void {
    const open = taskIds.filter((each) => this.told.delete(each));
    void this.upstream.watch('taskIds', open, -1).catch(() => undefined);
    if (this.told.size === 0) this.ended.resolve();
  }
}

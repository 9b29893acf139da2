import { insideName, outsideName } from '../../core/engine/servers/outside-names.js';
import { deferred } from '../../core/once.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import { CAPABILITIES, METHODS, type Members, read } from '../../core/wire/messages.js';
import type { Notify, ServerCall } from '../call.js';
import { isOfTasks, namesIn, untilLeft } from '../eras/stream.js';
import type { WatchedKind } from '../eras/watched.js';
import { ask, type Part } from './part.js';

/**
 * Tells a modern client what changes on all servers, until it leaves or all its tasks have ended. The servers together have
 * one acknowledgment.
 *
 * @param asked what the stream asks for
 */
export async function listenToAll(
  parts: readonly Part[],
  call: ServerCall,
  asked: Members,
): Promise<CallAnswer> {
  const own = (kind: WatchedKind, slug: string) =>
    namesIn(asked, kind).filter((each) => insideName('resources', each)?.slug === slug);
  const streams = parts
    .filter(({ member }) => !isOfTasks(asked) || own('taskIds', member.slug).length > 0)
    .map((part) => {
      const { slug } = part.member;
      const [uris, taskIds] = [own('resourceSubscriptions', slug), own('taskIds', slug)];
      return { uris, ...listenTo(part, call, asked, uris, taskIds) };
    });
  const lists = CAPABILITIES.map((each) => `${each}ListChanged`).filter((each) => asked[each] === true);
  const uris = streams.flatMap((each) => each.uris);
  const taskIds = (await Promise.all(streams.map((each) => each.taskIds))).flat();
  const notifications = {
    ...Object.fromEntries(lists.map((each) => [each, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    ...(asked.taskIds === undefined ? {} : { taskIds }),
  };
  call.notify(METHODS.acknowledged, { notifications });
  const answers = Promise.all(streams.map(({ answer }) => answer));
  return untilLeft(call.signal, isOfTasks(asked) ? answers : undefined);
}

/** Listens to one of the servers. Resolves with the tasks that it knows, as the client names them, and with its answer. */
function listenTo(
  part: Part,
  call: ServerCall,
  { taskIds: _all, ...others }: Members,
  uris: readonly string[],
  taskIds: readonly string[],
) {
  const inward = (names: readonly string[]) =>
    names.flatMap((each) => insideName('resources', each)?.own ?? []);
  const ofTasks = taskIds.length === 0 ? {} : { taskIds: inward(taskIds) };
  const notifications = { ...others, resourceSubscriptions: inward(uris), ...ofTasks };
  const known = deferred<readonly string[]>();
  const notify: Notify = (method, given) => {
    if (method !== METHODS.acknowledged) return call.notify(method, given);
    const found = namesIn(read(given, 'notifications'), 'taskIds');
    known.resolve(found.map((each) => outsideName(part.member.slug, 'tasks', each)));
  };
  const answer = ask(part, { ...call, notify, params: { ...call.params, notifications } });
  // A server that cannot be asked knows none.
  void answer.then(() => known.resolve([]));
  return { taskIds: taskIds.length === 0 ? [] : known.promise, answer };
}

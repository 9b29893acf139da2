import type { SessionRead } from '../../session/store.js';
import type { TaskCaller } from '../../session/task-owner.js';
import { whenKnown } from '../../wire/serial-queue.js';
import type { TaskMaker } from '../request/decision.js';
import { readSession } from '../request/kept-preferences.js';
import { isPrivate, principalOf } from '../tasks/task-owner.js';
import type { TaskRecords } from '../tasks/task-records.js';
import type { Exchange } from './exchange.js';

/** How many tasks are looked up in the store at once. */
const READS_AT_ONCE = 16;

/**
 * Returns who sent a request: the verified caller, by issuer and subject or by its client if there is no subject; else the
 * session. A session counts only if this endpoint opened it: a client can send any text as a session id.
 *
 * @returns a promise if the session store must be waited for
 */
export function ownerOf(exchange: Exchange): TaskCaller | Promise<TaskCaller> {
  const { connection, era, sender } = exchange;
  const principal = principalOf(sender);
  if (principal !== undefined) return principal;
  const { preferences } = connection;
  if (isPrivate(exchange)) return { session: connection.name };
  if (preferences.place === 'none' || era === 'modern') return {};
  const id = preferences.id ?? connection.name;
  return whenKnown(readSession(preferences), (session) => openedBy(session, id));
}

/** The answer to `initialize` sets `listChanged`. An update of a session that nobody opened does not. */
const openedBy = (session: SessionRead, id: string): TaskCaller =>
  session.state === 'live' && session.record.listChanged !== undefined ? { session: id } : {};

/** Returns who created tasks; a promise if the store must be waited for. */
export function makersOf(
  records: TaskRecords,
  taskIds: readonly string[],
): readonly (TaskMaker | undefined)[] | Promise<readonly (TaskMaker | undefined)[]> {
  const [first] = taskIds;
  if (first === undefined || taskIds.length > 1) return readMakers(records, taskIds);
  return whenKnown(records.get(first), (maker) => [maker]);
}

async function readMakers(
  records: TaskRecords,
  taskIds: readonly string[],
): Promise<readonly (TaskMaker | undefined)[]> {
  const makers: (TaskMaker | undefined)[] = [];
  for (let from = 0; from < taskIds.length; from += READS_AT_ONCE) {
    const some = taskIds.slice(from, from + READS_AT_ONCE).map((id) => records.get(id));
    makers.push(...(await Promise.all(some)));
  }
  return makers;
}

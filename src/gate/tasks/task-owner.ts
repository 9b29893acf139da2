import type { SessionRead } from '../../session/store.js';
import { bearerOf, hasOwner, ownerOf, type TaskCaller } from '../../session/task-owner.js';
import { read } from '../../wire/messages.js';
import type { Exchange, TaskMaker } from '../request/exchange.js';
import { readSession } from '../request/session-preferences.js';

/**
 * Returns whether the connection has one client by its nature, such as stdio. Then everything that the server has belongs
 * to this client, also tasks of unknown makers: the server may have kept them since an earlier connection.
 */
export const isPrivate = ({ connection: { preferences }, sender }: Exchange): boolean =>
  preferences.place === 'connection' && sender.http === undefined;

/**
 * Returns who sent a request: the verified caller, by issuer and subject or by its client if there is no subject; else the
 * session. A session counts only if this endpoint opened it: a client can send any text as a session id.
 *
 * @returns a promise if the session store must be waited for
 */
export function callerOf(exchange: Exchange): TaskCaller | Promise<TaskCaller> {
  const { connection, era } = exchange;
  const principal = principalOf(exchange);
  if (principal !== undefined) return principal;
  const { preferences } = connection;
  if (isPrivate(exchange)) return { session: connection.name };
  if (preferences.place === 'none' || era === 'modern') return {};
  const id = preferences.id ?? connection.name;
  const found = readSession(preferences);
  return found instanceof Promise ? found.then((session) => openedBy(session, id)) : openedBy(found, id);
}

/** The answer to `initialize` sets `listChanged`. An update of a session that nobody opened does not. */
const openedBy = (session: SessionRead, id: string): TaskCaller =>
  session.state === 'live' && session.record.listChanged !== undefined ? { session: id } : {};

/** The same caller as that of a session: see `bindSessions`. */
export function principalOf({ sender }: Exchange): TaskCaller | undefined {
  const iss = sender.claims?.get('iss');
  const sub = sender.claims?.get('sub');
  const issuer = typeof iss === 'string' ? iss : '';
  if (typeof sub === 'string' && sub !== '') return { issuer, subject: `sub ${sub}` };
  const client = read(sender.extra, 'authInfo', 'clientId');
  return typeof client === 'string' && client !== '' ? { issuer, subject: `client ${client}` } : undefined;
}

/** Returns whether a caller that knows the id of a task may use the task. */
export function mayUse(caller: TaskCaller, taskId: string, maker: TaskMaker): boolean {
  return maker.owner === bearerOf(taskId) || maker.owner === ownerOf(caller, taskId);
}

/** Returns whether a task is in the list of a caller. A task that belongs to whoever has its id is in no list. */
export function isListedFor(caller: TaskCaller, taskId: string, maker: TaskMaker): boolean {
  return hasOwner(caller) && maker.owner === ownerOf(caller, taskId);
}

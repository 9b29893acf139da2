import { bearerOf, callerOfToken, hasOwner, ownerOf, type TaskCaller } from '../../session/task-owner.js';
import { read } from '../../wire/messages.js';
import type { Sender } from '../request/configure.js';
import type { TaskMaker } from '../request/decision.js';
import type { RequestFacts } from '../request/facts.js';

/**
 * Returns whether the connection has one client by its nature, such as stdio. Then everything that the server has belongs
 * to this client, also tasks of unknown makers: the server may have kept them since an earlier connection.
 */
export const isPrivate = ({ keeps, sender }: Pick<RequestFacts, 'keeps' | 'sender'>): boolean =>
  keeps.place === 'connection' && sender.http === undefined;

/** The same caller as that of a session: see `bindSessions`. */
export const principalOf = ({ claims, extra }: Sender): TaskCaller | undefined =>
  callerOfToken(claims?.get('iss'), claims?.get('sub'), read(extra, 'authInfo', 'clientId'));

/** Returns whether a caller that knows the id of a task may use the task. */
export function mayUse(caller: TaskCaller, taskId: string, maker: TaskMaker): boolean {
  return maker.owner === bearerOf(taskId) || maker.owner === ownerOf(caller, taskId);
}

/** Returns whether a task is in the list of a caller. A task that belongs to whoever has its id is in no list. */
export function isListedFor(caller: TaskCaller, taskId: string, maker: TaskMaker): boolean {
  return hasOwner(caller) && maker.owner === ownerOf(caller, taskId);
}

import { digestOf } from './digest.js';

/** Who calls, as far as the endpoint verified it. */
export interface TaskCaller {
  /** The issuer of the caller's verified token. */
  readonly issuer?: string | undefined;
  /** The subject of the caller's verified token, or its client. */
  readonly subject?: string | undefined;
  /** The session of the request, if this endpoint opened it. */
  readonly session?: string | undefined;
}

/**
 * Returns to whom a task belongs: the verified caller, else the session, else whoever has the id of the task.
 *
 * @param caller who calls
 * @param taskId the id of the task
 * @returns the owner. It contains neither the subject nor the session id.
 * @example
 * ownerOf({ session: 'session-1' }, 'task-1').startsWith('s#'); // true
 */
export function ownerOf({ issuer, subject, session }: TaskCaller, taskId: string): string {
  if (issuer !== undefined && subject !== undefined) return `p#${digestOf([issuer, subject], 'base64url')}`;
  return session === undefined ? bearerOf(taskId) : `s#${digestOf([session], 'base64url')}`;
}

/** Whether a caller's tasks can be listed: they cannot if only their ids say whose they are. */
export function hasOwner({ issuer, subject, session }: TaskCaller): boolean {
  return (issuer !== undefined && subject !== undefined) || session !== undefined;
}

/** Returns the owner of a task that belongs to whoever has its id. */
export const bearerOf = (taskId: string): string => `b#${taskId}`;

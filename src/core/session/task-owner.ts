import { sha256Of } from '../sha256.js';

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
 * Returns the verified caller. A subject is unique only within its issuer. Some tokens of machines have no subject; there
 * the client is the caller.
 *
 * @param iss the claims of the token, of any type
 * @param clientId the client that the token was issued to
 * @returns `undefined` if the token names nobody
 * @example
 * callerOfToken('https://login.example.com', 'alice', 'host'); // { issuer: 'https://login.example.com', subject: 'sub alice' }
 */
export function callerOfToken(iss: unknown, sub: unknown, clientId: unknown): TaskCaller | undefined {
  const issuer = typeof iss === 'string' ? iss : '';
  if (typeof sub === 'string' && sub !== '') return { issuer, subject: `sub ${sub}` };
  return typeof clientId === 'string' && clientId !== ''
    ? { issuer, subject: `client ${clientId}` }
    : undefined;
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
  const digest = (...texts: string[]): string => sha256Of(JSON.stringify(texts), 'base64url');
  if (issuer !== undefined && subject !== undefined) return `p#${digest(issuer, subject)}`;
  return session === undefined ? bearerOf(taskId) : `s#${digest(session)}`;
}

/** Whether a caller's tasks can be listed: they cannot if only their ids say whose they are. */
export function hasOwner({ issuer, subject, session }: TaskCaller): boolean {
  return (issuer !== undefined && subject !== undefined) || session !== undefined;
}

/** Returns the owner of a task that belongs to whoever has its id. */
export const bearerOf = (taskId: string): string => `b#${taskId}`;

import type { MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { TaskCaller } from '../../session/task-owner.js';
import { read } from '../../wire/messages.js';

/**
 * Returns who sent a message: the verified caller, by issuer and subject or by its client if there is no subject; and the
 * session.
 *
 * @param extra what the transport says about the message
 * @param session the session of the transport. A connection that is not HTTP is a session of its own.
 */
export function callerOf(
  extra: MessageExtraInfo | undefined,
  session: { readonly id: string | undefined; readonly connection: string },
): TaskCaller {
  const { authInfo } = extra ?? {};
  const iss = read(authInfo?.extra, 'iss');
  const sub = read(authInfo?.extra, 'sub');
  const issuer = typeof iss === 'string' ? iss : '';
  if (typeof sub === 'string' && sub !== '') return { issuer, subject: `sub ${sub}` };
  if (authInfo?.clientId) return { issuer, subject: `client ${authInfo.clientId}` };
  return { session: session.id ?? (isHttp(extra) ? undefined : session.connection) };
}

/** Whether a message arrived in an HTTP request. Otherwise the connection lasts as long as its client. */
export function isHttp(extra: MessageExtraInfo | undefined): boolean {
  return extra?.requestInfo !== undefined || read(extra, 'request') !== undefined;
}

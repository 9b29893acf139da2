import { type ErrorClass, errorClass } from '../../errors.js';
import type { PrincipalPreferences } from '../../gate/request/kept-preferences.js';
import { principalId } from '../../session/principal.js';
import type { SessionStore } from '../../session/store.js';
import type { AuthInfo } from '../../wire/transport.js';
import type { HandlerOptions } from '../fetch-handler.js';

const HandlerErrorBase: ErrorClass<'HandlerError', 'HANDLER_INVALID'> = errorClass(
  'HandlerError',
  'HANDLER_INVALID',
);

/** The options of a handler contradict each other. */
export class HandlerError extends HandlerErrorBase {}

/**
 * Returns where the preferences of a caller are kept. A caller is its issuer and subject: without one of them, two callers
 * could not be told apart.
 *
 * @param preferences the option of the handler
 * @param store the session store
 * @param authInfo the verified caller
 * @returns `undefined` if preferences are not kept per caller
 * @example
 * principalPreferences('principal', store, authInfo)?.place; // 'store'
 */
export function principalPreferences(
  preferences: HandlerOptions['preferences'],
  store: SessionStore | undefined,
  authInfo: AuthInfo | undefined,
): PrincipalPreferences | undefined {
  if (preferences === undefined || store === undefined) return undefined;
  const { iss, sub } = authInfo?.extra ?? {};
  const isKnown = typeof iss === 'string' && iss !== '' && typeof sub === 'string' && sub !== '';
  return isKnown ? { place: 'store', store, id: principalId(iss, sub) } : { place: 'none' };
}

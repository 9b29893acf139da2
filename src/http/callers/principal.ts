import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { ConcernsError } from '../../errors.js';
import type { PrincipalPreferences } from '../../gate/request/kept-preferences.js';
import { principalId } from '../../session/principal.js';
import type { SessionStore } from '../../session/store.js';
import type { HandlerOptions } from '../fetch-handler.js';

/** The options of a handler contradict each other. */
export class HandlerError extends ConcernsError {
  readonly code = 'HANDLER_INVALID';
  override readonly name = 'HandlerError';
}

/** The options that say whether preferences are kept per caller, and where. */
export type PreferenceOptions = Pick<HandlerOptions, 'preferences' | 'store'>;

/**
 * Checks that there is a store if preferences are kept per caller.
 *
 * @param options the options of a handler
 * @throws {HandlerError} if there is none
 */
export function checkPreferenceOptions({ preferences, store }: PreferenceOptions): void {
  if (preferences === undefined || store !== undefined) return;
  throw new HandlerError(
    "preferences: 'principal' needs a store, but none was passed. Pass store, or remove preferences.",
  );
}

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
  preferences: PreferenceOptions['preferences'],
  store: SessionStore | undefined,
  authInfo: AuthInfo | undefined,
): PrincipalPreferences | undefined {
  if (preferences === undefined || store === undefined) return undefined;
  const { iss, sub } = authInfo?.extra ?? {};
  const isKnown = typeof iss === 'string' && iss !== '' && typeof sub === 'string' && sub !== '';
  return isKnown ? { place: 'store', store, id: principalId(iss, sub) } : { place: 'none' };
}

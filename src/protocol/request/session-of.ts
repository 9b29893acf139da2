import type { ConcernWarning } from '../../engine/configuration.js';
import type { SessionRead } from '../../session/store.js';
import { ERRORS, eraOf, type Request } from '../messages/wire.js';
import { readPreferences } from './preferences.js';
import { type GateScope, type MessageContext, refuse, storeWarning } from './request.js';

const UNKNOWN_SESSION: ConcernWarning = {
  code: 'unknown-session',
  message: 'The session is not known here, or expired; it is served as one that was never configured.',
};

/**
 * Goes on with what is kept of a request's session: at once where nothing has to be asked. Modern requests have none. If
 * the store cannot be read, `advisory` goes on with the other carriers, and `enforce` refuses: what it does not know may
 * be what hides something.
 *
 * @param scope the gate
 * @param request the request
 * @param then gets the session, and what the log should know of it
 * @returns a promise where the store has to be waited for
 */
export function withSession<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  then: (session: SessionRead, logged: readonly ConcernWarning[]) => void,
): void | Promise<void> {
  if (eraOf(request) === 'modern') return then({ state: 'unknown' }, []);
  const session = readPreferences(scope.preferences);
  if (!(session instanceof Promise)) return then(session, []);
  return session.then(
    (found) => then(found, found.state === 'live' ? [] : [UNKNOWN_SESSION]),
    (cause) => {
      const logged = [storeWarning('read', cause)];
      if (scope.policy.settings.enforcement !== 'enforce') return then({ state: 'unknown' }, logged);
      scope.report({ method: request.method, era: 'legacy', warnings: logged });
      refuse(scope, request, ERRORS.internal, 'What this session may see could not be read; try again.');
    },
  );
}

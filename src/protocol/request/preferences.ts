import { type ConcernWarning, type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import type { SessionRead } from '../../session/store.js';
import {
  CLIENT_CAPABILITIES_META,
  ERRORS,
  EXTENSION_ID,
  eraOf,
  type Request,
  read,
} from '../messages/wire.js';
import { readPreferenceSources } from './preference-sources.js';
import { storeWarning } from './report.js';
import { type MessageContext, type RequestScope, refuse, refuseValue } from './request.js';
import { keptCapabilities, readSession } from './session-preferences.js';

/** Receives a configuration, and warnings that belong in the log only. */
type UseConfiguration = (configuration: Configuration, logged: readonly ConcernWarning[]) => void;

/**
 * Reads the preferences of a request from every source and calls `then` with the configuration. Answers the request
 * with an error instead if it carries an invalid value under `invalid: error`, or if `enforce` cannot read the session.
 *
 * @param scope the gate
 * @param request a request whose `_meta` may carry preferences
 * @param context what the transport knows about the request
 * @param then called with the configuration, before this function returns if the session is at hand
 * @returns a promise if the session store must be waited for
 * @example
 * withConfiguration(scope, request, context, (configuration) => answerList(configuration));
 */
export function withConfiguration(
  scope: RequestScope,
  request: Request,
  context: MessageContext,
  then: UseConfiguration,
): void | Promise<void> {
  return readConfiguration(scope, request, context, (configuration, logged) => {
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return refuseValue(scope, request, configuration, invalid);
    then(configuration, logged);
  });
}

/**
 * Does what `withConfiguration` does, but ignores invalid values.
 *
 * @returns a promise if the session store must be waited for
 */
export function readConfiguration(
  scope: RequestScope,
  request: Request,
  context: MessageContext,
  then: UseConfiguration,
): void | Promise<void> {
  // The policy may be replaced while the session is read. The request keeps the one that it began under.
  const { policy } = scope;
  return withSession(scope, policy, request, (session, logged) => {
    then(configure(policy, request, context, { session, meta: true }), logged);
  });
}

/**
 * Returns the configuration of a connection's session, without the `_meta` of any single request.
 *
 * @param scope the gate
 * @param latest the latest request of the connection, and what the transport knows about it
 * @param policy the policy to apply
 */
export async function sessionConfiguration(
  scope: RequestScope,
  { request, context }: { readonly request: Request; readonly context: MessageContext },
  policy = scope.policy,
): Promise<Configuration> {
  const session = await readSession(scope.preferences);
  return configure(policy, request, context, { session, meta: false });
}

/** What `configure` reads besides the request's transport. */
export interface ConfigureOptions {
  /** What the store or the connection keeps for the session. */
  readonly session: SessionRead;
  /** Whether the request's own `_meta` counts. It does on lists and access-checked methods, not on `updateConcerns`. */
  readonly meta: boolean;
}

/**
 * Resolves the configuration of a request from all preference sources. A modern request (2026-07-28) carries its
 * client's capabilities, and no session is read for it: one request must not change the lists that another one gets.
 *
 * @param policy the policy
 * @param request the request
 * @param context what the transport knows about the request
 * @param options the session, and whether the request's own `_meta` counts
 * @returns the configuration, with the warnings about all sources
 */
export function configure(
  policy: Policy,
  request: Request | undefined,
  context: MessageContext,
  { session, meta }: ConfigureOptions,
): Configuration {
  const modern = eraOf(request) === 'modern';
  const record = session.state === 'live' ? session.record : {};
  const capabilities = modern
    ? read(request?.params, '_meta', CLIENT_CAPABILITIES_META)
    : keptCapabilities(policy, record);
  const kept = modern
    ? ({
        from: 'capabilities',
        concerns: read(capabilities, 'extensions', EXTENSION_ID, 'concerns'),
      } as const)
    : ({ from: 'session', concerns: record.concerns } as const);
  const { sources, warnings } = readPreferenceSources(meta ? request : undefined, kept, context.http);
  // Under `enforce`, a session that expired must not show what it used to hide.
  const forgotten = !modern && session.state !== 'live' && policy.settings.enforcement === 'enforce';
  const configuration = resolveConfiguration(policy, sources, {
    claims: context.claims,
    capabilities,
    forgotten,
  });
  return warnings.length === 0
    ? configuration
    : { ...configuration, warnings: [...warnings, ...configuration.warnings] };
}

const UNKNOWN_SESSION: ConcernWarning = {
  code: 'unknown-session',
  message:
    'The session is unknown or expired, so its preferences are lost. The host must send them again with updateConcerns.',
};

/**
 * Reads the session of a request and calls `then`. If the store cannot be read, `advisory` continues with the other
 * preference sources. `enforce` refuses: the preferences that it cannot read may hide something.
 */
function withSession(
  scope: RequestScope,
  { settings }: Policy,
  request: Request,
  then: (session: SessionRead, logged: readonly ConcernWarning[]) => void,
): void | Promise<void> {
  if (eraOf(request) === 'modern') return then({ state: 'unknown' }, []);
  const session = readSession(scope.preferences);
  if (!(session instanceof Promise)) return then(session, []);
  return session.then(
    (found) => then(found, found.state === 'live' ? [] : [UNKNOWN_SESSION]),
    (cause) => {
      const logged = [storeWarning('read', cause)];
      if (settings.enforcement !== 'enforce') return then({ state: 'unknown' }, logged);
      scope.report({ method: request.method, era: 'legacy', warnings: logged });
      refuse(
        scope,
        request,
        ERRORS.internal,
        'The preferences of this session could not be read. Try again.',
      );
    },
  );
}

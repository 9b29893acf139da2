import { policyMistake } from '../gate/request/policy-mistake.js';
import { HandlerError } from './callers/principal.js';
import type { HandlerOptions } from './fetch-handler.js';

/**
 * Checks the options of a handler when it is made: a mistake would otherwise fail each request.
 *
 * @param options the options of a handler of SDK v1 or v2
 * @throws {HandlerError} if the server is not a function, the policy is not a policy, or a store is missing
 * @example
 * checkOptions({ server: () => createServer(), policy: loadPolicy('policy.yaml') });
 */
export function checkOptions(
  options: Pick<HandlerOptions, 'preferences' | 'store'> & Readonly<Record<'server' | 'policy', unknown>>,
): void {
  const { server, policy, preferences, store } = options;
  if (preferences !== undefined && store === undefined) {
    throw new HandlerError(
      "preferences: 'principal' needs a store, but none was passed. Pass store, or remove preferences.",
    );
  }
  const mistake = policyMistake(policy);
  if (mistake !== undefined) throw new HandlerError(mistake);
  if (typeof server === 'function') return;
  throw new HandlerError(
    'The option "server" must be a function that makes a new server. Pass { server: () => createServer() }.',
  );
}

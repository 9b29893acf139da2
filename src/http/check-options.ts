import { policyMistake } from '../gate/request/policy-mistake.js';
import { checkPreferenceOptions, HandlerError, type PreferenceOptions } from './callers/principal.js';

/**
 * Checks the options of a handler when it is made: a mistake would otherwise fail each request.
 *
 * @param options the options of a handler of SDK v1 or v2
 * @throws {HandlerError} if the server is not a function, the policy is not a policy, or a store is missing
 * @example
 * checkOptions({ server: () => createServer(), policy: loadPolicy('policy.yaml') });
 */
export function checkOptions(
  options: PreferenceOptions & { readonly server: unknown; readonly policy: unknown },
): void {
  checkPreferenceOptions(options);
  const mistake = policyMistake(options.policy);
  if (mistake !== undefined) throw new HandlerError(mistake);
  if (typeof options.server === 'function') return;
  throw new HandlerError(
    'The option "server" must be a function that makes a new server. Pass { server: () => createServer() }.',
  );
}

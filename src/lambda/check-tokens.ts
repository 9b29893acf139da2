import { ConcernsError } from '../errors.js';
import type { HandlerOptions } from '../http/fetch-handler.js';
import { policyInForce } from '../protocol/request/live-policy.js';
import type { InvocationOptions } from './invocation.js';

/** A streaming function requires tokens that nothing verifies. */
export class StreamingError extends ConcernsError {
  readonly code = 'STREAMING_INVALID';
  override readonly name = 'StreamingError';
}

interface TokenOptions extends Pick<HandlerOptions, 'policy'>, Pick<InvocationOptions, 'authorization'> {
  readonly warn: (message: string) => void;
}

/**
 * Checks that something verifies tokens if the function or its policy depends on them. A function URL has no authorizer,
 * so only a verifier can.
 *
 * @param options the policy and how hosts log in; `warn` is called if operator concerns cannot have claims
 * @throws {StreamingError} if tokens are required, but there is no verifier
 */
export function checkTokensAreVerified({ policy, authorization, warn }: TokenOptions): void {
  if (authorization?.verifier !== undefined) return;
  if (authorization !== undefined) {
    throw new StreamingError(
      'A function URL does not verify tokens. Pass authorization.verifier, or use an HTTP API with a JWT authorizer.',
    );
  }
  if (policyInForce(policy).concerns.some(({ setBy }) => setBy === 'operator')) {
    warn(
      'A function URL does not verify tokens. Without authorization.verifier, operator concerns have no claims.',
    );
  }
}

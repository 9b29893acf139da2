import { type ErrorClass, errorClass } from '../errors.js';
import { policyInForce } from '../gate/request/live-policy.js';
import type { HandlerOptions } from '../http/fetch-handler.js';
import type { InvocationOptions } from './invocation.js';

const StreamingErrorBase: ErrorClass<'StreamingError', 'STREAMING_INVALID'> = errorClass(
  'StreamingError',
  'STREAMING_INVALID',
);

/** A streaming function requires tokens that nothing verifies. */
export class StreamingError extends StreamingErrorBase {}

interface TokenOptions extends Pick<HandlerOptions, 'policy'>, Pick<InvocationOptions, 'authorization'> {
  readonly warn: (message: string) => void;
}

/**
 * Checks that something verifies tokens if the function or its policy depends on them. Called only if no
 * authorizer is in front of the function, so only a verifier can.
 *
 * @param options the policy and how hosts log in; `warn` is called if operator concerns cannot have claims
 * @throws {StreamingError} if tokens are required, but there is no verifier
 */
export function checkTokensAreVerified({ policy, authorization, warn }: TokenOptions): void {
  if (authorization?.verifier !== undefined) return;
  if (authorization !== undefined) {
    throw new StreamingError(
      'Nothing verifies tokens before this streaming function runs. Pass authorization.verifier or, if an authorizer does, set MCP_CONCERNS_AUTHORIZER to gateway.',
    );
  }
  if (policyInForce(policy).concerns.some(({ setBy }) => setBy === 'operator')) {
    warn(
      'Nothing verifies callers before this streaming function runs, so operator concerns have no claims. Pass authorization.verifier or, if an authorizer does, set MCP_CONCERNS_AUTHORIZER to gateway.',
    );
  }
}

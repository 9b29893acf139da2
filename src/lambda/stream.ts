import { createHandler } from '../http/sdk-v1.js';
import type { LambdaHandlerOptions } from './lambda.js';
import { type CallerOptions, checkCallers, type StreamingHandler, streamEvents } from './streamed.js';

export {
  checkCallers,
  type ResponseSink,
  StreamingError,
  type StreamingHandler,
  streamEvents,
} from './streamed.js';

export interface StreamingHandlerOptions extends LambdaHandlerOptions, Pick<CallerOptions, 'warn'> {}

/**
 * Serves an SDK v1 server as a Lambda function behind a function URL in the mode `RESPONSE_STREAM`: notifications reach
 * the host while the server works, and the answer may be longer than 6 MB.
 *
 * Nothing before a function URL verifies tokens: without `authorization.verifier` there are no claims, so operator
 * concerns have none either, and sessions are not bound to anybody.
 *
 * @param options as for `createLambdaHandler`
 * @returns the function's handler; outside of Lambda's runtime, which alone can stream, a buffered one
 * @throws {StreamingError} if tokens are asked for that nobody verifies
 * @example
 * export const handler = createStreamingHandler({ server: createVaultServer, policy, store });
 */
export function createStreamingHandler(options: StreamingHandlerOptions): StreamingHandler {
  checkCallers(options);
  return streamEvents(createHandler(options), options);
}

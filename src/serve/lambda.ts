import { inTime, type LambdaContext } from './deadline.js';
import { type HttpEvent, type HttpResult, toResult } from './event.js';
import { createInvocations, type InvocationOptions } from './invocation.js';
import { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from './sdk-v1.js';

export type { Authorization } from './authorization.js';
export type { LambdaContext } from './deadline.js';
export type { HttpEvent, HttpResult } from './event.js';
export type { InvocationOptions } from './invocation.js';

export interface LambdaHandlerOptions extends FetchHandlerOptions, InvocationOptions {}

export type LambdaHandler = (event: HttpEvent, context?: LambdaContext) => Promise<HttpResult>;

// The first Headers object loads the web platform's HTTP code: better while Lambda initialises than in a request.
new Headers();

/**
 * Serves an SDK v1 server as a Lambda function behind an HTTP API or a function URL, answers buffered.
 *
 * @param options the server factory, the policy, the store that all environments share, and who may call
 * @returns the function's handler; it throws an {@link EventError} for events that are no HTTP requests
 * @example
 * export const handler = createLambdaHandler({
 *   server: createVaultServer,
 *   policy: openCompiledPolicy(JSON.parse(readFileSync('policy.json', 'utf8'))),
 *   store: createDynamoStore({ table: 'sessions' }),
 * });
 */
export function createLambdaHandler(options: LambdaHandlerOptions): LambdaHandler {
  return handleEvents(createFetchHandler(options), options);
}

/**
 * Makes a Lambda handler of anything that answers HTTP requests.
 *
 * @param handle answers HTTP requests
 * @param options who may call, and the log
 * @returns the function's handler
 * @example
 * export const handler = handleEvents(async () => new Response('hello'), {});
 */
export function handleEvents(handle: FetchHandler, options: InvocationOptions): LambdaHandler {
  const begin = createInvocations(handle, options);
  return async (event, context) => {
    const invocation = begin(event, context);
    const response = await invocation.answer();
    // The body of an event stream may come long after its head.
    const result = await inTime(toResult(response), invocation.signal).catch((cause) =>
      toResult(invocation.fail(cause)),
    );
    invocation.end(result.statusCode);
    return result;
  };
}

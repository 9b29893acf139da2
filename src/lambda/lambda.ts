import type { HandlerOptions } from '../http/fetch-handler.js';
import { createHandler } from '../http/sdk-v1.js';
import { handleEvents, type LambdaHandler } from './buffered.js';
import type { InvocationOptions } from './invocation.js';

export type { Authorization } from '../http/authorization.js';
export type { LambdaContext } from './deadline.js';
export type { HttpEvent, HttpResult } from './event.js';
export { handleEvents, type LambdaHandler } from './buffered.js';
export type { InvocationOptions } from './invocation.js';

export interface LambdaHandlerOptions extends HandlerOptions, InvocationOptions {}

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
  return handleEvents(createHandler(options), options);
}

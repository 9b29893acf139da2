import type { FetchHandler } from '../http/fetch-handler.js';
import { inTime, type LambdaContext } from './deadline.js';
import { type HttpEvent, type HttpResult, toResult } from './event.js';
import { createInvocations, type InvocationOptions } from './invocation.js';

export type LambdaHandler = (event: HttpEvent, context?: LambdaContext) => Promise<HttpResult>;

// The first Headers object loads the web platform's HTTP code: better while Lambda initialises than in a request.
new Headers();

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

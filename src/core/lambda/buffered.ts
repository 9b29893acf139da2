import type { FetchHandler } from '../http/fetch-handler.js';
import { beforeAbort } from '../session/before-abort.js';
import type { LambdaContext } from './deadline.js';
import type { HttpEvent } from './event.js';
import { createInvocations, type InvocationOptions } from './invocation.js';
import type { RestEvent } from './read-event.js';
import { type HttpResult, toResult } from './result.js';

/** The handler of a function that returns each response as a whole. */
export type BufferedHandler = (event: HttpEvent | RestEvent, context?: LambdaContext) => Promise<HttpResult>;

// The first Headers object loads the HTTP code of the web platform. Load it while Lambda initializes, not in a request.
new Headers();

/**
 * Makes a Lambda handler that returns each response as a whole.
 *
 * @param handle answers HTTP requests
 * @param options who may call, and the log
 * @returns the handler of the function
 */
export function bufferedHandler(handle: FetchHandler, options: InvocationOptions): BufferedHandler {
  const begin = createInvocations(handle, options);
  return async (event, context) => {
    const invocation = begin(event, context);
    const response = await invocation.answer();
    // The body of an event stream may arrive long after its status and headers.
    const result = await beforeAbort(toResult(response, invocation.event), invocation.signal).catch((cause) =>
      toResult(invocation.fail(cause), invocation.event),
    );
    invocation.end(result.statusCode);
    return result;
  };
}

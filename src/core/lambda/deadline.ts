import { type ErrorClass, errorClass } from '../errors.js';

/** Milliseconds reserved for the response and the log line. */
const MARGIN = 500;

/** The members that are read from the context that Lambda passes with an event. */
export interface LambdaContext {
  readonly awsRequestId?: string;
  getRemainingTimeInMillis?(): number;
}

const LateErrorBase: ErrorClass<'LateError', 'DEADLINE_REACHED'> = errorClass(
  'LateError',
  'DEADLINE_REACHED',
);

/** The deadline passed before there was an answer. */
export class LateError extends LateErrorBase {}

/**
 * Sets a timer that fires shortly before Lambda ends the invocation. Without it, the host would get a 502 or 504 from
 * the platform, and nothing would be logged.
 *
 * @param context of the invocation; if it does not tell the remaining time, there is no deadline
 * @returns the signal that aborts then, and a function to call when the response is complete
 */
export function deadlineOf(context: LambdaContext): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const remaining = context.getRemainingTimeInMillis?.();
  if (remaining === undefined) return { signal: controller.signal, clear: () => undefined };
  const message = `The server did not answer within the ${Math.round(remaining / 1000)} s that the function may run.`;
  const timer = setTimeout(() => controller.abort(new LateError(message)), Math.max(0, remaining - MARGIN));
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

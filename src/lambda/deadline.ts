/** Milliseconds kept back for the answer and the log line. */
const MARGIN = 500;

/** What is read of the context that Lambda passes with an event. */
export interface LambdaContext {
  readonly awsRequestId?: string;
  getRemainingTimeInMillis?(): number;
}

/** The time is up. */
export class LateError extends Error {
  readonly code = 'DEADLINE_REACHED';
  override readonly name = 'LateError';
}

/** When an answer must be there. */
export interface Deadline {
  /** Aborts shortly before the platform cuts the function off. */
  readonly signal: AbortSignal;
  /** Called when the answer is there. */
  clear(): void;
}

/**
 * Sets an alarm shortly before Lambda ends the invocation: cut off, a host would get a 502 or 504 of the platform, and
 * nothing would be logged.
 *
 * @param context of the invocation; without a remaining time there is no deadline
 * @returns the deadline
 */
export function deadlineOf(context: LambdaContext): Deadline {
  const controller = new AbortController();
  const remaining = context.getRemainingTimeInMillis?.();
  if (remaining === undefined) return { signal: controller.signal, clear: () => undefined };
  const message = `No answer within the ${Math.round(remaining / 1000)} s that the function may take.`;
  const alarm = setTimeout(() => controller.abort(new LateError(message)), Math.max(0, remaining - MARGIN));
  return { signal: controller.signal, clear: () => clearTimeout(alarm) };
}

/**
 * Waits for something, but not past a deadline.
 *
 * @param work what is waited for
 * @param signal of the deadline
 * @returns what came of the work
 * @throws {LateError} if the deadline came first
 */
export async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

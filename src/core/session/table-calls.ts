import { beforeAbort } from './before-abort.js';

/**
 * Limits the time of calls to a table, including retries, and that of loading its client.
 *
 * @param limits milliseconds that a call may take, and those that loading may take
 * @param words for messages: the table, for example `The session table sessions`; the package of its client, and the user of that;
 *   and what to check if the table cannot be used
 * @param CallError the class of the error of a call that fails or takes longer
 * @param load loads the client. Small Lambda functions take seconds for it, but no request may wait that long for the table.
 * @returns a function that runs a call. A `write` is one whose failure leaves open what is stored: reads may find out at once.
 */
export function limitCalls(
  limits: { readonly ms: number; readonly loadMs: number },
  { table, user, check, package: client }: Readonly<Record<'table' | 'user' | 'check' | 'package', string>>,
  CallError: new (message: string, options?: ErrorOptions) => Error,
  load: () => Promise<unknown>,
) {
  let failedAt = Number.NEGATIVE_INFINITY;
  let isLoaded = false;
  let isUnsure = false;
  return async <T>(
    call: (signal: AbortSignal) => Promise<T>,
    kind: 'read' | 'write' = 'read',
  ): Promise<T> => {
    const waited = Date.now() - failedAt;
    const looks = isUnsure && kind === 'read';
    if (waited < PAUSE_MS && !looks) {
      const message = `${table} failed ${waited} ms ago, so it was not asked again yet. Check ${check}.`;
      throw Object.assign(new CallError(message), { refused: true });
    }
    // One call at a time finds out whether the table answers again.
    if (Number.isFinite(failedAt)) failedAt = Date.now();
    let ms = limits.loadMs;
    let signal = AbortSignal.timeout(ms);
    try {
      if (!isLoaded) await beforeAbort(load(), signal);
      isLoaded = true;
      ms = looks ? limits.ms * LOOK : limits.ms;
      signal = AbortSignal.timeout(ms);
      const result = await beforeAbort(call(signal), signal);
      failedAt = Number.NEGATIVE_INFINITY;
      isUnsure = false;
      return result;
    } catch (cause) {
      // A write that was given up, or whose connection broke, may still arrive. One that the service refused will not.
      const refused = !signal.aborted && isRefusal(cause);
      isUnsure = kind === 'write' && !refused;
      failedAt = signal.aborted || isOutOfOrder(cause) ? Date.now() : Number.NEGATIVE_INFINITY;
      const name = cause instanceof Error ? nameOf(cause) : String(cause);
      const missing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
      const message = signal.aborted
        ? `${table} did not answer within ${ms} ms. Check its region and its load.`
        : missing
          ? `${user} needs the package ${client}. Run "npm install ${client}".`
          : `${table} cannot be used (${name}). Check ${check}.`;
      throw Object.assign(new CallError(message, { cause }), { refused });
    }
  };
}

/**
 * Whether the service itself refused the call: AWS says whose fault it is. Redis answers with an error, whose message begins
 * with a code, and whose class has no name in its client.
 */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof Error &&
  (('$fault' in cause && cause.$fault === 'client') ||
    (cause.constructor !== Error && /^[A-Z]{2,} /.test(cause.message)) ||
    ('code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'));

/** How long a table that is out of order is not asked, in milliseconds: requests must not wait for it one after the other. */
const PAUSE_MS = 2000;

/** The part of its time that a read has after a failed write: the request with both must not take longer than a second. */
const LOOK = 0.2;

/** The service fails or refuses more requests. It has answered each attempt, so the next call would take as long again. */
const OVERLOADED =
  /^(?:LOADING|ClientOfflineError|DisconnectsClientError|SocketClosedUnexpectedlyError|TimeoutError|InternalServerError|ServiceUnavailable|Throttling|RequestLimitExceeded|ProvisionedThroughputExceeded)/;

/**
 * Whether the table did not answer at all, or answers everybody with an error. Any other error is about one call, which a
 * client may have caused: a record that is too large, or that other processes kept writing to.
 */
function isOutOfOrder(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  // The code is of the system, such as ECONNREFUSED.
  return OVERLOADED.test(nameOf(cause)) || ('code' in cause && /^E[A-Z]+$/.test(String(cause.code)));
}

/** Redis says a code at the start of the message, such as `NOAUTH`. Its client names only the class of other errors. */
function nameOf(cause: Error): string {
  if (cause.name !== 'Error' && cause.name !== 'SimpleError') return cause.name;
  if ('code' in cause) return String(cause.code);
  const code = /^[A-Z]{2,}(?= )/.exec(cause.message)?.[0];
  // The client of AWS says only in words that a region is missing.
  return code ?? (cause.constructor === Error ? cause.message.replace(/\.$/, '') : cause.constructor.name);
}

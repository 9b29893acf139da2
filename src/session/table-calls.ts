import { beforeAbort } from './before-abort.js';

/**
 * Limits the time of calls to a table, including credentials, retries and the import of the client.
 *
 * @param ms milliseconds that a call may take
 * @param words for messages: the table, for example `The session table sessions`; the user of the package of the AWS client; and
 *   what to check if the table cannot be used
 * @param toError makes the error of a call that fails or takes longer
 * @returns a function that runs a call
 */
export function limitCalls(
  ms: number,
  { table, user, check }: Readonly<Record<'table' | 'user' | 'check', string>>,
  toError: (message: string, options: ErrorOptions) => Error,
) {
  return async <T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const signal = AbortSignal.timeout(ms);
    try {
      return await beforeAbort(call(signal), signal);
    } catch (cause) {
      const name = cause instanceof Error ? cause.name : String(cause);
      const missing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
      const message = signal.aborted
        ? `${table} did not answer within ${ms} ms. Check its region and its load.`
        : missing
          ? `${user} needs the package @aws-sdk/client-dynamodb. Run "npm install @aws-sdk/client-dynamodb".`
          : `${table} cannot be used (${name}). Check ${check}.`;
      throw toError(message, { cause });
    }
  };
}

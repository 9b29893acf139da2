/**
 * Waits for work, but not longer than until a signal aborts.
 *
 * @param work the promise to wait for
 * @param signal for example that of a deadline
 * @returns the result of the work; rejects with the reason of the signal if it aborts first
 * @example
 * await beforeAbort(client.send(command), AbortSignal.timeout(1000));
 */
export async function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

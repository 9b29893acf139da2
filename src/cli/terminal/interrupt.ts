import { constants } from 'node:os';
import { Interrupted } from '../errors.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does work that a signal ends in an orderly way. A second signal ends the process at once; what must not outlive it
 * is ended by handlers of `exit` then.
 *
 * @param work gets a signal that is aborted by SIGINT, SIGTERM and SIGHUP
 * @returns what the work returns
 * @throws {Interrupted} once the work has ended, if it was interrupted
 * @example
 * await interruptible((signal) => takePrimitives('node', ['server.js'], { signal }));
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let interrupted: Interrupted | undefined;
  const onSignal = (name: (typeof SIGNALS)[number]): void => {
    const exitCode = 128 + constants.signals[name];
    if (interrupted !== undefined) process.exit(exitCode);
    interrupted = new Interrupted(exitCode);
    controller.abort(interrupted);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw interrupted ?? error;
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}

/** @returns a promise that resolves when the signal is aborted */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

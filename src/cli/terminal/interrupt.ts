import { once } from 'node:events';
import { constants } from 'node:os';
import { Interrupted } from '../errors.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that a signal ends in an orderly way. A second signal ends the process at once; handlers of `exit` then stop
 * the child processes.
 *
 * @param work gets an `AbortSignal` that SIGINT, SIGTERM and SIGHUP abort
 * @param hangup is called for SIGHUP instead, if it is given
 * @returns the result of the work
 * @throws {Interrupted} once the work has ended, if a signal interrupted it
 * @example
 * await interruptible((signal) => fetchFromCommand('node', ['server.js'], { seconds: 30, signal }));
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  hangup?: () => void,
): Promise<T> {
  const controller = new AbortController();
  let interrupted: Interrupted | undefined;
  const onSignal = (name: (typeof SIGNALS)[number]): void => {
    if (name === 'SIGHUP' && hangup !== undefined) return hangup();
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
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

import { getOrMake } from '../once.js';
import { errorNamesIn, redactLine } from './redact-line.js';
import type { UpstreamEvent } from './upstream-event.js';

/** Lines of one upstream that are logged between two changes of its state. A child can write millions. */
const MAX_LINES = 50;

/** Writes a line with fields, as a Powertools Logger does. */
export type UpstreamLogger = Readonly<
  Record<'info' | 'warn', (message: string, fields: Record<string, unknown>) => void>
>;

/** What is known of an upstream since its state changed. */
const begin = (isServing: boolean) => ({ isServing, lines: 0, dropped: 0, errors: new Set<string>() });

/**
 * Writes the states of the servers behind the endpoint, and what a child process writes to stderr.
 *
 * Until a child serves, it has received nothing from a client, so its lines are logged, without secrets: they tell why it
 * does not start. After that, a line can contain arguments. Then only the names of errors are kept, and logged with the
 * next change of the state.
 *
 * @param logger writes lines with fields
 * @param secrets values that must not appear, such as those of environment variables
 * @returns a function that receives the events
 */
export function logUpstreams(
  logger: UpstreamLogger,
  secrets: readonly string[],
): (event: UpstreamEvent) => void {
  const known = new Map<string, ReturnType<typeof begin>>();

  return ({ upstream, state, reason, restarts, stderr, leftOut }) => {
    const found = getOrMake(known, upstream, () => begin(false));
    if (stderr !== undefined) {
      if (found.isServing) {
        found.dropped++;
        for (const name of errorNamesIn(stderr)) if (found.errors.size < 10) found.errors.add(name);
      } else if (++found.lines <= MAX_LINES) {
        const text = redactLine(stderr, secrets);
        if (text !== '') logger.warn('upstream stderr', { upstream, stderr: text });
      } else found.dropped++;
    }
    if (leftOut !== undefined) logger.warn('upstream', { upstream, leftOut: redactLine(leftOut, secrets) });
    if (state === undefined) return;
    const line = {
      upstream,
      state,
      ...(reason === undefined ? {} : { reason: redactLine(reason, secrets) }),
      ...(restarts === undefined ? {} : { restarts }),
      ...(found.dropped === 0 ? {} : { stderrLines: found.dropped }),
      ...(found.errors.size === 0 ? {} : { stderrErrors: [...found.errors] }),
    };
    known.set(upstream, begin(state === 'ready'));
    if (state === 'failed' || state === 'restarting') logger.warn('upstream', line);
    else logger.info('upstream', line);
  };
}

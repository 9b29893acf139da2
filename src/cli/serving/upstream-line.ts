import type { UpstreamEvent } from '../../core/telemetry/upstream-event.js';
import { plain } from '../terminal/output.js';

const MAX_LENGTH = 400;

/**
 * Formats what happened to a server as a line for a terminal.
 *
 * @param event what happened
 * @returns the line; `undefined` for a server that starts as expected
 * @example
 * upstreamLine({ upstream: 'node server.js', state: 'failed', reason: 'it ended with exit code 1' });
 * // 'server failed: it ended with exit code 1'
 */
export function upstreamLine({
  state,
  reason,
  restarts = 0,
  stderr,
  leftOut,
}: UpstreamEvent): string | undefined {
  if (stderr !== undefined) return plain(`server stderr: ${stderr}`).slice(0, MAX_LENGTH);
  if (leftOut !== undefined) return plain(leftOut).slice(0, MAX_LENGTH);
  if (state === 'failed')
    return plain(`server failed: ${reason ?? 'no reason is known'}`).slice(0, MAX_LENGTH);
  if (state === 'restarting') return `server restarts (${restarts})`;
  return state === 'ready' && restarts > 0 ? 'server ready again' : undefined;
}

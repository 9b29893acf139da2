import { ASSUMED_WIDTH } from '../../core/policy/language/wrapped.js';
import type { Terminal } from './output.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** Milliseconds between two frames. */
const INTERVAL = 80;
/** Milliseconds before progress is shown. */
const DELAY = 500;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Shows progress on stderr while work takes longer than half a second. Shows nothing if stderr is not a terminal.
 *
 * @param title what the work does, for example "Listing npx"
 * @param terminal where it is shown; nothing is under `--quiet`
 * @param work the work
 * @returns the result of the work
 * @example
 * const catalog = await withProgress('Listing npx', terminal, () => fetchFromCommand('npx', ['server'], options));
 */
export async function withProgress<T>(
  title: string,
  { stderr, env, quiet }: Pick<Terminal, 'stderr' | 'env' | 'quiet'>,
  work: () => Promise<T>,
): Promise<T> {
  if (quiet || stderr.isTTY !== true || env.TERM === 'dumb') return work();
  const started = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    const waited = performance.now() - started;
    if (waited < DELAY) return;
    const line = `${FRAMES[frame++ % FRAMES.length]} ${title}, ${Math.floor(waited / 1000)} s`;
    // A line that wraps could not be cleared.
    stderr.write(CLEAR_LINE + line.slice(0, (stderr.columns || ASSUMED_WIDTH) - 1));
  }, INTERVAL);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (frame > 0) stderr.write(CLEAR_LINE);
  }
}

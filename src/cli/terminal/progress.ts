import { ASSUMED_WIDTH } from '../../policy/language/wrapped.js';

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
 * @param quiet true to show nothing
 * @param work the work
 * @returns the result of the work
 * @example
 * const catalog = await withProgress('Listing npx', false, () => fetchFromCommand('npx', ['server'], options));
 */
export async function withProgress<T>(title: string, quiet: boolean, work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (quiet || stderr.isTTY !== true || process.env.TERM === 'dumb') return work();
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

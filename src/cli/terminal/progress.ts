const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const INTERVAL = 80;
/** What is faster than this needs no explanation. */
const PATIENCE = 500;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Shows on stderr what is waited for, once it takes longer than half a second; nothing unless stderr is a terminal.
 *
 * @param what what is done, as the beginning of a sentence
 * @param quiet whether nothing shall be shown
 * @param work what is waited for
 * @returns what the work returns
 * @example
 * const lists = await withProgress('Asking npx', false, () => takeFromCommand('npx', ['server'], options));
 */
export async function withProgress<T>(
  what: string,
  quiet: boolean | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { stderr } = process;
  if (quiet === true || stderr.isTTY !== true || process.env.TERM === 'dumb') return work();
  const started = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    const waited = performance.now() - started;
    if (waited < PATIENCE) return;
    const line = `${FRAMES[frame++ % FRAMES.length]} ${what}, ${Math.floor(waited / 1000)} s`;
    // A line that wraps could not be cleared.
    stderr.write(CLEAR_LINE + line.slice(0, stderr.columns - 1));
  }, INTERVAL);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (frame > 0) stderr.write(CLEAR_LINE);
  }
}

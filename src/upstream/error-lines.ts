const LINE_CHARACTERS = 300;
/** Lines that are passed on within one interval. The others are dropped. */
const MAX_LINES = 50;
const INTERVAL_MS = 10_000;

/**
 * Splits the stderr of a child process into lines, at most 50 in 10 seconds, each cut at 300 characters.
 *
 * @param line receives each line
 * @param now the time in milliseconds
 * @returns receives the output
 * @example
 * child.stderr.setEncoding('utf8').on('data', errorLines(console.warn));
 */
export function errorLines(
  line: (text: string) => void,
  now = () => performance.now(),
): (text: string) => void {
  let [rest, count, since] = ['', 0, now()];
  const pass = (text: string): void => {
    const trimmed = text.trim().slice(0, LINE_CHARACTERS);
    if (trimmed !== '' && ++count <= MAX_LINES) line(trimmed);
  };
  return (text) => {
    if (now() - since > INTERVAL_MS) [count, since] = [0, now()];
    if (count > MAX_LINES) return;
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    for (const each of lines) pass(each);
  };
}

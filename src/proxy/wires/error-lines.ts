const LINE_CHARACTERS = 300;
/** Lines that are passed on within one interval. The others are dropped. */
const MAX_LINES = 50;
const INTERVAL_MS = 10_000;

/**
 * Splits the stderr of a child process into lines, at most 50 in 10 seconds, each cut at 300 characters. The last line
 * before the end is always passed on, because it tells why the process ended.
 *
 * @example
 * const lines = new ErrorLines(console.warn);
 * child.stderr.setEncoding('utf8').on('data', (text) => lines.push(text)).once('end', () => lines.end());
 */
export class ErrorLines {
  private rest = '';
  private count = 0;
  /** The latest line, if it was dropped. */
  private dropped = '';
  private since: number;

  /**
   * @param line receives each line
   * @param now the time in milliseconds
   */
  constructor(
    private readonly line: (text: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.since = now();
  }

  push(text: string): void {
    if (this.now() - this.since > INTERVAL_MS) {
      this.count = 0;
      this.since = this.now();
    }
    const lines = (this.rest + text).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    // A child can write millions of lines. Only the last of those that are dropped can matter.
    for (const each of lines.splice(0, Math.max(0, MAX_LINES - this.count))) this.pass(each);
    this.dropped = lines.findLast((each) => each.trim() !== '') ?? this.dropped;
  }

  /** Passes on the line that has no end, or the last one that was dropped. */
  end(): void {
    const last = this.rest.trim() === '' ? this.dropped : this.rest;
    this.rest = '';
    this.pass(last);
  }

  private pass(text: string): void {
    const line = shortened(text);
    this.dropped = '';
    if (line === '') return;
    this.count++;
    this.line(line);
  }
}

const shortened = (text: string): string => text.trim().slice(0, LINE_CHARACTERS);

import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { read } from '../../core/wire/messages.js';
import type { Io } from './output.js';

const STDIN = 0;
const MAX_ANSWER = 1024;
/** Milliseconds between two looks at a terminal that does not wait itself. */
const PAUSE = 50;

/**
 * Asks the person at the terminal a question, and waits for the answer.
 *
 * @param question ends with a question mark
 * @param io where the person is asked
 * @returns whether the answer is yes; false if there is no terminal to ask
 * @example
 * confirm('Overwrite policy.yaml?', terminal);
 */
export function confirm(question: string, { stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean {
  // The answer is read from the file descriptor, because commands are not asynchronous here.
  if (!('fd' in stdin) || stdin.fd !== STDIN || !isatty(STDIN) || stderr.isTTY !== true) return false;
  stderr.write(`${question} [y/N] `);
  return /^y(es)?$/i.test(readLine().trim());
}

function readLine(): string {
  const answer = Buffer.alloc(MAX_ANSWER);
  for (;;) {
    try {
      return answer.toString('utf8', 0, readSync(STDIN, answer));
    } catch (cause) {
      const code = read(cause, 'code');
      // Windows says so where the person ended the input.
      if (code === 'EOF') return '';
      // `npx` leaves the terminal in the mode in which a read does not wait for the person.
      if (code !== 'EAGAIN') throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}

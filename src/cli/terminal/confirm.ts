import { readSync } from 'node:fs';
import { isatty } from 'node:tty';

const [STDIN, STDERR] = [0, 2];
const MAX_ANSWER = 1024;

/**
 * Asks the person at the terminal a question, and waits for the answer.
 *
 * @param question ends with a question mark
 * @returns whether the answer is yes; false if there is no terminal to ask
 * @example
 * confirm('Overwrite policy.yaml?');
 */
export function confirm(question: string): boolean {
  if (!isatty(STDIN) || !isatty(STDERR)) return false;
  process.stderr.write(`${question} [y/N] `);
  const answer = Buffer.alloc(MAX_ANSWER);
  const length = readSync(STDIN, answer);
  return /^y(es)?$/i.test(answer.toString('utf8', 0, length).trim());
}

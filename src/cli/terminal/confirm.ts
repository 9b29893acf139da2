import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Io } from './output.js';

const STDIN = 0;
const MAX_ANSWER = 1024;

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
  const answer = Buffer.alloc(MAX_ANSWER);
  const length = readSync(STDIN, answer);
  return /^y(es)?$/i.test(answer.toString('utf8', 0, length).trim());
}

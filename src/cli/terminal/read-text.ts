import { readFileSync } from 'node:fs';
import { cannotRead } from '../errors.js';

/**
 * Reads a file that the command line or another file names.
 *
 * @param path the file
 * @param advice a sentence that says what to do if it cannot be read
 * @param name the name of the file in messages, if it is not the path
 * @returns the text
 * @throws {CliError} if the file cannot be read
 * @example
 * readText('policy.yaml', 'Check the path of the policy.');
 */
export function readText(path: string, advice: string, name = path): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw cannotRead(name, cause, advice);
  }
}

import { readFileSync } from 'node:fs';
import { CliError, cannotRead } from '../errors.js';

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
export function readText(path: string, advice: string, name: string = path): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw cannotRead(name, cause, advice);
  }
}

/**
 * Does the same for a file with JSON.
 *
 * @param path the file
 * @param advice a sentence that says what to do if it cannot be read
 * @param whyNot a sentence for a text that is not JSON
 * @param parse reads the text; `parseExact` keeps the texts of numbers
 * @returns the parsed text
 * @throws {CliError} if the file cannot be read, or is not JSON
 */
export function readJson(
  path: string,
  advice: string,
  whyNot: (text: string, cause: unknown) => string,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  const text = readText(path, advice).replace(/^\uFEFF/, '');
  try {
    return parse(text);
  } catch (cause) {
    throw new CliError(whyNot(text, cause), { cause });
  }
}

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.js';

/**
 * Writes what a command made.
 *
 * @param output a file, whose folders are made; `-` is stdout
 * @param text what to write
 * @throws {CliError} if the file cannot be written
 * @example
 * writeOutput('build/policy.json', json);
 */
export function writeOutput(output: string, text: string): void {
  if (output === '-') {
    process.stdout.write(text);
    return;
  }
  try {
    // Build folders are made by what is built into them first.
    makeFolder(dirname(output));
    writeFileSync(output, text);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CliError(`${output} cannot be written (${code}); give -o another file.`);
  }
}

/** As `recursive: true` does, which in Node 20 never returns where folders cannot be made, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

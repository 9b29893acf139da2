import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotWrite } from '../errors.js';
import type { Terminal } from './output.js';
import { createFolder } from './write-files.js';

/**
 * Writes the result of a command.
 *
 * @param output a file, whose missing folders are created; `-` is stdout
 * @param text the text to write
 * @param terminal what has stdout
 * @throws {CliError} if the file cannot be written
 * @example
 * writeOutput('build/policy.json', json, terminal);
 */
export function writeOutput(output: string, text: string, terminal: Pick<Terminal, 'print'>): void {
  if (output === '-') {
    terminal.print(text);
    return;
  }
  try {
    createFolder(dirname(output));
    writeFileSync(output, text);
  } catch (cause) {
    throw cannotWrite(output, cause, 'Pass another file with -o.');
  }
}

/** @returns a value as the text of a JSON file */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes a JSON value to stdout. */
export const writeJson = (value: unknown, terminal: Pick<Terminal, 'print'>): void =>
  terminal.print(jsonText(value));

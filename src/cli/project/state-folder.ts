import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Returns the folder of what is kept for this user between commands. It may not exist yet.
 *
 * @param environment the variables of the process
 * @returns the path
 * @example
 * stateFolder(process.env); // '/home/me/.local/state/mcp-concerns'
 */
export function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  const state = process.platform === 'win32' ? LOCALAPPDATA : XDG_STATE_HOME;
  return join(state || join(homedir(), '.local', 'state'), 'mcp-concerns');
}

/**
 * Writes a file that only this user can read. Another process reads all of it or nothing.
 *
 * @param file its path. Missing folders are created, which only this user can open
 * @param text its content
 */
export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = join(dirname(file), `.${randomBytes(8).toString('hex')}.part`);
  // `wx` does not follow a prepared link.
  writeFileSync(part, text, { mode: 0o600, flag: 'wx' });
  renameSync(part, file);
}

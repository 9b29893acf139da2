import { homedir } from 'node:os';
import { join } from 'node:path';

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

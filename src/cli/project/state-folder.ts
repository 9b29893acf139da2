import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, type Stats, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
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

/** Bits of a file's mode that let the group or others do anything. */
const OTHERS = 0o077;

/**
 * Says why a file or folder with secrets must not be used. Windows has no such bits: there, it is inside the user's profile.
 *
 * @returns the end of a sentence; `undefined` if only this user can read and write it
 */
export function ownershipProblem({ uid, mode }: Stats): string | undefined {
  if (process.platform === 'win32') return undefined;
  if (uid !== userInfo().uid) return 'belongs to another user';
  return (Number(mode) & OTHERS) === 0 ? undefined : 'is open to other users';
}

/** @returns whether a process with this number runs */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return !(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH');
  }
}

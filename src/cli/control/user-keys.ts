import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, systemCode } from '../errors.js';
import { ownershipProblem, stateFolder } from '../project/state-folder.js';

/** 144 bits: nobody guesses it, and the URL stays short. */
const BYTES = 18;

/**
 * Returns a key of this user, and makes it the first time. It stays the same, so that a URL in the configuration of a host,
 * and the session that the host has open, survive restarts.
 *
 * @param name the key in the URL of this user's endpoints, or the secret of the ids of their sessions
 * @param environment the variables of the process
 * @returns the key: letters, digits, `-` and `_`
 * @throws {CliError} if the key cannot be kept, or somebody else can read or write it
 * @example
 * userKey('endpoint-key', process.env); // 'Zm9vYmFyYmF6cXV4MTIzNDU2'
 */
export function userKey(name: 'endpoint-key' | 'session-key', environment: NodeJS.ProcessEnv): string {
  const folder = stateFolder(environment);
  const file = join(folder, name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    makeOnce(folder, file);
    const stats = lstatSync(file);
    const problem = stats.isFile() ? ownershipProblem(stats) : 'is not a regular file';
    const key = readFileSync(file, 'utf8').trim();
    if (problem === undefined && /^[\w-]{24,}$/.test(key)) return key;
    throw new CliError(
      `${file} ${problem ?? 'does not contain a key'}. Remove it: the next "serve" makes a new key. A new endpoint-key changes the URL.`,
    );
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(
      `The keys of this user cannot be kept in ${file} (${systemCode(cause)}). Check its permissions, set MCP_CONCERNS_ENDPOINT_KEY, or pass --open.`,
      { cause },
    );
  }
}

/** Two processes can start at the same time. A link appears with its content, and only the first one can be made. */
function makeOnce(folder: string, file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
  const key = randomBytes(BYTES).toString('base64url');
  const part = join(folder, `.${key.slice(0, 8)}.part`);
  writeFileSync(part, `${key}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(part, file);
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw cause;
  } finally {
    rmSync(part);
  }
}

import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { membersOf } from '../../core/wire/messages.js';
import { CliError } from '../errors.js';
import { isRunning, ownershipProblem, writePrivate } from '../project/state-folder.js';
import { openerTo } from './local-page.js';

/** A process that serves, where its control channel is, and the key to it. */
export interface RegistryEntry {
  readonly format: 1;
  readonly pid: number;
  /** For example `http://127.0.0.1:49152`. */
  readonly url: string;
  readonly token: string;
  /** The server that it serves. */
  readonly name: string;
  readonly policy: readonly string[];
  readonly cwd: string;
  /** ISO 8601. */
  readonly started: string;
}

/** The folder of the registry cannot be trusted. */
class RegistryError extends CliError {
  override readonly name = 'RegistryError';
  override readonly code = 'REGISTRY_UNSAFE';
}

/**
 * Returns the folder in which processes of this user register, and creates it. It contains keys, so it must belong to
 * this user alone: a folder that somebody else prepared, or a symbolic link, is refused.
 *
 * @param environment the variables of the process
 * @returns the path
 * @throws {RegistryError} if the folder is not a folder, belongs to another user, or is open to others
 * @example
 * registryFolder(process.env); // /run/user/1000/mcp-concerns
 */
export function registryFolder(environment: NodeJS.ProcessEnv): string {
  const path = folderOf(environment);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new RegistryError(`${path} cannot be created. Check its permissions.`, { cause });
  }
  const stats = lstatSync(path);
  const problem = stats.isDirectory() ? ownershipProblem(stats) : 'is not a folder';
  if (problem === undefined) return path;
  throw new RegistryError(`${path} ${problem}. It would contain keys, so remove it and try again.`);
}

function folderOf({ XDG_RUNTIME_DIR, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? tmpdir(), 'mcp-concerns', 'run');
  if (XDG_RUNTIME_DIR !== undefined && XDG_RUNTIME_DIR !== '') return join(XDG_RUNTIME_DIR, 'mcp-concerns');
  return join(tmpdir(), `mcp-concerns-${userInfo().uid}`);
}

/**
 * Registers this process, until it exits or the returned function is called.
 *
 * @param folder from `registryFolder`
 * @param entry what the file contains
 * @returns removes the file
 * @example
 * const unregister = register(registryFolder(process.env), entry);
 */
export function register(folder: string, entry: RegistryEntry): () => void {
  const file = join(folder, `${entry.pid}.json`);
  writePrivate(file, JSON.stringify(entry));
  const remove = (): void => {
    rmSync(file, { force: true });
    rmSync(openerOf(folder, entry), { force: true });
  };
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
    remove();
  };
}

/**
 * Writes a file that leads a browser to the page of a process.
 *
 * @param folder from `registryFolder`
 * @param entry the process
 * @returns the path of the file, which only this user can read
 * @example
 * open(writeOpener(folder, entry));
 */
export function writeOpener(folder: string, entry: RegistryEntry): string {
  const file = openerOf(folder, entry);
  writePrivate(file, openerTo(`${entry.url}/panel#token=${entry.token}`));
  return file;
}

const openerOf = (folder: string, { pid }: RegistryEntry): string => join(folder, `${pid}.html`);

/**
 * Reads the entries of all running processes, the oldest first. Files of processes that have ended are removed. Files
 * that another user could have written are ignored.
 *
 * @param folder from `registryFolder`
 * @returns the entries
 * @example
 * readRegistry(registryFolder(process.env)).map(({ name }) => name);
 */
export function readRegistry(folder: string): RegistryEntry[] {
  return readdirSync(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => readEntry(join(folder, name)) ?? [])
    .sort((a, b) => a.started.localeCompare(b.started));
}

function readEntry(file: string): RegistryEntry | undefined {
  let entry: unknown;
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || ownershipProblem(stats) !== undefined) return undefined;
    entry = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The process ended while the file was read, or something else wrote the file.
    return undefined;
  }
  if (!isEntry(entry)) return undefined;
  if (isRunning(entry.pid)) return entry;
  rmSync(file, { force: true });
  return undefined;
}

/** Removes an entry whose process does not answer to its key: the number of an ended process was given to another. */
export const forget = (folder: string, { pid }: RegistryEntry): void =>
  rmSync(join(folder, `${pid}.json`), { force: true });

function isEntry(value: unknown): value is RegistryEntry {
  const { format, pid, url, token, name, policy, started, cwd } = membersOf(value);
  const texts = [name, started, cwd].every((each) => typeof each === 'string');
  // Both become part of a page.
  const isKey = typeof token === 'string' && /^[\w-]+$/.test(token);
  const isLocal = typeof url === 'string' && /^http:\/\/127\.0\.0\.1:\d+$/.test(url);
  return format === 1 && Number.isInteger(pid) && texts && isKey && isLocal && Array.isArray(policy);
}

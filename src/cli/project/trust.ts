import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../core/policy/compile/read-file.js';
import { CliError } from '../errors.js';
import { confirm } from '../terminal/confirm.js';
import { type Io, plain } from '../terminal/output.js';
import { readText } from '../terminal/read-text.js';
import type { Project } from './read-project.js';
import { stateFolder, writePrivate } from './state-folder.js';

/** What a file makes a command do. */
export interface Actions {
  /** The command of a server, and its arguments. */
  readonly server?: readonly string[] | undefined;
  /** A file that names servers, which are started. */
  readonly servers?: string | undefined;
  /** The paths that are read. */
  readonly reads: readonly string[];
  /** The folder whose files may be read. */
  readonly folder: string;
}

/**
 * Asks the person once whether a file that was found may do what a stranger must not decide: to start a server, or to read
 * files elsewhere. A yes is remembered. A file that changes, or moves, is a new one.
 *
 * @param found the file: a project file, or a test file
 * @param actions what it does
 * @param io where the person is asked
 * @throws {CliError} if the person says no, or there is no terminal to ask
 * @example
 * requireTrust(project, { server: ['npx', 'vault'], reads: ['policies/vault.yaml'], folder: '/home/me' }, terminal);
 */
export function requireTrust(
  { path, text, file }: Pick<Project, 'path' | 'text' | 'file'>,
  { server, servers, reads, folder }: Actions,
  io: Pick<Io, 'stdin' | 'stderr' | 'env'>,
): void {
  const action = [
    ...(server === undefined ? [] : [`starts "${server.join(' ')}"`]),
    ...(servers === undefined ? [] : [`starts the servers of ${servers}`]),
    ...reads.filter((each) => existsSync(each) && !isInside(each, folder)).map((each) => `reads "${each}"`),
  ].join(' and ');
  if (action === '') return;
  const real = realpathSync(path);
  // What it starts is also what the file of the servers says.
  const started =
    servers === undefined ? '' : readText(servers, 'Name the file in which a host has its servers.');
  const digest = createHash('sha256').update(`${real}\0${text}${started}`).digest('hex');
  const record = join(stateFolder(io.env), 'trusted', digest);
  if (existsSync(record)) return;
  const what = plain(`${file} ${action}`);
  if (!confirm(`${what}. Trust this file, as it is now?`, io)) {
    throw new CliError(
      `${what}, and you have not trusted this file. Read it, then answer "y" on a terminal, or pass --trust. --no-project ignores it.`,
    );
  }
  // For people: the name of the record tells nobody what was trusted.
  writePrivate(record, `${real}\n`);
}

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../../core/policy/compile/read-file.js';
import { CliError } from '../errors.js';

/** The name of a project file. */
export const PROJECT_FILE = 'mcp-concerns.config.yaml';

/**
 * Finds the project file of a folder: in the folder, or in the nearest folder above it that has one. The search ends at the
 * root of the repository. Outside a repository it has only the folder itself: anyone can write into `/tmp`.
 *
 * @param folder the absolute path of the folder
 * @returns the path of the file; undefined if there is none
 * @example
 * projectFileOf('/home/me/vault/policies'); // '/home/me/vault/mcp-concerns.config.yaml'
 */
export function projectFileOf(folder: string): string | undefined {
  const top = repositoryOf(folder) ?? folder;
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, PROJECT_FILE);
    if (existsSync(file)) return file;
    if (at === top) return undefined;
  }
}

/** @returns the nearest folder with `.git`, which is a file in a worktree */
function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : repositoryOf(parent);
}

/**
 * Refuses a project file that another user wrote. The administrator may write one for all users.
 *
 * @param path the file
 * @param name its name in messages
 * @throws {CliError} if it belongs to another user, is not a file, or is a link to a file elsewhere
 * @example
 * requireOwnFile('/tmp/mcp-concerns.config.yaml', '../mcp-concerns.config.yaml');
 */
export function requireOwnFile(path: string, name: string): void {
  const stats = statSync(path);
  if (!stats.isFile()) throw new CliError(`${name} is not a file. Remove it, or pass --no-project.`);
  if (!isInside(path, dirname(path))) {
    throw new CliError(
      `${name} is a link that leads out of its folder. Remove it, or pass --no-project to ignore it.`,
    );
  }
  // Windows has no such ids.
  if ([process.getuid?.() ?? stats.uid, 0].includes(stats.uid)) return;
  throw new CliError(
    `${name} belongs to another user (uid ${stats.uid}), who could decide what runs here. Pass --no-project to ignore it, or --trust after you have read it.`,
  );
}

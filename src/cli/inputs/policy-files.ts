import { readdirSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { CliError } from '../errors.js';

/**
 * The policy files that a command line names, for commands that treat each on its own.
 *
 * @param paths files, and folders, which stand for their `*.yaml`, tests left out
 * @returns each file once, in the order given; those of a folder by byte order of name
 * @throws {CliError} if a path does not exist, or a folder holds no policy
 * @example
 * policyFiles(['policies']); // ['policies/everything.yaml', 'policies/playwright.yaml', ...]
 */
export function policyFiles(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(filesOf))];
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [normalize(path)];
    const files = readdirSync(path)
      .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    if (files.length > 0) return files.map((name) => join(path, name));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : code;
    throw new CliError(`${path} cannot be read (${reason}); check the path of the policy.`);
  }
  throw new CliError(`${path} holds no .yaml file; name a policy or another folder.`);
}

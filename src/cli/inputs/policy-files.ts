import { statSync } from 'node:fs';
import { normalize } from 'node:path';
import { policyFilesIn } from '../../policy/compile/load.js';
import { CliError, cannotRead } from '../errors.js';

/**
 * Finds the policy files of a command line, for commands that handle each file separately.
 *
 * @param paths files and folders; a folder stands for its `*.yaml` files, except `*.test.yaml`
 * @returns each file once, in the order of the paths; the files of a folder are sorted by the bytes of their names
 * @throws {CliError} if a path does not exist, or a folder contains no policy
 * @example
 * policyFiles(['policies']); // ['policies/everything.yaml', 'policies/playwright.yaml', ...]
 */
export function policyFiles(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(filesOf))];
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [normalize(path)];
    const files = policyFilesIn(path);
    if (files.length > 0) return files;
  } catch (cause) {
    throw cannotRead(path, cause, 'Check the path of the policy.');
  }
  throw new CliError(`The folder ${path} contains no .yaml file. Name a policy, or another folder.`);
}

import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { LIMITS } from '../language/schema.js';
import type { IncludedText } from './reading.js';

const OUTSIDE =
  'it is outside the folder of the policy: move it into this folder, or pass its path with that of the policy';

/**
 * Reads the files that a policy includes. A policy can come from a stranger, so it includes only regular files inside its own
 * folder, also behind symbolic links, and nothing of a device, a pipe or a huge file is read.
 *
 * @param paths the files and folders that the caller names. The policy may include what is in the folder of each
 * @returns reads a file, or returns why it cannot be included
 * @example
 * const read = includedFiles(['policies/vault.yaml']);
 * read('policies/common.yaml').text;
 */
export function includedFiles(paths: readonly string[]): (path: string) => IncludedText {
  return (path) => {
    try {
      const real = realpathSync(path);
      const isInside = paths.some((each) => real.startsWith(folderOf(each)));
      return isInside ? readRegular(real) : { problem: OUTSIDE };
    } catch (cause) {
      return { problem: reasonOf(cause) };
    }
  };
}

function folderOf(path: string): string {
  const folder = realpathSync(statSync(path).isDirectory() ? path : dirname(path));
  return folder.endsWith(sep) ? folder : folder + sep;
}

function readRegular(path: string): IncludedText {
  // To open a pipe would wait for somebody who writes into it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { problem: 'it is not a regular file' };
    if (stats.size <= LIMITS.fileBytes) return { text: readFileSync(file, 'utf8') };
    return { problem: `it has ${stats.size} bytes, but a policy can have at most ${LIMITS.fileBytes}` };
  } finally {
    closeSync(file);
  }
}

/** @returns why the file system did not give a file, for a sentence */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  if (code === 'ENOENT') return 'it does not exist';
  return code === 'EACCES' ? 'no permission' : code;
}

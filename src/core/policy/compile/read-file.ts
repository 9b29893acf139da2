import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, normalize, sep } from 'node:path';
import { LIMITS } from '../language/schema.js';
import { type IncludedText, MISSING } from './reading.js';

const OUTSIDE =
  'it is outside the folder of the policy: move it into this folder, or pass its path with that of the policy';

/**
 * Reads the files of a policy. A policy can come from a stranger: the files that a folder contains and those that a policy
 * includes must be inside the folder of the policy, also behind symbolic links. Of a device, a pipe or a huge file, nothing is
 * read.
 *
 * @param paths the files and folders that the caller names. What is in the folder of each belongs to the policy
 * @returns reads a file, or returns why it cannot be read
 * @example
 * const read = policyReader(['policies/vault.yaml']);
 * read('policies/common.yaml').text;
 */
export function policyReader(paths: readonly string[]): (path: string) => IncludedText {
  const named = new Set(paths.map(normalize));
  return (path) => {
    try {
      // Of a file that the caller names, a finding says that it is too large.
      if (named.has(normalize(path))) return readRegular(path, Number.POSITIVE_INFINITY);
      const isRead = paths.some((each) => isInside(path, folderOf(each)));
      return isRead ? readRegular(realpathSync(path)) : { problem: OUTSIDE };
    } catch (cause) {
      return { problem: reasonOf(cause) };
    }
  };
}

const folderOf = (path: string): string => (statSync(path).isDirectory() ? path : dirname(path));

/**
 * Returns whether a file or folder is really inside a folder, or is the folder itself: symbolic links are followed.
 *
 * @throws the error of the file system if one of them does not exist
 * @example
 * isInside('policies/../secret', 'policies'); // false
 */
export function isInside(path: string, folder: string): boolean {
  const [real, top] = [realpathSync(path), realpathSync(folder)];
  return real === top || real.startsWith(top.endsWith(sep) ? top : top + sep);
}

/** Reads a regular file, if it is not larger than a policy may be. */
function readRegular(path: string, maxBytes: number = LIMITS.fileBytes): IncludedText {
  // To open a pipe would wait for somebody who writes into it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { problem: 'it is not a regular file' };
    if (stats.size <= maxBytes) return { text: readFileSync(file, 'utf8') };
    return { problem: `it has ${stats.size} bytes, but a policy can have at most ${maxBytes}` };
  } finally {
    closeSync(file);
  }
}

/** @returns why the file system did not give a file, for a sentence */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  if (code === 'ENOENT') return MISSING;
  return code === 'EACCES' ? 'no permission' : code;
}

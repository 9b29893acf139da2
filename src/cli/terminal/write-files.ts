import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { cannotWrite } from '../errors.js';

/**
 * Writes several files: all of them or none. Each is written beside its place first, and moved there at the end.
 *
 * @param files the texts by path; missing folders are created
 * @throws {CliError} if a file cannot be written. Then no file has changed, unless a move failed
 * @example
 * writeFiles(new Map([['policy.yaml', policy], ['policy.test.yaml', tests]]));
 */
export function writeFiles(files: ReadonlyMap<string, string>): void {
  const begun: [file: string, temporary: string][] = [];
  let current = '';
  try {
    for (const [file, text] of files) {
      current = file;
      createFolder(dirname(file));
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats?.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
      // A link stays a link: the file behind it is replaced.
      const place = stats === undefined ? file : realpathSync(file);
      const temporary = `${place}.${process.pid}.tmp`;
      begun.push([place, temporary]);
      writeFileSync(temporary, text, { mode: stats?.mode });
      // The mask of the process left out some permissions.
      if (stats !== undefined) chmodSync(temporary, stats.mode);
    }
    for (const [file, temporary] of begun) {
      current = file;
      renameSync(temporary, file);
    }
  } catch (cause) {
    throw cannotWrite(current, cause, 'Check its path and its permissions.');
  } finally {
    for (const [, temporary] of begun) rmSync(temporary, { force: true });
  }
}

/**
 * Creates a folder and the folders above it. `mkdirSync` with `recursive: true` never returns under Node 20 if a folder
 * cannot be created, as in /proc.
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder);
}

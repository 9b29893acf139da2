import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { CliError, cannotRead } from '../errors.js';

const SUFFIX = '.test.yaml';
const DEFAULT_FOLDER = 'policies';

/**
 * Finds the test files of a command line.
 *
 * @param paths test files, policies that have a test file beside them, and folders; if empty, the folder `policies`, or
 *   the current folder if there is none
 * @returns each test file once; the files of a folder are sorted by name
 * @throws {CliError} if a path does not exist, or there is no test file for it
 * @example
 * findTestFiles(['policies/vault.yaml']); // ['policies/vault.test.yaml']
 */
export function findTestFiles(paths: readonly string[]): string[] {
  if (paths.length > 0) return [...new Set(paths.flatMap(filesOf))];
  if (existsSync(DEFAULT_FOLDER)) return filesOf(DEFAULT_FOLDER);
  // `init` writes the policy and its tests into the current folder.
  const here = testFilesIn('.');
  if (here.length > 0) return here;
  throw new CliError(
    `There is no folder "${DEFAULT_FOLDER}" here, and no file that ends in ${SUFFIX}. Name test files, or a folder of test files.`,
  );
}

/**
 * Returns the test files that a command line names itself, and not only their folder.
 *
 * @param paths as for `findTestFiles`, which has accepted them
 */
export const namedTestFiles = (paths: readonly string[]): ReadonlySet<string> =>
  new Set(paths.filter((path) => !statSync(path).isDirectory()).flatMap(filesOf));

const testFilesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort()
    .map((name) => join(folder, name));

function filesOf(path: string): string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (cause) {
    throw cannotRead(path, cause, 'Check the path of the tests.');
  }
  if (isFolder) {
    const found = testFilesIn(path);
    if (found.length > 0) return found;
    throw new CliError(
      `The folder ${path} contains no file that ends in ${SUFFIX}. Name a test file, or another folder.`,
    );
  }
  if (path.endsWith(SUFFIX)) return [normalize(path)];
  const beside = path.replace(/(\.ya?ml)?$/, SUFFIX);
  if (existsSync(beside)) return [normalize(beside)];
  throw new CliError(`${path} has no tests: ${beside} does not exist. Write it, or name another file.`);
}

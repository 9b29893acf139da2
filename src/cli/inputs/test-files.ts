import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { CliError } from '../errors.js';

const SUFFIX = '.test.yaml';
const USUAL = 'policies';

/**
 * Finds the test files that a command line means.
 *
 * @param paths test files, policies with a test file beside, and folders; without any, the usual folder
 * @returns the test files, each once, those of a folder by name
 * @throws {CliError} if there is no such file, or none in a folder
 * @example
 * findTestFiles(['policies/vault.yaml']); // ['policies/vault.test.yaml']
 */
export function findTestFiles(paths: readonly string[]): string[] {
  if (paths.length === 0 && !existsSync(USUAL)) {
    throw new CliError(`There is no folder ${USUAL} here; name test files, or a folder of them.`);
  }
  const given = paths.length === 0 ? [USUAL] : paths;
  return [...new Set(given.flatMap(filesOf))];
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) {
    throw new CliError(`${path} cannot be read (it does not exist); check the path of the tests.`);
  }
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path).filter((name) => name.endsWith(SUFFIX));
    if (names.length > 0) return names.sort().map((name) => join(path, name));
    throw new CliError(`${path} holds no file that ends in ${SUFFIX}; name one, or another folder.`);
  }
  if (path.endsWith(SUFFIX)) return [normalize(path)];
  const beside = path.replace(/(\.ya?ml)?$/, SUFFIX);
  if (existsSync(beside)) return [normalize(beside)];
  throw new CliError(`${path} has no tests: there is no ${beside}; write it, or name another file.`);
}

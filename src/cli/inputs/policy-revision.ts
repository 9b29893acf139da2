import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import type { CompiledPolicy } from '../../core/engine/policy.js';
import { checkReading, type PolicyReport } from '../../core/policy/compile/check-reading.js';
import { isPolicyFile, pinsIn, readPolicy } from '../../core/policy/compile/load.js';
import { type FileSource, lockBeside, MISSING, readFiles } from '../../core/policy/compile/reading.js';
import { CliError } from '../errors.js';
import { findingsText } from '../terminal/findings-text.js';
import type { Terminal } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';

/**
 * Reads a policy from a file, a folder, or a git revision.
 *
 * @param name a path, or `REVISION:path`, as `git show` takes it
 * @param terminal how text is written to stderr
 * @returns the compiled policy
 * @throws {CliError} if git cannot read it, or if it has errors, which are printed to stderr
 * @throws {PolicyFileError} if a file cannot be read
 * @example
 * readRevision('HEAD~1:policies/vault.yaml', terminal).concerns;
 */
export function readRevision(name: string, terminal: Pick<Terminal, 'errors' | 'warn'>): CompiledPolicy {
  // An existing file is always read as a file, even if its name looks like a revision.
  const [, revision, path] = existsSync(name) ? [] : (/^([^:]+):(.+)$/.exec(name) ?? []);
  const isFile = revision === undefined || path === undefined;
  const { compiled, findings, texts } = isFile ? readPolicy(name) : readFromGit(revision, path);
  if (compiled !== undefined) return compiled;
  const errors = findings.filter(({ severity }) => severity === 'error');
  terminal.warn(`${findingsText(errors, texts, terminal.errors)}\n`);
  throw new CliError(`${name} has ${quantity(errors.length, 'error')}, so nothing was compared.`);
}

function readFromGit(revision: string, given: string): PolicyReport {
  // git reads a path from the root of the repository, unless it begins with a dot.
  const path = given.startsWith('.') ? posix.join(git('rev-parse', '--show-prefix').trim(), given) : given;
  const objectOf = (file: string): string => `${revision}:${posix.normalize(file)}`;
  const source: FileSource = {
    read: (name) => {
      const isKnown = spawnSync('git', ['cat-file', '-e', name]).status === 0;
      return isKnown ? { text: git('show', name) } : { problem: MISSING };
    },
    resolve: (file, name) => objectOf(posix.join(posix.dirname(file.slice(revision.length + 1)), name)),
  };
  const isFolder = git('cat-file', '-t', `${revision}:${path}`).trim() === 'tree';
  const names = isFolder ? filesOf(objectOf(path)) : [objectOf(path)];
  const reading = readFiles(source, new Map(names.map((name) => [name, git('show', name)])));
  const lock = lockBeside(objectOf(path), isFolder);
  const { text } = source.read(lock);
  reading.pin(text === undefined ? undefined : pinsIn(lock, text), lock);
  return checkReading(reading);
}

/** @returns the policy files of a folder, as git sorts them: by the bytes of their names */
function filesOf(folder: string): string[] {
  const files = git('ls-tree', '--full-tree', '--name-only', folder).split('\n').filter(isPolicyFile);
  if (files.length > 0) return files.map((name) => posix.join(folder, name));
  throw new CliError(`${folder} does not contain a .yaml file; pass a policy file or another folder.`);
}

const MAX_BYTES = 16 * 2 ** 20;

function git(...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  });
  const target = args.at(-1) ?? '';
  if (error !== undefined)
    throw new CliError(`${target} cannot be read: git cannot be started (${error.message}).`, {
      cause: error,
    });
  if (status === 0) return stdout;
  const [reason] = stderr
    .replace(/^fatal: /, '')
    .trim()
    .split('\n', 1);
  throw new CliError(
    `${target} cannot be read from git (${reason}). Pass a path, or a revision such as HEAD~1:${target.slice(target.indexOf(':') + 1)}.`,
  );
}

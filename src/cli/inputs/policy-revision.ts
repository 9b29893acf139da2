import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import type { CompiledPolicy } from '../../engine/policy.js';
import { isPolicyFile, readPolicy } from '../../policy/compile/load.js';
import type { Finding } from '../../policy/language/findings.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import { read } from '../../wire/messages.js';
import { CliError } from '../errors.js';
import { findingsText } from '../terminal/findings-text.js';
import { type Paper, paperOf } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';

/**
 * Reads a policy from a file, a folder, or a git revision.
 *
 * @param name a path, or `REVISION:path`, as `git show` takes it
 * @param paper how text is written to stderr
 * @returns the compiled policy
 * @throws {CliError} if git cannot read it, or if it has errors, which are printed to stderr
 * @throws {PolicyFileError} if a file cannot be read
 * @example
 * readRevision('HEAD~1:policies/vault.yaml').concerns;
 */
export function readRevision(name: string, paper = paperOf(process.stderr, 'never')): CompiledPolicy {
  // An existing file is always read as a file, even if its name looks like a revision.
  const [, revision, given] = existsSync(name) ? [] : (/^([^:]+):(.+)$/.exec(name) ?? []);
  if (revision === undefined || given === undefined) return checked(name, readPolicy(name), paper);
  // git reads a path from the root of the repository, unless it begins with a dot.
  const path = given.startsWith('.') ? posix.join(git('rev-parse', '--show-prefix').trim(), given) : given;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-concerns-'));
  try {
    const report = readPolicy(checkOut(revision, path, folder));
    const rename = (file: string) => `${revision}:${file.replace(`${folder}/`, '')}`;
    const findings = report.findings.map((finding) => ({
      ...finding,
      file: rename(finding.file),
      message: finding.message.replaceAll(`${folder}/`, ''),
    }));
    const texts = new Map([...report.texts].map(([file, text]) => [rename(file), text]));
    const { compiled } = report;
    return checked(
      name,
      {
        findings,
        texts,
        ...(compiled === undefined ? {} : { compiled: { ...compiled, files: compiled.files.map(rename) } }),
      },
      paper,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checked(
  name: string,
  {
    compiled,
    findings,
    texts,
  }: {
    compiled?: CompiledPolicy;
    findings: readonly Finding[];
    texts: ReadonlyMap<string, string>;
  },
  paper: Paper,
): CompiledPolicy {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (compiled !== undefined) return compiled;
  console.error(`${findingsText(errors, texts, paper)}\n`);
  throw new CliError(`${name} has ${quantity(errors.length, 'error')}, so nothing was compared.`);
}

/** Writes a policy of a revision, and every file that it includes, into a temporary folder. */
function checkOut(revision: string, path: string, folder: string): string {
  const type = git('cat-file', '-t', `${revision}:${path}`).trim();
  const local = posix.normalize(path);
  if (type === 'tree') {
    const names = git('ls-tree', '--full-tree', '--name-only', `${revision}:${path}`).split('\n');
    const files = names.filter(isPolicyFile);
    mkdirSync(join(folder, local), { recursive: true });
    for (const name of files) writeOut(revision, posix.join(path, name), folder);
  } else writeOut(revision, path, folder);
  return join(folder, local);
}

function writeOut(revision: string, path: string, folder: string): void {
  const target = join(folder, posix.normalize(path));
  if (!target.startsWith(folder) || existsSync(target)) return;
  const text = git('show', `${revision}:${path}`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  const includes = read(readPolicyText(text, path).data, 'include');
  for (const each of Array.isArray(includes) ? includes : []) {
    if (typeof each !== 'string') continue;
    const included = posix.join(posix.dirname(path), each);
    // A missing file becomes a finding of the policy that includes it.
    if (spawnSync('git', ['cat-file', '-e', `${revision}:${included}`]).status === 0) {
      writeOut(revision, included, folder);
    }
  }
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
  const reason =
    stderr
      .replace(/^fatal: /, '')
      .trim()
      .split('\n')[0] ?? '';
  throw new CliError(
    `${target} cannot be read from git (${reason}). Pass a path, or a revision such as HEAD~1:${target.slice(target.indexOf(':') + 1)}.`,
  );
}

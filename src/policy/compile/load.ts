import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type CompiledPolicy, type Policy, preparePolicy } from '../../engine/policy.js';
import { checkCatalog, type PolicyCatalog } from '../check/check-catalog.js';
import { checkMeaning } from '../check/check-policy.js';
import type { CheckedFile } from '../check/check-values.js';
import { type Finding, type FindingCode, PolicyError } from '../language/findings.js';
import { readPolicyText } from '../language/read-yaml.js';
import { checkShape, type Shape } from '../language/validate.js';
import { compilePolicy } from './compile.js';

/** What came of reading a policy: the compiled policy if no finding is an error. */
export interface PolicyReport {
  readonly compiled?: CompiledPolicy;
  readonly findings: readonly Finding[];
  /** The text of each file by its name, for code frames. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A policy that could not be read at all: the name is wrong, or the file is not readable. */
export class PolicyFileError extends Error {
  readonly code = 'POLICY_UNREADABLE';
  override readonly name = 'PolicyFileError';
}

/**
 * Loads a policy, ready for evaluation.
 *
 * @param paths a file, several, or a folder, whose `*.yaml` are merged by byte order of name, tests left out
 * @returns the policy
 * @throws {PolicyFileError} if a file or folder cannot be read
 * @throws {PolicyError} if the policy is wrong, with all findings of all files
 * @example
 * attachConcerns(server, { policy: loadPolicy('policies/vault.yaml') });
 */
export function loadPolicy(paths: string | readonly string[]): Policy {
  const { compiled, findings, texts } = readPolicy(paths);
  if (compiled === undefined) throw new PolicyError(findings, texts);
  return preparePolicy(compiled);
}

/**
 * Reads and checks a policy.
 *
 * @param paths as for `loadPolicy`
 * @param catalog what a server really lists, to check the policy against; only a policy without errors is
 * @returns all findings of all files, and the compiled policy if none is an error
 * @throws {PolicyFileError} if a file or folder that was named cannot be read
 * @example
 * const { findings, texts } = readPolicy('policies/vault.yaml');
 * console.log(formatFindings(findings, texts));
 */
export function readPolicy(paths: string | readonly string[], catalog?: PolicyCatalog): PolicyReport {
  const reading = new Reading();
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    for (const file of filesOf(path)) reading.add(file, readText(file), new Set());
  }
  const { files, findings, texts, order, complete } = reading;
  for (const finding of checkMeaning(files, complete)) findings.push(finding);
  const failed = findings.some(({ severity }) => severity === 'error');
  const compiled = failed ? undefined : compilePolicy(files);
  if (compiled !== undefined && catalog !== undefined) {
    findings.push(...checkCatalog(files, preparePolicy(compiled), catalog));
  }
  findings.sort(byPlace(order));
  return { ...(compiled === undefined ? {} : { compiled }), findings, texts };
}

/** Reads files with all that they include, each once, included ones first. */
class Reading {
  readonly files: CheckedFile[] = [];
  readonly findings: Finding[] = [];
  readonly texts = new Map<string, string>();
  /** Names of all files, those that could not be read too, included ones first. */
  readonly order: string[] = [];
  /** Whether all could be read. */
  complete = true;

  /** @returns the names of all files that this one includes, directly or not */
  add(file: string, text: string, including: ReadonlySet<string>): ReadonlySet<string> {
    const known = this.files.find(({ source }) => source.file === file);
    if (known !== undefined || this.texts.has(file)) return known?.included ?? new Set();
    this.texts.set(file, text);
    const source = readPolicyText(text, file);
    for (const finding of source.findings) this.findings.push(finding);
    if (source.data === undefined) {
      this.complete = false;
      this.order.push(file);
      return new Set();
    }

    const shape = checkShape(source);
    this.findings.push(...shape.findings);
    const included = new Set<string>();
    shape.document.include?.forEach((name, index) => {
      const path = normalize(join(dirname(file), name));
      const found = this.include(shape, path, index, new Set([...including, file]));
      if (found === undefined) this.complete = false;
      for (const each of found ?? []) included.add(each);
    });
    this.files.push({ source, ...shape, included });
    this.order.push(file);
    return included;
  }

  private include(
    shape: Shape,
    path: string,
    index: number,
    including: ReadonlySet<string>,
  ): Iterable<string> | undefined {
    const report = (code: FindingCode, message: string): undefined => {
      this.findings.push({ ...shape.locate(['include', index]), severity: 'error', code, message });
      return undefined;
    };
    if (including.has(path))
      return report('include-cycle', `${path} includes itself through this file; take one out.`);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (cause) {
      return report(
        'include-unreadable',
        `${path} cannot be read (${reasonOf(cause)}); paths are relative to this file.`,
      );
    }
    return [path, ...this.add(path, text, including)];
  }
}

function filesOf(path: string): string[] {
  if (!statOf(path).isDirectory()) return [normalize(path)];
  const files = readdirSync(path)
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((name) => join(path, name));
  if (files.length === 0)
    throw new PolicyFileError(`${path} holds no .yaml file; name a policy or another folder.`);
  return files;
}

function statOf(path: string): ReturnType<typeof statSync> & object {
  try {
    return statSync(path);
  } catch (cause) {
    throw new PolicyFileError(`${path} cannot be read (${reasonOf(cause)}); check the path of the policy.`, {
      cause,
    });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new PolicyFileError(`${file} cannot be read (${reasonOf(cause)}); check the path of the policy.`, {
      cause,
    });
  }
}

function reasonOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES') return 'no permission';
  return code ?? String(cause);
}

function byPlace(files: readonly string[]): (a: Finding, b: Finding) => number {
  const order = new Map(files.map((file, index) => [file, index]));
  return (a, b) =>
    (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line || a.column - b.column;
}

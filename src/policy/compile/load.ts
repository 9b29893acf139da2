import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type CompiledPolicy, type Policy, preparePolicy } from '../../engine/policy.js';
import { ConcernsError } from '../../errors.js';
import { CATALOG_CODES, checkCatalog, type PolicyCatalog } from '../check/check-catalog.js';
import { checkMeaning } from '../check/check-policy.js';
import type { CheckedFile } from '../check/check-values.js';
import { mapsAreComplete, rightParts } from '../check/right-parts.js';
import { comparePlaces, type Finding, type FindingCode, PolicyError } from '../language/findings.js';
import { applyIgnores } from '../language/ignores.js';
import { readPolicyText } from '../language/read-yaml.js';
import { type ValidatedPolicy, validatePolicy } from '../language/validate.js';
import { compilePolicy } from './compile.js';

/** The result of reading a policy: its findings and, if none of them is an error, the compiled policy. */
export interface PolicyReport {
  readonly compiled?: CompiledPolicy;
  readonly findings: readonly Finding[];
  /** The text of each file by file name, for the code frames of `formatFindings`. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A policy file or folder that cannot be read. `cause` is the error of the file system, if there is one. */
export class PolicyFileError extends ConcernsError {
  readonly code = 'POLICY_UNREADABLE';
  override readonly name = 'PolicyFileError';
}

/**
 * Loads a policy from YAML files.
 *
 * @param paths one or several paths of files or folders. The `*.yaml` files of a folder, without `*.test.yaml`, are merged
 *   in byte order of their names
 * @returns the policy, ready for evaluation
 * @throws {PolicyFileError} if a file or folder cannot be read
 * @throws {PolicyError} if the policy has errors, with all findings of all files
 * @example
 * attachConcerns(server, { policy: loadPolicy('policies/vault.yaml') });
 */
export function loadPolicy(paths: string | readonly string[]): Policy {
  return preparePolicy(compileOrThrow(paths));
}

/**
 * Compiles a policy from YAML files to JSON, as `mcp-concerns compile` does. `openCompiledPolicy` opens the parsed JSON
 * without a YAML parser or a schema validator. The same files always give the same bytes.
 *
 * @param paths one or several paths of files or folders, as for `loadPolicy`
 * @returns the JSON text on one line, without a line break at the end
 * @throws {PolicyFileError} if a file or folder cannot be read
 * @throws {PolicyError} if the policy has errors, with all findings of all files
 * @example
 * writeFileSync('build/policy.json', compileToJson('policies/vault.yaml'));
 */
export function compileToJson(paths: string | readonly string[]): string {
  return JSON.stringify(compileOrThrow(paths));
}

function compileOrThrow(paths: string | readonly string[]): CompiledPolicy {
  const { compiled, findings, texts } = readPolicy(paths);
  if (compiled === undefined) throw new PolicyError(findings, texts);
  return compiled;
}

/**
 * Reads, checks and compiles a policy, as `mcp-concerns check` does.
 *
 * @param paths one or several paths of files or folders, as for `loadPolicy`
 * @param catalog the catalog of a server; all parts of the policy without errors are also checked against it
 * @returns all findings of all files and, if none of them is an error, the compiled policy
 * @throws {PolicyFileError} if one of the paths cannot be read; an include that cannot be read is a finding
 * @example
 * const catalog = { tools: [{ name: 'encryptData' }] };
 * const { findings, texts } = readPolicy('policies/vault.yaml', catalog);
 * console.log(writeFindings(findings, texts, 'pretty'));
 */
export function readPolicy(paths: string | readonly string[], catalog?: PolicyCatalog): PolicyReport {
  const reading = new Reading();
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    for (const file of filesOf(path)) reading.add(file, readText(file), new Set());
  }
  const { files, findings, texts, order, complete } = reading;
  const { findings: meaning, wrong } = checkMeaning(files, complete);
  for (const finding of meaning) findings.push(finding);
  const failed = findings.some(({ severity }) => severity === 'error');
  const compiled = failed ? undefined : compilePolicy(files);
  if (catalog !== undefined && files.length > 0) {
    const right = failed ? rightParts(files, wrong) : files;
    const scope = { whole: !failed, unmapped: complete && mapsAreComplete(files, wrong) };
    findings.push(...checkCatalog(right, preparePolicy(compiled ?? compilePolicy(right)), catalog, scope));
  }
  const wasChecked = (code: string): boolean =>
    (catalog !== undefined && !failed) || !CATALOG_CODES.has(code);
  const sources = files.map(({ source }) => source);
  const left = applyIgnores(sources, findings, wasChecked).sort(byPlace(order));
  return { ...(compiled === undefined ? {} : { compiled }), findings: left, texts };
}

/** Reads files and all files that they include, each file once, included files first. */
class Reading {
  readonly files: CheckedFile[] = [];
  readonly findings: Finding[] = [];
  readonly texts = new Map<string, string>();
  /** The names of all files, also of files that could not be read, included files first. */
  readonly order: string[] = [];
  /** Whether all files could be read. */
  complete = true;

  /** @returns the names of all files that this file includes, directly or through other files */
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

    const validated = validatePolicy(source);
    this.findings.push(...validated.findings);
    const included = new Set<string>();
    validated.document.include?.forEach((name, index) => {
      const path = normalize(join(dirname(file), name));
      const found = this.include(validated, path, index, new Set([...including, file]));
      if (found === undefined) this.complete = false;
      for (const each of found ?? []) included.add(each);
    });
    this.files.push({ source, ...validated, included });
    this.order.push(file);
    return included;
  }

  private include(
    validated: ValidatedPolicy,
    path: string,
    index: number,
    including: ReadonlySet<string>,
  ): Iterable<string> | undefined {
    const report = (code: FindingCode, message: string): undefined => {
      this.findings.push({ ...validated.locate(['include', index]), severity: 'error', code, message });
      return undefined;
    };
    if (including.has(path))
      return report(
        'include-cycle',
        `${path} includes itself through this file. Remove one of the includes.`,
      );
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (cause) {
      return report(
        'include-unreadable',
        `${path} cannot be read (${reasonOf(cause)}). Paths are relative to this file.`,
      );
    }
    return [path, ...this.add(path, text, including)];
  }
}

/** Whether a file of a folder is a part of its policy: `*.yaml`, but not `*.test.yaml`. */
export const isPolicyFile = (name: string): boolean => name.endsWith('.yaml') && !name.endsWith('.test.yaml');

/**
 * Lists the policy files of a folder.
 *
 * @param folder the path of the folder
 * @returns the paths of the files, in byte order of their names; empty if the folder contains no policy
 */
export function policyFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(isPolicyFile)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((name) => join(folder, name));
}

function filesOf(path: string): string[] {
  if (!statOf(path).isDirectory()) return [normalize(path)];
  const files = policyFilesIn(path);
  if (files.length === 0)
    throw new PolicyFileError(`${path} does not contain a .yaml file; pass a policy file or another folder.`);
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
  return (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || comparePlaces(a, b);
}

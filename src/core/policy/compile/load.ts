import { readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Verified } from '../../engine/claims.js';
import { type CompiledPolicy, type Pins, type Policy, preparePolicy } from '../../engine/policy.js';
import { type ErrorClass, errorClass } from '../../errors.js';
import type { PolicyCatalog } from '../check/servers/own-catalog.js';
import { PolicyError } from '../language/findings.js';
import { checkReading, type PolicyReport } from './check-reading.js';
import { joinPins, parseLock } from './lock.js';
import { policyReader, reasonOf } from './read-file.js';
import { type IncludedText, lockBeside, MISSING, readFiles } from './reading.js';

const PolicyFileErrorBase: ErrorClass<'PolicyFileError', 'POLICY_UNREADABLE'> = errorClass(
  'PolicyFileError',
  'POLICY_UNREADABLE',
);

/** A policy file or folder that cannot be read. `cause` is the error of the file system, if there is one. */
export class PolicyFileError extends PolicyFileErrorBase {}

/** The path of a file or a folder, or its `file:` URL, as `new URL('policy.yaml', import.meta.url)`. */
type PolicyPath = string | URL;

/**
 * Loads a policy from YAML files.
 *
 * @param paths one or several paths or `file:` URLs of files or folders. The `*.yaml` files of a folder, without `*.test.yaml`, are merged
 *   in byte order of their names
 * @returns the policy, ready for evaluation
 * @throws {PolicyFileError} if a file or folder cannot be read
 * @throws {PolicyError} if the policy has errors, with all findings of all files
 * @example
 * attachConcerns(server, { policy: loadPolicy('policies/vault.yaml') });
 */
export function loadPolicy(paths: PolicyPath | readonly PolicyPath[]): Policy {
  return preparePolicy(compileOrThrow(paths));
}

/**
 * Compiles a policy from YAML files to JSON. `openCompiledPolicy` opens the parsed JSON
 * without a YAML parser or a schema validator. The same files always give the same bytes.
 *
 * @param paths one or several paths of files or folders, as for `loadPolicy`
 * @returns the JSON text on one line, without a line break at the end
 * @throws {PolicyFileError} if a file or folder cannot be read
 * @throws {PolicyError} if the policy has errors, with all findings of all files
 * @example
 * writeFileSync('build/policy.json', compileToJson('policies/vault.yaml'));
 */
export function compileToJson(paths: PolicyPath | readonly PolicyPath[]): string {
  return JSON.stringify(compileOrThrow(paths));
}

function compileOrThrow(paths: PolicyPath | readonly PolicyPath[]): CompiledPolicy {
  const { compiled, findings, texts } = readPolicy([paths].flat().map(pathOf));
  if (compiled === undefined) throw new PolicyError(findings, texts);
  return compiled;
}

function pathOf(path: unknown): string {
  if (typeof path === 'string') return path;
  if (path instanceof URL && path.protocol === 'file:') return fileURLToPath(path);
  throw new PolicyFileError(
    `A policy is loaded from a path or a file: URL, not from ${path instanceof URL ? path : typeof path}; pass 'policy.yaml'.`,
  );
}

/**
 * Reads, checks and compiles a policy, as `mcp-concerns check` does.
 *
 * @param paths one or several paths of files or folders, as for `loadPolicy`
 * @param catalog the catalog of a server; all parts of the policy without errors are also checked against it
 * @param callers the claims of some callers that the policy is checked against, by a name for messages
 * @param servers the names of all servers behind the endpoint, if it has several
 * @returns all findings of all files and, if none of them is an error, the compiled policy
 * @throws {PolicyFileError} if one of the paths cannot be read; an include that cannot be read is a finding
 * @example
 * const catalog = { tools: [{ name: 'encryptData' }] };
 * const { findings, texts } = readPolicy('policies/vault.yaml', catalog);
 * console.log(writeFindings(findings, texts, 'pretty'));
 */
export function readPolicy(
  paths: string | readonly string[],
  catalog?: PolicyCatalog,
  callers?: ReadonlyMap<string, Verified>,
  servers?: readonly string[],
): PolicyReport {
  const all = typeof paths === 'string' ? [paths] : paths;
  const read = policyReader(all);
  const texts = all.flatMap(policyFilesOf).map((file) => [file, textOf(file, read(file))] as const);
  const resolveFrom = (file: string, name: string): string => normalize(join(dirname(file), name));
  const reading = readFiles({ read, resolve: resolveFrom }, new Map(texts));
  reading.pin(pinsBeside(all), all.map(lockFileOf).join(' or '));
  return checkReading(reading, catalog, callers, servers);
}

/** @returns the path of the lock file of a policy on this machine */
export const lockFileOf = (path: string): string => normalize(lockBeside(path, isFolder(path)));

/**
 * Reads the lock files of a policy.
 *
 * @param paths the files and folders of the policy
 * @returns what all of them pin; undefined if there is none
 * @throws {PolicyFileError} if one cannot be read, or is damaged
 */
export function pinsBeside(paths: readonly string[]): Pins | undefined {
  const read = policyReader(paths);
  const locks = paths.map(lockFileOf).map((file) => ({ file, found: read(file) }));
  const existing = locks.filter(({ found }) => found.problem !== MISSING);
  if (existing.length === 0) return undefined;
  return joinPins(existing.map(({ file, found }) => pinsIn(file, textOf(file, found))));
}

/** @throws {PolicyFileError} if the text is not that of a lock file: without it, unreviewed definitions would be shown */
export function pinsIn(file: string, text: string): Pins {
  const pins = parseLock(text);
  if (pins !== undefined) return pins;
  throw new PolicyFileError(
    `${resolve(file)} is not a lock file. Remove it, and run "mcp-concerns pin" again.`,
  );
}

/** Whether a file of a folder is a part of its policy: `*.yaml`, but neither `*.test.yaml` nor `*.lock.yaml`. */
export const isPolicyFile = (name: string): boolean => /(?<!\.test|\.lock)\.yaml$/.test(name);

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

/**
 * Lists the files of a policy, for what handles each file separately.
 *
 * @param path the path of a policy file, or of a folder that is one policy
 * @returns the file itself, or the policy files of the folder
 * @throws {PolicyFileError} if the path does not exist, or the folder contains no policy
 * @example
 * policyFilesOf('policies'); // ['policies/everything.yaml', 'policies/playwright.yaml', ...]
 */
function policyFilesOf(path: string): string[] {
  if (!isFolder(path)) return [normalize(path)];
  const files = policyFilesIn(path);
  if (files.length === 0)
    throw new PolicyFileError(
      `${resolve(path)} does not contain a .yaml file; pass a policy file or another folder.`,
    );
  return files;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw unreadable(path, reasonOf(cause), { cause });
  }
}

function textOf(path: string, { text, problem }: IncludedText): string {
  if (text === undefined) throw unreadable(path, problem);
  return text;
}

const unreadable = (path: string, problem: string, options?: ErrorOptions): PolicyFileError =>
  new PolicyFileError(`${resolve(path)} cannot be read (${problem}); check the path of the policy.`, options);

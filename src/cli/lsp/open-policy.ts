import { basename, dirname, join, normalize, relative, resolve } from 'node:path';
import type { ServerCatalog } from '../../core/engine/mapping.js';
import { type CompiledPolicy, type Policy, preparePolicy } from '../../core/engine/policy.js';
import { checkMeaning } from '../../core/policy/check/check-policy.js';
import { rightParts } from '../../core/policy/check/right-parts.js';
import { checkReading } from '../../core/policy/compile/check-reading.js';
import { compilePolicy } from '../../core/policy/compile/compile.js';
import { policyFilesIn } from '../../core/policy/compile/load.js';
import { policyReader } from '../../core/policy/compile/read-file.js';
import { type FileSource, type Reading, readFiles } from '../../core/policy/compile/reading.js';
import type { Finding, Place } from '../../core/policy/language/findings.js';
import { readPolicyText, type Source } from '../../core/policy/language/read-yaml.js';
import { runTestFile } from '../../core/policy/testing/run-test-file.js';
import type { TestResult } from '../../core/policy/testing/run-tests.js';
import { readTestFile, type TestFile } from '../../core/policy/testing/test-file.js';
import { CliError } from '../errors.js';
import { catalogAt, catalogBeside, readCatalogFile } from '../inputs/catalog-file.js';
import { joinedCatalog } from '../inputs/several/joined-catalog.js';
import { findProject } from '../project/read-project.js';
import { terminalOf } from '../terminal/output.js';
import { mismatchesOf } from '../terminal/test-words.js';
import type { WordAt } from './word-at.js';

/** What an editor shows of a policy or a test file. */
export interface OpenPolicy extends OpenConcerns {
  /** The findings in the file and in all files that belong to it, and what its tests expect otherwise. */
  readonly found: readonly (Finding | Failure)[];
  /** All files that were read, relative to the working folder. */
  readonly files: readonly string[];
  readonly presets: readonly string[];
  /** The policy; undefined while it has errors. */
  readonly policy: Policy | undefined;
  readonly catalog: ServerCatalog;
  readonly servers: readonly OpenServer[];
}

/** The concerns of a policy, and where they are. */
interface OpenConcerns {
  /** The files of the policy, for the places of concerns. */
  readonly sources: readonly Source[];
  /** The concerns that could be read, also while the policy has errors. */
  readonly concerns: CompiledPolicy['concerns'];
}

/** A server that the policy names, with what its own policy has. */
interface OpenServer extends OpenConcerns {
  readonly key: string;
  readonly slug: string;
  /** Where the policy names it. */
  readonly named: Place;
}

/** Something that a test expects otherwise. It is not a finding: the file is right, the policy does something else. */
export interface Failure extends Place {
  readonly message: string;
}

/** Returns the text of a file in the editor; undefined if it is not open. */
export type OpenText = (file: string) => string | undefined;

/** Whether a text is a policy: other YAML files come from the same folders. */
const isPolicy = (text: string): boolean =>
  /^version\s*:/m.test(text) &&
  /^(include|servers|concerns|presets|primitives|patterns|assign|rules|settings)\s*:/m.test(text);

/** Whether a text is a file of policy tests. */
export const isTestFile = (file: string): boolean => file.endsWith('.test.yaml');

/**
 * Checks a file as the commands do, but reads the texts of an editor where they differ from the files. A file of the
 * project's policy is checked as a part of it, any other file as a policy of its own with the catalog beside it. No server
 * is started: to open a file must not run commands of a repository.
 *
 * @param file the path of a policy or a test file
 * @param openText the texts of the editor
 * @returns what the editor shows; undefined if the file is neither a policy nor a test file
 * @throws {CliError} if the project file or the catalog cannot be used
 * @example
 * openPolicy('policies/vault.yaml', () => undefined)?.findings; // []
 */
export function openPolicy(file: string, openText: OpenText): OpenPolicy | undefined {
  const { text } = readerOf([file], openText)(file);
  if (text === undefined) return undefined;
  if (isTestFile(file)) return openTests(file, text, openText);
  const project = projectOf(file);
  const own = project && readParts(project.policy, readerOf([project.folder], openText));
  if (own?.texts.has(file)) return checked(own, catalogAt(project?.catalog));
  if (!isPolicy(text)) return undefined;
  return checked(readParts([file], readerOf([file], openText)), catalogAt(catalogBeside(file)));
}

function openTests(file: string, text: string, openText: OpenText): OpenPolicy {
  const source = readPolicyText(text, file);
  const tests = readTestFile(source);
  const beside = (name: string): string => relative('', resolve(dirname(file), name));
  const unreadable: Finding[] = [];
  const report = (key: string, message: string): void => {
    const place = tests.locate([key]);
    unreadable.push({ ...place, severity: 'error', code: 'test-input-unreadable', message });
  };
  const read = readerOf(['.', file], openText);
  const paths = tests.policy.map(beside);
  for (const path of paths.flatMap(filesOf)) {
    const { problem } = read(path);
    if (problem !== undefined)
      report('policy', `${path} cannot be read (${problem}). Paths are relative to this file.`);
  }
  let catalog: ServerCatalog | undefined;
  try {
    catalog = joinedCatalog(tests.catalog, (name) => readCatalogFile(beside(name)));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    report('catalog', error.message);
  }
  const checkedPolicy = checked(readParts(paths, read), undefined);
  const { policy, found } = checkedPolicy;
  const about = { ...checkedPolicy, files: [file], catalog: catalog ?? {} };
  if (unreadable.length > 0) return { ...about, found: [...tests.findings, ...unreadable] };
  if (policy === undefined || catalog === undefined)
    return { ...about, found: [...tests.findings, ...notRun(found, tests)] };
  const { findings, results } = runTestFile(source, policy, catalog, tests);
  return { ...about, found: [...findings, ...failuresOf(results, tests)] };
}

/** A failed test is marked where it says what it expects. */
const failuresOf = (results: readonly TestResult[], { locate }: TestFile): Failure[] =>
  results.flatMap((result) =>
    mismatchesOf(result).map(({ kind, message }) => ({
      ...locate([...result.test.path, kind], 'key'),
      message: `The test fails. ${message}`,
    })),
  );

/** Says why no test runs, because without it a file whose tests do not run looks like one whose tests pass. */
function notRun(found: OpenPolicy['found'], { locate }: TestFile): Failure[] {
  const error = found.find((each) => 'code' in each && each.severity === 'error');
  if (error === undefined) return [];
  const place = `line ${error.line} of ${error.file}`;
  return [{ ...locate(['policy']), message: `The policy has errors, so no test runs. Fix ${place} first.` }];
}

function checked(reading: Reading, catalog: ServerCatalog | undefined): OpenPolicy {
  const { compiled, findings, texts } = checkReading(reading, catalog);
  const { files } = reading;
  const partial = compiled ?? rightOf(reading);
  return {
    found: findings,
    files: [...texts.keys()],
    sources: files.map(({ source }) => source),
    concerns: partial.concerns,
    presets: Object.keys(partial.presets),
    policy: compiled === undefined ? undefined : preparePolicy(compiled),
    catalog: catalog ?? {},
    servers: reading.servers.map(({ slug, entry: { key, file }, reading: own }) => ({
      key,
      slug,
      named: file.source.locate(['servers', key], 'key'),
      sources: own?.files.map(({ source }) => source) ?? [],
      concerns: own === undefined ? [] : rightOf(own).concerns,
    })),
  };
}

/** Compiles what is right of a policy that can have errors. */
const rightOf = ({ files, complete }: Reading) =>
  compilePolicy(rightParts(files, checkMeaning(files, complete).wrong));

/** The files beside a policy that it can name as the policies of its servers. */
export const policiesBeside = (file: string): readonly string[] =>
  policyFilesIn(dirname(file))
    .map((path) => basename(path))
    .filter((name) => name !== basename(file));

/** Returns what the policy has that a word of `servers` is about: the policy of that server, or for new names the policy itself. */
export function named(open: OpenPolicy, { path, writes }: WordAt): OpenConcerns {
  const isNew = path[2] === 'map' && writes === 'value';
  const server = open.servers.find(({ key }) => path[0] === 'servers' && key === path[1]);
  return server === undefined || isNew ? open : server;
}

/** Returns what reads the texts of the editor, else the files. */
function readerOf(roots: readonly string[], openText: OpenText): FileSource['read'] {
  const onDisk = policyReader(roots);
  return (path) => {
    const text = openText(path);
    return text === undefined ? onDisk(path) : { text };
  };
}

/**
 * Reads the files of a policy. A file that does not exist is left out, because its name is in another file. So is one outside
 * of the roots: nobody but that other file named it.
 */
function readParts(paths: readonly string[], read: FileSource['read']): Reading {
  const resolved = (from: string, name: string): string => normalize(join(dirname(from), name));
  const texts = paths.flatMap(filesOf).flatMap((path): [string, string][] => {
    const { text } = read(path);
    return text === undefined ? [] : [[path, text]];
  });
  return readFiles({ read, resolve: resolved }, new Map(texts));
}

function filesOf(path: string): string[] {
  try {
    return policyFilesIn(path);
  } catch {
    return [normalize(path)];
  }
}

/** The policy and the catalog of the project of a file, relative to the working folder. */
function projectOf(file: string) {
  const folder = resolve(dirname(file));
  const project = findProject(folder, terminalOf(process, { color: 'never' }));
  if (project === undefined) return undefined;
  const here = (path: string): string => relative('', resolve(folder, path));
  const { policy, catalog } = project;
  return {
    folder: dirname(project.path),
    policy: policy.map(here),
    catalog: catalog === undefined ? undefined : here(catalog),
  };
}

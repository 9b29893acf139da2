import { dirname, isAbsolute, join } from 'node:path';
import { type CompiledPolicy, type Policy, preparePolicy } from '../../core/engine/policy.js';
import { slugOf } from '../../core/engine/servers/outside-names.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { PolicyFileError, readPolicy } from '../../core/policy/compile/load.js';
import { policyReader } from '../../core/policy/compile/read-file.js';
import { comparePlaces, type Finding } from '../../core/policy/language/findings.js';
import { readPolicyText, type Source } from '../../core/policy/language/read-yaml.js';
import {
  type CoveredPart,
  coverageOf,
  percentageOf,
  type TestRun,
} from '../../core/policy/testing/coverage.js';
import { runTestFile } from '../../core/policy/testing/run-test-file.js';
import { hasPassed, type TestResult } from '../../core/policy/testing/run-tests.js';
import { readTestFile, type TestFile } from '../../core/policy/testing/test-file.js';
import { CliError } from '../errors.js';
import { readCatalogFile } from '../inputs/catalog-file.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { readInput } from '../inputs/read-input.js';
import { joinedCatalog } from '../inputs/several/joined-catalog.js';
import type { Options } from '../options/generated/commands.js';
import { requireTrust } from '../project/trust.js';
import type { Terminal } from '../terminal/output.js';

/** How to run test files. */
type TestOptions = Pick<Options['test'], 'timeout' | 'servers' | 'threshold' | 'filter'> & {
  readonly terminal: Terminal;
  readonly coverage: boolean;
  /** Whether the person vouches for a test file. Any other one was found, and a stranger may have written it. */
  readonly isTrusted: (file: string) => boolean;
};

/** Everything that `test` reports. */
export interface TestReport {
  readonly files: readonly FileReport[];
  readonly findings: readonly Finding[];
  /** The texts of the files that were read, by path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly coverage: readonly PolicyCoverage[];
  /** The policies that the tests exercise less than the threshold demands. */
  readonly low: readonly PolicyCoverage[];
  readonly threshold: number | undefined;
  readonly failed: boolean;
  /** All files that were read. */
  readonly read: readonly string[];
}

/** A test file with the results of its tests. There are no results if the file or its policy has errors. */
export interface FileReport {
  readonly file: string;
  readonly source: Source;
  /** @returns the line in which a test begins */
  readonly lineOf: (result: TestResult) => number;
  readonly results: readonly TestResult[];
  readonly failures: readonly TestResult[];
  /** Whether the file or its policy has errors. */
  readonly broken: boolean;
}

/** The parts of a policy, and which of them its tests exercise. */
export interface PolicyCoverage {
  /** The paths of its files. */
  readonly policy: string;
  readonly parts: readonly CoveredPart[];
  readonly percentage: number;
  readonly belowThreshold: boolean;
}

/**
 * Runs test files one after the other, each on its own catalog or server. The coverage of a policy counts all files that
 * test it.
 *
 * @param files the test files
 * @param options the timeout of servers, and the options of the report
 * @returns the report
 * @throws {CliError} if a server does not answer, or a test file cannot be read
 * @example
 * const { failed } = await runTestFiles(['policies/vault.test.yaml'], options);
 */
export async function runTestFiles(files: readonly string[], options: TestOptions): Promise<TestReport> {
  const runner = new TestRunner(options);
  const reports: FileReport[] = [];
  for (const file of files) reports.push(await runner.run(file));
  const { findings, texts } = runner;
  const coverage = options.coverage ? runner.coverage() : [];
  const low = coverage.filter(({ belowThreshold }) => belowThreshold);
  const failed = low.length > 0 || reports.some(({ broken, failures }) => broken || failures.length > 0);
  const { filter, threshold } = options;
  const found =
    filter === undefined ? reports : reports.filter(({ broken, results }) => broken || results.length > 0);
  if (found.length === 0)
    throw new CliError(`There is no test with "${filter}" in its name. Check --filter.`);
  const read = [...texts.keys(), ...runner.catalogs];
  return { files: found, findings, texts, coverage, low, threshold, failed, read };
}

interface LoadedPolicy {
  readonly compiled: CompiledPolicy;
  readonly policy: Policy;
  readonly runs: TestRun[];
}

class TestRunner {
  readonly findings: Finding[] = [];
  readonly texts = new Map<string, string>();
  readonly catalogs: string[] = [];
  private readonly policies = new Map<string, LoadedPolicy | undefined>();

  constructor(private readonly options: TestOptions) {}

  async run(file: string): Promise<FileReport> {
    const { isTrusted, servers } = this.options;
    const { text, problem } = policyReader([isTrusted(file) ? file : dirname(file)])(file);
    if (text === undefined) throw new CliError(`${file} cannot be read (${problem}). Check the file.`);
    const source = readPolicyText(text, file);
    this.texts.set(file, source.text);
    const tests = readTestFile(source);
    if (!isTrusted(file)) {
      const { policy, catalog, server } = tests;
      const reads = [...policy, ...catalogNames(catalog)].map((name) => beside(file, name));
      const actions = { server: servers ? server : undefined, reads, folder: '.' };
      requireTrust({ path: file, text, file }, actions, this.options.terminal);
    }
    const loaded = this.loadPolicy(source, tests);
    const catalog = await this.loadCatalog(source, tests, loaded?.policy);
    const lineOf = ({ test }: TestResult): number => source.locate(test.path).line;
    const about = { file, lineOf, source };
    if (loaded === undefined || catalog === undefined) {
      this.findings.push(...[...tests.findings].sort(comparePlaces));
      return { ...about, results: [], failures: [], broken: true };
    }
    const run = runTestFile(source, loaded.policy, catalog, tests);
    this.findings.push(...run.findings);
    const broken = run.findings.some(({ severity }) => severity === 'error');
    if (!broken) loaded.runs.push(run);
    const { filter = '' } = this.options;
    const results = run.results.filter(({ test }) => test.name.includes(filter));
    return { ...about, results, failures: results.filter((each) => !hasPassed(each)), broken };
  }

  /** Returns the parts of each policy that its tests exercise. */
  coverage(): readonly PolicyCoverage[] {
    const { threshold } = this.options;
    return [...this.policies].flatMap(([name, loaded]) => {
      // The tests of broken files did not run, so their coverage is not known.
      if (loaded === undefined || loaded.runs.length === 0) return [];
      const parts = coverageOf(loaded.compiled, loaded.policy, loaded.runs);
      const percentage = percentageOf(parts);
      const belowThreshold = threshold !== undefined && percentage < threshold;
      return [{ policy: name, parts, percentage, belowThreshold }];
    });
  }

  private loadPolicy(source: Source, { policy: names, catalog }: TestFile): LoadedPolicy | undefined {
    if (names.length === 0) return undefined;
    const paths = names.map((name) => beside(source.file, name));
    const servers = typeof catalog === 'object' ? Object.keys(catalog).map(slugOf) : undefined;
    const key = [...paths, ...(servers ?? [])].join(' ');
    if (this.policies.has(key)) return this.policies.get(key);
    let loaded: LoadedPolicy | undefined;
    try {
      const { compiled, findings, texts } = readPolicy(paths, undefined, undefined, servers);
      // `check` reports the warnings of a policy.
      this.findings.push(...findings.filter(({ severity }) => severity === 'error'));
      for (const [file, text] of texts) this.texts.set(file, text);
      if (compiled !== undefined) loaded = { compiled, policy: preparePolicy(compiled), runs: [] };
    } catch (error) {
      if (!(error instanceof PolicyFileError)) throw error;
      this.report(source, 'policy', `${problemOf(error)}. Paths are relative to this file.`);
    }
    this.policies.set(key, loaded);
    return loaded;
  }

  private async loadCatalog(
    source: Source,
    { catalog, server }: TestFile,
    policy: Policy | undefined,
  ): Promise<PolicyCatalog | undefined> {
    const { timeout, terminal, servers } = this.options;
    const [program, ...args] = server ?? [];
    if (program !== undefined && !servers)
      return this.report(source, 'server', 'The server is not started (--no-servers). Name a catalog.');
    if (program !== undefined)
      return readInput({ from: 'command', program, args, seconds: timeout }, terminal);
    try {
      const joined = joinedCatalog(catalog, (name) => {
        const path = beside(source.file, name);
        this.catalogs.push(path);
        return readCatalogFile(path);
      });
      // This refuses a policy that reads what a catalog of facts does not have.
      if (policy !== undefined && joined !== undefined) policyFor(policy, joined);
      return joined;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return this.report(source, 'catalog', error.message);
    }
  }

  private report(source: Source, key: string, message: string): undefined {
    const place = source.locate([key]);
    this.findings.push({ ...place, severity: 'error', code: 'test-input-unreadable', message });
  }
}

/** @returns the message of an error about a file, without its advice */
const problemOf = ({ message }: PolicyFileError): string =>
  /^.* cannot be read \([^)]*\)/.exec(message)?.[0] ?? message;

/** The files of a catalog: of one server, or of each of several. */
const catalogNames = (catalog: TestFile['catalog']): readonly string[] =>
  typeof catalog === 'object' ? Object.values(catalog) : [catalog ?? []].flat();

const beside = (file: string, name: string): string => (isAbsolute(name) ? name : join(dirname(file), name));

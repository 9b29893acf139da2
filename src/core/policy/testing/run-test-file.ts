import type { ServerCatalog } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';
import { comparePlaces, type Finding } from '../language/findings.js';
import { applyIgnores } from '../language/ignores.js';
import type { Source } from '../language/read-yaml.js';
import { checkTests } from './check-tests.js';
import type { TestRun } from './coverage.js';
import { hasPassed, runTest, subjectsOf } from './run-tests.js';
import { readTestFile, type TestFile } from './test-file.js';

/** The findings in a test file and, if none of them is an error, the results of its tests. */
export interface TestFileRun extends TestRun {
  readonly findings: readonly Finding[];
  /** Whether the file has no errors and all its tests passed. */
  readonly passed: boolean;
}

/**
 * Checks and runs the tests of one file on one catalog, as `mcp-concerns test` does for each file.
 *
 * @param source the test file, as `readPolicyText` reads it
 * @param policy the policy under test; the `policy` key of the file is not read
 * @param catalog the primitives that the tests run on; the `catalog` and `server` keys of the file are not read
 * @param file the tests of this file, if it is already read because its keys tell which policy and catalog to load
 * @returns the findings in the order of the file, and the results. Pass it to `coverageOf` to compute the coverage
 * @example
 * const source = readPolicyText(readFileSync('vault.test.yaml', 'utf8'), 'vault.test.yaml');
 * const { passed, results } = runTestFile(source, loadPolicy('vault.yaml'), { tools: [{ name: 'encryptData' }] });
 */
export function runTestFile(
  source: Source,
  policy: Policy,
  catalog: ServerCatalog,
  file: TestFile = readTestFile(source),
): TestFileRun {
  const checked = checkTests({ ...source, locate: file.locate }, file, policy, catalog);
  const applied = applyIgnores([source], [...file.findings, ...checked], () => true);
  const findings = applied.findings.toSorted(comparePlaces);
  const failed = findings.some(({ severity }) => severity === 'error');
  const subjects = subjectsOf(policy, catalog);
  const results = failed ? [] : file.tests.map((test) => runTest(policy, subjects, test));
  const passed = !failed && results.every(hasPassed);
  return { findings, subjects, results, passed };
}

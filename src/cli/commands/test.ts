import { UsageError } from '../errors.js';
import { findTestFiles } from '../inputs/test-files.js';
import { oneOf, readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { toJson, toJunit } from '../reports/test-formats.js';
import { toPretty } from '../reports/test-report.js';
import { runTestFiles } from '../reports/test-run.js';
import { findingsText } from '../terminal/findings-text.js';

export const help = `Runs the tests of policies: which primitives a host sees with which preferences.

Usage: mcp-concerns test [FILE|FOLDER...] [options]

A test file names its policy, and a catalog or a server
(docs/reference/policy-tests.md).

Options:
  FILE|FOLDER           test files, policies with a test file beside them, or
                        folders of test files (default: the folder policies)
  --coverage            show values, entries and rules that no test exercises
  --threshold PERCENT   exit with 1 if the tests exercise less of a policy
  --format FORMAT       pretty (default), json or junit
  --timeout SECONDS     how long a server may take to list everything (30)
${COMMON_HELP}

Exit codes: 0 passed; 1 a test failed, a file has errors, or the coverage is
below the threshold; 2 invalid arguments or files.

Examples:
  mcp-concerns test policies/vault.test.yaml --coverage
  mcp-concerns test --threshold 90 --format junit > build/policies.xml
`;

const OPTIONS = {
  coverage: { type: 'boolean' },
  threshold: { type: 'string' },
  format: { type: 'string' },
  timeout: { type: 'string' },
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv the arguments after `test`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, a server does not answer, or a file cannot be read
 * @example
 * await run(['policies/vault.test.yaml', '--coverage']);
 */
export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments('test', argv, OPTIONS);
  const { paper, errors: stderr, quiet, note } = readCommon('test', values);
  const format = oneOf('test', '--format', values.format ?? 'pretty', ['pretty', 'json', 'junit'] as const);
  const threshold = values.threshold === undefined ? undefined : readPercent(values.threshold);
  const { timeout } = values;

  const report = await runTestFiles(findTestFiles(positionals), {
    quiet,
    timeout,
    coverage: values.coverage === true || threshold !== undefined,
    threshold,
  });
  const { findings, texts, failed } = report;
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (format === 'pretty' && errors.length > 0) console.error(`${findingsText(errors, texts, stderr)}\n`);
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  if (format === 'pretty' && warnings.length > 0) note(`${findingsText(warnings, texts, stderr)}\n`);

  if (format === 'json') process.stdout.write(`${JSON.stringify(toJson(report), null, 2)}\n`);
  else if (format === 'junit') process.stdout.write(toJunit(report));
  else process.stdout.write(toPretty(report, paper));
  return failed ? 1 : 0;
}

function readPercent(text: string): number {
  const percent = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (percent <= 100) return percent;
  throw new UsageError('test', `--threshold takes a number from 0 to 100, not "${text}"`);
}

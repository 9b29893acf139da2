import { describeConfiguration } from '../../core/engine/configuration.js';
import { formatFindings } from '../../core/policy/language/findings.js';
import { hasPassed, type TestResult } from '../../core/policy/testing/run-tests.js';
import { escapeMarkup } from '../terminal/output.js';
import { mismatchesOf } from '../terminal/test-words.js';
import type { FileReport, TestReport } from './test-run.js';

/** @returns a report as a JSON value */
export function toJson({ files, findings, coverage, threshold, failed }: TestReport): object {
  const results = files.flatMap((file) => file.results);
  const covered = coverage.map(({ policy, percentage, parts }) => ({
    policy,
    percentage,
    exercised: parts.filter(({ exercised }) => exercised).length,
    total: parts.length,
    missing: parts.filter(({ exercised }) => !exercised).map(({ exercised: _, ...part }) => part),
  }));
  return {
    ok: !failed,
    passed: results.filter(hasPassed).length,
    failed: files.flatMap((file) => file.failures).length,
    findings,
    files: files.map((file) => ({
      file: file.file,
      ran: !file.broken,
      tests: file.results.map((result) => testOf(file, result)),
    })),
    // JSON leaves out what is undefined.
    threshold: covered.length === 0 ? undefined : threshold,
    coverage: covered.length === 0 ? undefined : covered,
  };
}

function testOf({ lineOf }: FileReport, result: TestResult): object {
  const { test, configuration, wrong, counts } = result;
  return {
    name: test.name,
    line: lineOf(result),
    passed: hasPassed(result),
    configuration: describeConfiguration(configuration),
    wrong: wrong.map(({ kind, name, expected, decision }) => ({ kind, name, expected, ...decision })),
    counts,
  };
}

/** @returns a report as JUnit XML, for CI systems; a file that was not run is an error */
export function toJunit({ files, findings, texts, low, threshold }: TestReport): string {
  const results = files.flatMap((file) => file.results);
  const failures = files.flatMap((file) => file.failures).length;
  const errors = files.filter((file) => file.broken).length;
  const testFiles = new Set(files.map(({ file }) => file));
  // The findings of a policy belong to every file that tests it.
  const errorText = (own: string): string =>
    formatFindings(
      findings.filter(({ severity, file }) => severity === 'error' && (file === own || !testFiles.has(file))),
      texts,
    );
  const lines = element(
    'testsuites',
    {
      name: 'mcp-concerns',
      tests: results.length + errors + low.length,
      failures: failures + low.length,
      errors,
    },
    [
      ...files.flatMap((file) => (file.broken ? brokenSuite(file.file, errorText(file.file)) : suite(file))),
      ...low.flatMap(({ policy, percentage }) => {
        const message = `The tests exercise ${percentage} % of ${policy}, less than the threshold of ${threshold} %`;
        const failure = element('failure', { message });
        const test = element('testcase', { classname: policy, name: 'coverage' }, failure);
        return element('testsuite', { name: policy, tests: 1, failures: 1, errors: 0 }, test);
      }),
    ],
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines.join('\n')}\n`;
}

function brokenSuite(file: string, errorText: string): string[] {
  const message = 'The file or its policy has errors, so its tests were not run.';
  const error = element('error', { message }, errorText);
  const test = element('testcase', { classname: file, name: 'the file' }, error);
  return element('testsuite', { name: file, tests: 1, failures: 0, errors: 1 }, test);
}

function suite(report: FileReport): string[] {
  const { file, results, failures } = report;
  const tests = results.flatMap((result) => {
    const about = { classname: file, name: result.test.name, file, line: report.lineOf(result) };
    if (hasPassed(result)) return element('testcase', about);
    const all = mismatchesOf(result).map(({ message }) => message);
    const message = `${all.length} wrong: ${all[0] ?? ''}`;
    return element('testcase', about, element('failure', { message }, all.join('\n')));
  });
  const counts = { tests: results.length, failures: failures.length, errors: 0 };
  return element('testsuite', { name: file, ...counts }, tests);
}

/** @returns the lines of an XML element, with a text, with the lines of other elements, or empty */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content?: string | readonly string[],
): string[] {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${xml(String(value))}"`);
  const head = `<${name}${pairs.join('')}`;
  if (content === undefined) return [`${head}/>`];
  if (typeof content === 'string') return [`${head}>${xml(content)}</${name}>`];
  return [`${head}>`, ...content.map((line) => `  ${line}`), `</${name}>`];
}

/** Leaves out most control characters, because XML 1.0 cannot contain them. */
const xml = (text: string): string =>
  escapeMarkup(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''));

import { describeConfiguration } from '../../engine/configuration.js';
import { formatFindings } from '../../policy/language/findings.js';
import { hasPassed, type TestResult } from '../../policy/testing/run-tests.js';
import { reasonOf } from './test-report.js';
import type { FileReport, TestReport } from './test-run.js';

/** @returns a report as a JSON value */
export function toJson({ files, findings, coverage, threshold, failed }: TestReport): object {
  const results = files.flatMap((file) => file.results);
  return {
    ok: !failed,
    passed: results.filter(hasPassed).length,
    failed: results.filter((result) => !hasPassed(result)).length,
    findings,
    files: files.map((file) => ({
      file: file.file,
      ran: !file.broken,
      tests: file.results.map((result) => testOf(file, result)),
    })),
    ...(coverage.length === 0
      ? {}
      : {
          ...(threshold === undefined ? {} : { threshold }),
          coverage: coverage.map(({ policy, percentage, parts }) => ({
            policy,
            percentage,
            exercised: parts.filter(({ exercised }) => exercised).length,
            total: parts.length,
            missing: parts.filter(({ exercised }) => !exercised).map(({ exercised: _, ...part }) => part),
          })),
        }),
  };
}

function testOf({ policy, lineOf }: FileReport, result: TestResult): object {
  const { test, configuration, wrong, counts } = result;
  return {
    name: test.name,
    line: lineOf(result),
    passed: hasPassed(result),
    configuration: policy === undefined ? {} : describeConfiguration(configuration),
    wrong: wrong.map(({ kind, name, expected, decision }) => ({ kind, name, expected, ...decision })),
    counts,
  };
}

/** @returns a report as JUnit XML, for CI systems; a file that was not run is an error */
export function toJunit({ files, findings, texts, coverage, threshold }: TestReport): string {
  const results = files.flatMap((file) => file.results);
  const failures = results.filter((result) => !hasPassed(result)).length;
  const low = coverage.filter(({ belowThreshold }) => belowThreshold);
  const errors = files.filter((file) => file.broken).length;
  const testFiles = new Set(files.map(({ file }) => file));
  // The findings of a policy belong to every file that tests it.
  const errorText = (own: string): string =>
    formatFindings(
      findings.filter(({ severity, file }) => severity === 'error' && (file === own || !testFiles.has(file))),
      texts,
    );
  const total = results.length + errors + low.length;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="mcp-concerns" tests="${total}" failures="${failures + low.length}" errors="${errors}">`,
    ...files.flatMap((file) => suite(file, errorText(file.file))),
    ...low.flatMap(({ policy, percentage }) => {
      const message = `The tests exercise ${percentage} % of ${policy}, less than the threshold of ${threshold} %`;
      return [
        `  <testsuite name="${xml(policy)}" tests="1" failures="1" errors="0">`,
        `    <testcase classname="${xml(policy)}" name="coverage">`,
        `      <failure message="${xml(message)}"/>`,
        '    </testcase>',
        '  </testsuite>',
      ];
    }),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function suite(file: FileReport, errorText: string): string[] {
  const name = xml(file.file);
  if (file.broken) {
    return [
      `  <testsuite name="${name}" tests="1" failures="0" errors="1">`,
      `    <testcase classname="${name}" name="the file">`,
      `      <error message="The file or its policy has errors, so its tests were not run.">${xml(errorText)}</error>`,
      '    </testcase>',
      '  </testsuite>',
    ];
  }
  const failures = file.results.filter((result) => !hasPassed(result)).length;
  return [
    `  <testsuite name="${name}" tests="${file.results.length}" failures="${failures}" errors="0">`,
    ...file.results.flatMap((result) => {
      const head = `    <testcase classname="${name}" name="${xml(result.test.name)}" file="${name}" line="${file.lineOf(result)}"`;
      if (hasPassed(result)) return [`${head}/>`];
      const all = wrongLines(file, result);
      const message = `${all.length} wrong: ${all[0] ?? ''}`;
      return [
        `${head}>`,
        `      <failure message="${xml(message)}">${xml(all.join('\n'))}</failure>`,
        '    </testcase>',
      ];
    }),
    '  </testsuite>',
  ];
}

function wrongLines({ policy }: FileReport, result: TestResult): string[] {
  return [
    ...result.counts.map(({ kind, expected, actual }) => `${kind}: ${actual} shown, ${expected} expected`),
    ...result.wrong.map((each) => {
      const { kind, name, expected } = each;
      const is = expected === 'shown' ? 'hidden' : 'shown';
      const { reason, source } =
        policy === undefined ? { reason: '', source: '' } : reasonOf(policy, result, each);
      return `${kind} ${name} is ${is}, but ${expected} was expected: ${reason}${source === '' ? '' : ` (${source})`}`;
    }),
  ];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Leaves out most control characters, because XML 1.0 cannot contain them. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

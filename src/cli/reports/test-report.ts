import { describeConfiguration } from '../../core/engine/configuration.js';
import { KINDS } from '../../core/engine/policy.js';
import { wrapped } from '../../core/policy/language/wrapped.js';
import { COVERED, type CoveredPart } from '../../core/policy/testing/coverage.js';
import type { TestResult, Wrong } from '../../core/policy/testing/run-tests.js';
import type { UpdatedExpectation } from '../../core/policy/testing/update-tests.js';
import { type Row, table } from '../terminal/layout.js';
import { nameValues, type Paper, plain } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import { reasonOf } from '../terminal/test-words.js';
import type { FileReport, TestReport } from './test-run.js';

/**
 * Formats a report as text: whether all tests passed in the first line, then each failure with its reason, then the parts
 * of the policy that no test exercises.
 *
 * @param report the report
 * @param paper where the text will be written
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(toPretty(report, paperOf(process.stdout)));
 */
export function toPretty(report: TestReport, paper: Paper): string {
  const { files, coverage } = report;
  const lines = [paper.paint(report.failed ? 'red' : 'green', summary(report))];
  if (files.length > 1) lines.push(...files.map((file) => `  ${file.file}: ${outcome(file)}`));
  for (const file of files) {
    for (const result of file.failures) lines.push('', ...failure(file, result, paper));
  }
  for (const each of coverage) lines.push('', ...covered(each, report.threshold, paper));
  return `${lines.join('\n')}\n`;
}

function summary({ files, low, threshold }: TestReport): string {
  const results = files.flatMap((file) => file.results);
  const failed = files.flatMap((file) => file.failures).length;
  const broken = files.filter((file) => file.broken).length;
  const tests = results.length === 1 ? 'test' : 'tests';
  const parts = [
    ...(failed > 0 ? [`${failed} of ${results.length} ${tests} failed`] : []),
    ...(failed === 0 && results.length > 0 ? [`${results.length} ${tests} passed`] : []),
    ...(broken > 0 ? [`${quantity(broken, 'file')} not run because of errors`] : []),
    ...low.map(
      ({ policy, percentage }) => `tests exercise ${percentage} % of ${policy}, less than ${threshold} %`,
    ),
  ];
  return parts.join('; ');
}

function outcome({ broken, results, failures }: FileReport): string {
  if (broken) return 'not run';
  return failures.length === 0
    ? `${results.length} passed`
    : `${failures.length} of ${results.length} failed`;
}

function failure({ file, lineOf }: FileReport, result: TestResult, paper: Paper): string[] {
  const { test, configuration, wrong, counts } = result;
  const inEffect = nameValues(describeConfiguration(configuration));
  return [
    `${paper.paint('bold', plain(test.name))}  ${paper.paint('dim', `${file}:${lineOf(result)}`)}`,
    ...wrapped('  In effect: ', inEffect.length === 0 ? ['nothing'] : inEffect, ' ', paper.width),
    ...KINDS.flatMap((kind) => {
      const own = wrong.filter((each) => each.kind === kind);
      const count = counts.find((each) => each.kind === kind);
      if (own.length === 0 && count === undefined) return [];
      const signs = [
        own.some(({ expected }) => expected === 'shown') ? '- missing' : '',
        own.some(({ expected }) => expected === 'hidden') ? '+ unexpected' : '',
      ].filter((sign) => sign !== '');
      const counted = count === undefined ? [] : [`${count.actual} shown, ${count.expected} expected`];
      return [`  ${kind}: ${[...counted, ...signs].join(', ')}`, ...differences(result, own, paper)];
    }),
  ];
}

function differences(result: TestResult, wrong: readonly Wrong[], paper: Paper): string[] {
  const group = wrong.map((each): Row => {
    const { reason, source } = reasonOf(result, each);
    return [`${each.expected === 'shown' ? '-' : '+'} ${each.name}`, reason, source];
  });
  return table(group, paper, (name) => paper.paint(name.startsWith('-') ? 'red' : 'magenta', name));
}

function covered(
  { policy, parts, percentage, belowThreshold }: TestReport['coverage'][number],
  threshold: number | undefined,
  paper: Paper,
): string[] {
  const exercised = parts.filter((part) => part.exercised).length;
  const below = belowThreshold ? `, less than ${threshold} %` : '';
  const title = `${percentage} % of ${policy} exercised, ${exercised} of ${parts.length}${below}`;
  return [
    paper.paint('bold', title),
    ...COVERED.flatMap((name) => {
      const all = parts.filter(({ part }) => part === name);
      const missing = all.filter((part) => !part.exercised);
      if (all.length === 0) return [];
      const sum = `  ${name.padEnd(8)}  ${all.length - missing.length} of ${all.length}`;
      return missing.length === 0 ? [sum] : [`${sum}; not exercised:`, ...unexercised(missing, paper)];
    }),
  ];
}

function unexercised(missing: readonly CoveredPart[], paper: Paper): string[] {
  const group = missing.map(({ name, kind, source, obstacle }): Row => {
    const remark = [kind ?? '', obstacle ?? ''].filter((each) => each !== '').join(', ');
    return [name, remark, source ?? ''];
  });
  return table(group, paper);
}

/**
 * Writes what `test --update` changes in a file: for each expectation, its place, then the old and the new one.
 *
 * @param file the test file
 * @param updates the expectations that were rewritten, or could not be
 * @param paper where the text will be written
 * @returns the text, with a line break at its end; empty if there is nothing to update
 * @example
 * process.stdout.write(updatesToText('policies/vault.test.yaml', updates, paperOf(process.stdout)));
 */
export function updatesToText(
  file: string,
  updates: readonly UpdatedExpectation[],
  { paint }: Paper,
): string {
  return updates
    .flatMap(({ test, line, kind, before, after, shown, problem }) => [
      `${paint('bold', plain(test))}  ${paint('dim', `${file}:${line}`)}`,
      paint('red', `  - ${kind}: ${plain(before)}`),
      paint('green', `  + ${kind}: ${plain(after)}`),
      ...(shown.length === 0
        ? []
        : [`  This accepts that ${plain(shown.join(', '))} ${shown.length === 1 ? 'is' : 'are'} shown.`]),
      ...(problem === undefined ? [] : [`  Not changed, because ${problem}. Change it by hand.`]),
      '',
    ])
    .map((line) => `${line}\n`)
    .join('');
}

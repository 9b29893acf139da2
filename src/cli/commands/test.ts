import { updateTests } from '../../core/policy/testing/update-tests.js';
import { UsageError } from '../errors.js';
import { findTestFiles, namedTestFiles } from '../inputs/test-files.js';
import { repeatOnChange } from '../inputs/watch-files.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { testCommand } from '../options/generated/commands.js';
import { toJson, toJunit } from '../reports/test-formats.js';
import { toPretty, updatesToText } from '../reports/test-report.js';
import { runTestFiles, type TestReport } from '../reports/test-run.js';
import { findingsText } from '../terminal/findings-text.js';
import type { Terminal } from '../terminal/output.js';
import { writeFiles } from '../terminal/write-files.js';
import { writeJson } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, a server does not answer, or a file cannot be read
 * @example
 * await command.run(['policies/vault.test.yaml', '--coverage']);
 */
export const command: RunnableCommand = commandOf(testCommand(), async (given) => {
  const { values, positionals, terminal } = given;
  const [paths] = positionals;
  const { format, threshold, filter } = values;
  const coverage = values.coverage === true || threshold !== undefined;
  if (filter !== undefined && coverage) {
    throw new UsageError('Coverage counts all tests, so --filter cannot be combined with it');
  }
  if (values.update === true && values.watch === true) {
    throw new UsageError('--update changes the files that --watch watches. Pass one of them');
  }
  const runAll = (): Promise<TestReport> => {
    const files = findTestFiles(paths);
    const named = namedTestFiles(given.areFound ? [] : paths);
    const isTrusted = (file: string): boolean => values.trust === true || named.has(file);
    return runTestFiles(files, { ...values, terminal, coverage, isTrusted });
  };
  const print = (report: TestReport): TestReport => {
    const { findings, texts } = report;
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (format === 'pretty' && errors.length > 0)
      terminal.warn(`${findingsText(errors, texts, terminal.errors)}\n`);
    const warnings = findings.filter(({ severity }) => severity === 'warning');
    if (format === 'pretty' && warnings.length > 0)
      terminal.note(`${findingsText(warnings, texts, terminal.errors)}\n`);

    if (format === 'json') writeJson(toJson(report), terminal);
    else if (format === 'junit') terminal.print(toJunit(report));
    else terminal.print(toPretty(report, terminal.paper));
    return report;
  };
  if (values.watch === true) return repeatOnChange(async () => print(await runAll()).read, terminal);
  const first = await runAll();
  if (values.update !== true) return print(first).failed ? 1 : 0;
  const changed = update(first, terminal, format);
  return print(changed ? await runAll() : first).failed ? 1 : 0;
});

/** Shows and writes the new expectations of failed tests. */
function update({ files }: TestReport, terminal: Terminal, format: string): boolean {
  const texts = new Map<string, string>();
  for (const { file, source, results } of files) {
    const { text, updates } = updateTests(source, results);
    // The output for programs stays one document.
    const [stream, paper] =
      format === 'pretty' ? [terminal.stdout, terminal.paper] : [terminal.stderr, terminal.errors];
    stream.write(updatesToText(file, updates, paper));
    if (text !== source.text) texts.set(file, text);
  }
  writeFiles(texts);
  return texts.size > 0;
}

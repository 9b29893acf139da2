import { readPolicy } from '../../policy/compile/load.js';
import { FINDING_FORMATS, writeFindings } from '../../policy/language/finding-formats.js';
import type { Finding } from '../../policy/language/findings.js';
import { UsageError } from '../errors.js';
import {
  checkSource,
  hasSource,
  readSource,
  SOURCE_HELP,
  SOURCE_OPTIONS,
  splitCommand,
} from '../options/input-options.js';
import { policyFiles } from '../inputs/policy-files.js';
import { oneOf, readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { findingsText } from '../terminal/findings-text.js';
import { contents, many } from '../terminal/quantities.js';
import { wrapped } from '../terminal/layout.js';
import { plain } from '../terminal/output.js';

export const help = `Usage: mcp-concerns check POLICY... [options] [SOURCE]

Says everything that is wrong with policies, each file on its own. With a source
also what does not fit the server: names it has not, primitives that no
configuration shows, configurations that show nothing.

Options:
  POLICY                a policy, or a folder: its *.yaml without *.test.yaml
  --deny-warnings       warnings are as bad as errors
  --format FORMAT       pretty (default), json, github (annotations) or sarif
${COMMON_HELP}

${SOURCE_HELP}

Exit codes: 0 no errors; 1 errors; 2 bad arguments or files.

Examples:
  mcp-concerns check policies
  mcp-concerns check policies/playwright.yaml -- npx @playwright/mcp
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  format: { type: 'string' },
  'deny-warnings': { type: 'boolean' },
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `check`
 * @returns the exit code
 * @throws {CliError} if an argument, a file or the source is no good
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('check', own, OPTIONS);
  const { paper, quiet, note } = readCommon('check', values);
  const format = oneOf('check', '--format', values.format ?? 'pretty', FINDING_FORMATS);
  const paths = [...(values.policy ?? []), ...positionals];
  if (paths.length === 0) throw new UsageError('check', 'There is no policy');
  const asked = hasSource(values, command) || values.header !== undefined;
  if (asked) checkSource(values, command, 'check');

  const files = policyFiles(paths);
  const catalog = asked ? await readSource(values, command, 'check') : undefined;
  const texts = new Map<string, string>();
  const found = new Map<string, Finding>();
  for (const file of files) {
    const report = readPolicy(file, catalog);
    for (const [name, text] of report.texts) texts.set(name, text);
    // What several policies include is read once for each of them.
    for (const finding of report.findings) found.set(JSON.stringify(finding), finding);
  }
  const findings = [...found.values()];
  const bad = findings.some(({ severity }) => severity === 'error' || values['deny-warnings'] === true);

  const against = catalog === undefined ? 'without a server' : `against ${contents(catalog)}`;
  const summary = `${countsOf(findings)} in ${many(files.length, 'policy', 'policies')}, checked ${against}.`;
  if (format === 'pretty') {
    const text = findingsText(findings, texts, paper);
    if (text !== '') process.stdout.write(`${text}\n\n`);
    const style = bad ? 'red' : findings.length > 0 ? 'magenta' : 'green';
    const lines = wrapped('', summary.split(' '), ' ', paper.width ?? Number.POSITIVE_INFINITY);
    if (!quiet) process.stdout.write(`${lines.map((line) => paper.paint(style, line)).join('\n')}\n`);
  } else {
    const machine = format !== 'github';
    const text = writeFindings(machine ? findings : findings.map(harmless), texts, format);
    if (text !== '') process.stdout.write(`${text}\n`);
    if (format === 'github') note(summary);
  }
  return bad ? 1 : 0;
}

function countsOf(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const counts = [
    ...(errors > 0 ? [many(errors, 'error')] : []),
    ...(warnings > 0 ? [many(warnings, 'warning')] : []),
  ];
  return counts.length === 0 ? 'No findings' : counts.join(' and ');
}

/** Names in messages come from servers that are not ours. */
function harmless(finding: Finding): Finding {
  return { ...finding, message: plain(finding.message) };
}

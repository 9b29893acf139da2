import { readFileSync, writeFileSync } from 'node:fs';
import { FormatError, formatYaml } from '../../policy/language/format-yaml.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import { CliError, UsageError } from '../errors.js';
import { policyFiles } from '../inputs/policy-files.js';
import { readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { many } from '../terminal/quantities.js';
import { plain } from '../terminal/output.js';

export const help = `Usage: mcp-concerns fmt POLICY... [options]

Formats policies: indentation, spaces, quotes, lines of up to 110 characters.
Comments, order and meaning stay; a file that would mean something else
afterwards, or cannot be read as YAML, is left as it is.

Options:
  POLICY                a file, or a folder: its *.yaml without *.test.yaml
  --check               change nothing, fail if a file is not formatted
${COMMON_HELP}

Exit codes: 0 all are formatted; 1 under --check, some are not; 2 bad arguments
or files.

Examples:
  mcp-concerns fmt policies
  mcp-concerns fmt --check policies/vault.yaml policies/vault.test.yaml
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  check: { type: 'boolean' },
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `fmt`
 * @returns the exit code
 * @throws {CliError} if an argument or a file is no good; then no file was changed
 */
export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments('fmt', argv, OPTIONS);
  const { note } = readCommon('fmt', values);
  const paths = [...(values.policy ?? []), ...positionals];
  if (paths.length === 0) throw new UsageError('fmt', 'There is no policy');

  const files = policyFiles(paths).map((file) => ({ file, ...formatted(file) }));
  const changed = files.filter(({ before, after }) => before !== after);
  for (const { file, after } of changed) {
    if (!values.check) write(file, after);
    process.stdout.write(`${file}\n`);
  }
  const all = many(files.length, 'file', 'files');
  if (changed.length === 0) note(`${all}, formatted already.`, 'green');
  else if (values.check) {
    note(`${changed.length} of ${all} not formatted; "mcp-concerns fmt" does it.`);
  } else note(`${changed.length} of ${all} formatted.`);
  return values.check && changed.length > 0 ? 1 : 0;
}

function formatted(file: string): { before: string; after: string } {
  let before: string;
  try {
    before = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : code;
    throw new CliError(`${file} cannot be read (${reason}); check the path of the policy.`);
  }
  const [problem] = readPolicyText(before, file).findings;
  if (problem !== undefined) {
    const { line, column, message } = problem;
    throw new CliError(`${file}:${line}:${column} keeps this from being formatted: ${plain(message)}`);
  }
  try {
    return { before, after: formatYaml(before) };
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new CliError(`${file} was left as it is: ${cause.message}.`);
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new CliError(`${file} cannot be written (${(cause as NodeJS.ErrnoException).code}).`);
  }
}

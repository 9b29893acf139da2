import { policyFilesOf, readPolicy } from '../../policy/compile/load.js';
import { FormatError, formatYaml } from '../../policy/language/format-yaml.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import { CliError } from '../errors.js';
import { commandOf } from '../options/command-line.js';
import { fmtCommand } from '../options/generated/commands.js';
import { policiesOf } from '../options/policy-option.js';
import { plain } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import { readText } from '../terminal/read-text.js';
import { writePolicy } from '../terminal/write-policy.js';

/**
 * @throws {CliError} if an argument is not valid, or a file cannot be formatted; then no file is changed
 * @example
 * await run(['--check', 'policies']);
 */
export const { definition, run } = commandOf(fmtCommand(), async (line) => {
  const { values, terminal } = line;
  const paths = policiesOf(line).flat();

  const files = [...new Set(paths.flatMap(policyFilesOf))].map((file) => ({ file, ...formatted(file) }));
  const changed = files.filter(({ before, after }) => before !== after);
  if (!values.check) {
    const texts = new Map(changed.map(({ file, after }) => [file, after]));
    writePolicy(
      policiesOf(line).map((policy) => {
        const before = readPolicy(policy).texts;
        return { before, changed: new Map([...texts].filter(([file]) => before.has(file))) };
      }),
    );
  }
  for (const { file } of changed) terminal.print(`${file}\n`);
  const all = quantity(files.length, 'file');
  if (changed.length === 0) terminal.note(`${all}, already formatted.`, 'green');
  else if (values.check) {
    terminal.note(`${changed.length} of ${all} not formatted. Run "mcp-concerns fmt" to format.`);
  } else terminal.note(`${changed.length} of ${all} formatted.`);
  return values.check && changed.length > 0 ? 1 : 0;
});

function formatted(file: string): { before: string; after: string } {
  const before = readText(file, 'Check the path of the policy.');
  const [problem] = readPolicyText(before, file).findings;
  if (problem !== undefined) {
    const { line, column, message } = problem;
    throw new CliError(
      `${file} cannot be formatted, because of line ${line}, column ${column}: ${plain(message)}`,
    );
  }
  try {
    return { before, after: formatYaml(before) };
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new CliError(`${file} was not changed: ${cause.message}.`, { cause });
  }
}

import { byKind, KINDS } from '../../../core/engine/policy.js';
import { CliError, UsageError } from '../../errors.js';
import { readPolicyInput } from '../../inputs/policy-input.js';
import { readInput } from '../../inputs/read-input.js';
import { type CommandLine, commandOf, type RunnableCommand } from '../../options/command-line.js';
import { compileCommand, type Options } from '../../options/generated/commands.js';
import { parseInput, requireInput } from '../../options/input-options.js';
import { onePolicyOf } from '../../options/policy-option.js';
import { catalogContents } from '../../terminal/quantities.js';
import { writeOutput } from '../../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, the policy has errors, or the file cannot be written
 * @example
 * await command.run(['policies/vault.yaml', '-o', 'build/vault.json']);
 */
export const command: RunnableCommand = commandOf(compileCommand(), act, (argv) => ({
  policy: 'policy',
  // The input is only for the catalog.
  input: argv.some((each) => /^--snapshot(=|$)/.test(each)) ? 'server' : undefined,
}));

async function act(line: CommandLine<[string[]], Options['compile']>): Promise<undefined> {
  const { values, terminal } = line;
  const { output, snapshot, label } = values;
  const paths = onePolicyOf(line);
  if (!output) throw new UsageError('There is no output. Pass -o FILE, or -o - for stdout');
  const readServer = snapshot === undefined ? parseInput : requireInput;
  const server = readServer({ ...line, values: { ...values, ...headersOf(values, terminal.env) } });
  if (snapshot === undefined && server !== undefined) {
    throw new UsageError('There is a server, but no file for its catalog. Pass --snapshot FILE');
  }

  if (label !== undefined && !LABEL.test(label)) {
    throw new UsageError('--label takes up to 100 printable characters, such as a commit');
  }
  const read = readPolicyInput(paths, 'nothing was written', terminal, undefined, 1, true);
  const { format, digest, ...content } = read;
  const compiled = label === undefined ? read : { format, digest, label, ...content };
  const catalog = server && (await readInput(server, terminal));
  writeOutput(output, `${JSON.stringify(compiled)}\n`, terminal);
  if (output !== '-') {
    const { concerns, primitives, patterns } = compiled;
    const sizes = [primitives, patterns].map((some) =>
      KINDS.reduce((sum, kind) => sum + some[kind].length, 0),
    );
    terminal.note(`Wrote ${output}: ${concerns.length} concerns, ${sizes[0]} entries, ${sizes[1]} patterns.`);
  }
  if (snapshot !== undefined && catalog !== undefined) {
    const lists = byKind((kind) => catalog[kind]);
    writeOutput(snapshot, `${JSON.stringify({ server: catalog.server, ...lists })}\n`, terminal);
    terminal.note(`Wrote ${snapshot}: ${catalogContents(catalog)}.`);
  }
}

/** A log has it on one line. */
const LABEL = /^[\p{L}\p{N}\p{P}\p{S} ]{1,100}$/u;

/** @returns the values of `--header`, and those of `--header-env` in the same form */
function headersOf({ header, headerEnv }: Options['compile'], env: NodeJS.ProcessEnv): { header?: string[] } {
  const read = headerEnv?.map((text) => {
    const [, name = '', variable = ''] = /^([^:]+):\s*(\w+)$/.exec(text) ?? [];
    if (name === '') throw new UsageError(`--header-env takes 'NAME: VARIABLE', not "${text}"`);
    const value = env[variable];
    if (!value?.trim()) {
      const message = `The server needs the header ${name}, but the variable ${variable} is not set. Set it while packaging.`;
      throw new CliError(message);
    }
    return `${name}: ${value}`;
  });
  return header === undefined && read === undefined ? {} : { header: [...(header ?? []), ...(read ?? [])] };
}

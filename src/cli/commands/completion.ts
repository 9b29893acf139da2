import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { SCRIPTS } from '../completion/generated/scripts.js';
import { wordsAfter } from '../completion/words.js';
import { UsageError } from '../errors.js';
import { readCommandLine } from '../options/command-line.js';
import { completionCommand } from '../options/generated/commands.js';
import { findProject } from '../project/read-project.js';

/** The modules of the commands, by name. */
type Commands = ReadonlyMap<string, () => Promise<{ readonly definition: CommandUnknownOpts }>>;

export const definition = completionCommand();

/**
 * @param argv the arguments after `completion`
 * @param commands all commands
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, or the policy of the line cannot be read
 * @example
 * await run(['bash'], COMMANDS);
 */
export async function run(argv: string[], commands: Commands): Promise<number> {
  const { values, positionals } = readCommandLine(definition, joinLine(argv));
  if (values.line !== undefined) {
    const definitionOf = async (command: string): Promise<CommandUnknownOpts | undefined> =>
      (await commands.get(command)?.())?.definition;
    const known = { commands: [...commands.keys()], definitionOf, project: findProject(process.cwd()) };
    const words = await wordsAfter(values.line, known);
    process.stdout.write(words.map((word) => `${word}\n`).join(''));
    return 0;
  }
  const [shell] = positionals;
  if (shell === undefined) throw new UsageError('completion', 'There is no shell. Pass bash, zsh or fish');
  process.stdout.write(SCRIPTS[shell]);
  return 0;
}

/** A line can begin with a dash or contain `--`, so it is one argument with its option. */
function joinLine(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  return first === '--line' && rest.length > 0 ? [`--line=${rest.join(' ')}`] : [...argv];
}

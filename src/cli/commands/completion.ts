import { SCRIPTS } from '../completion/scripts.js';
import { wordsAfter } from '../completion/words.js';
import { UsageError } from '../errors.js';
import { oneOf, readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS } from '../options/common.js';
import { findProject } from '../project/read-project.js';

export const help = `Writes a script that completes command lines in your shell.

Usage: mcp-concerns completion bash|zsh|fish

It completes commands, options, concerns, values, presets, and names of tools.
They come from the policy in the command line, else from the project file.

Options:
  --line TEXT           print the words that can follow TEXT, for the scripts
${COMMON_HELP}

Exit codes: 0 written; 2 invalid arguments.

Examples:
  mcp-concerns completion bash >> ~/.bashrc
  mcp-concerns completion zsh >> ~/.zshrc
  mcp-concerns completion fish > ~/.config/fish/completions/mcp-concerns.fish
`;

const OPTIONS = { line: { type: 'string' }, ...COMMON_OPTIONS } as const;

/** The modules of the commands, by name. */
type Commands = ReadonlyMap<string, () => Promise<{ readonly help: string }>>;

/**
 * @param argv the arguments after `completion`
 * @param commands all commands
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, or the policy of the line cannot be read
 * @example
 * await run(['bash'], COMMANDS);
 */
export async function run(argv: string[], commands: Commands): Promise<number> {
  const { values, positionals } = readArguments('completion', joinLine(argv), OPTIONS);
  if (values.line !== undefined) {
    const helpOf = async (command: string): Promise<string | undefined> =>
      (await commands.get(command)?.())?.help;
    const known = { commands: [...commands.keys()], helpOf, project: findProject(process.cwd()) };
    const words = await wordsAfter(values.line, known);
    process.stdout.write(words.map((word) => `${word}\n`).join(''));
    return 0;
  }
  const [shell, unexpected] = positionals;
  if (shell === undefined) throw new UsageError('completion', 'There is no shell. Pass bash, zsh or fish');
  if (unexpected !== undefined)
    throw new UsageError('completion', `"${unexpected}" is unexpected. Pass one shell`);
  process.stdout.write(SCRIPTS[oneOf('completion', 'the shell', shell, ['bash', 'zsh', 'fish'] as const)]);
  return 0;
}

/** A line can begin with a dash or contain `--`, so it is one argument with its option. */
function joinLine(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  return first === '--line' && rest.length > 0 ? [`--line=${rest.join(' ')}`] : [...argv];
}

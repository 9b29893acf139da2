import { SCRIPTS } from '../completion/generated/scripts.js';
import { wordsAfter } from '../completion/words.js';
import { UsageError } from '../errors.js';
import { commandOf } from '../options/command-line.js';
import { completionCommand } from '../options/generated/commands.js';

/**
 * @throws {CliError} if an argument is not valid, or the policy of the line cannot be read
 * @example
 * await run(['bash'], COMMANDS);
 */
export const { definition, run } = commandOf(
  completionCommand(),
  async ({ values, positionals, terminal }, commands) => {
    if (values.line !== undefined) {
      const words = await wordsAfter(values.line, commands, terminal);
      terminal.print(words.map((word) => `${word}\n`).join(''));
      return 0;
    }
    const [shell] = positionals;
    if (shell === undefined) throw new UsageError('There is no shell. Pass bash, zsh or fish');
    terminal.print(SCRIPTS[shell]);
  },
);

import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { setupCommand } from '../options/generated/commands.js';
import { setup } from '../setup/setup.js';

/**
 * @throws {CliError} if an argument is not valid, or a file cannot be written
 * @example
 * await command.run(['--undo']);
 */
export const command: RunnableCommand = commandOf(setupCommand(), ({ values, terminal }) =>
  setup(values, terminal),
);

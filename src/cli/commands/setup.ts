import { commandOf } from '../options/command-line.js';
import { setupCommand } from '../options/generated/commands.js';
import { setup } from '../setup/setup.js';

/**
 * @throws {CliError} if an argument is not valid, or a file cannot be written
 * @example
 * await run(['--undo']);
 */
export const { definition, run } = commandOf(setupCommand(), ({ values, terminal }) =>
  setup(values, terminal),
);

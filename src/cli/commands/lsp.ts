import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { lspCommand } from '../options/generated/commands.js';

/**
 * Never returns: the editor ends the process.
 *
 * @throws {CliError} if an argument is not valid
 * @example
 * await command.run([]);
 */
export const command: RunnableCommand = commandOf(lspCommand(), async ({ terminal }) => {
  const { serveLanguage } = await import('../lsp/language-server.js');
  serveLanguage(terminal.stdin, terminal.stdout);
  return new Promise(() => {});
});

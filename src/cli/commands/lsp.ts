import { readCommandLine } from '../options/command-line.js';
import { lspCommand } from '../options/generated/commands.js';

export const definition = lspCommand();

/**
 * @param argv the arguments after `lsp`
 * @returns never: the editor ends the process
 * @throws {CliError} if an argument is not valid
 * @example
 * await run([]);
 */
export async function run(argv: string[]): Promise<number> {
  readCommandLine(definition, argv);
  const { serveLanguage } = await import('../lsp/language-server.js');
  serveLanguage(process.stdin, process.stdout);
  return new Promise(() => {});
}

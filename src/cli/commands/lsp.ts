import { readCommandLine } from '../options/command-line.js';
import { defineCommand } from '../options/define-command.js';

export const definition = defineCommand('lsp').option('--stdio', 'accepted, because some editors pass it');

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

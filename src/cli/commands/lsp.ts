import { readCommandLine } from '../options/command-line.js';
import { defineCommand } from '../options/define-command.js';

export const definition = defineCommand(
  'lsp',
  `Serves policies and their tests to an editor, over stdio.

Editors start it. It shows findings while you type, completes keys, values and
names of primitives, shows what a word means and which presets show a primitive,
and offers fixes. The names come from the catalog of the project file
(mcp-concerns.config.yaml), else from the catalog beside the policy
(x.catalog.json). It never starts an MCP server.`,
  `Exit codes: 0 the editor ended it; 1 the editor disconnected.

Example:
  mcp-concerns lsp`,
).option('--stdio', 'accepted, because some editors pass it');

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

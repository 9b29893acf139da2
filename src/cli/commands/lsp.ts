import { readArguments, refusePositionals } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS } from '../options/common.js';

export const help = `Serves policies and their tests to an editor, over stdio.

Usage: mcp-concerns lsp [options]

Editors start it. It shows findings while you type, completes keys, values and
names of primitives, shows what a word means and which presets show a primitive,
and offers fixes. The names come from the catalog of the project file
(mcp-concerns.config.yaml), else from the catalog beside the policy
(x.catalog.json). It never starts an MCP server.

Options:
  --stdio               accepted, because some editors pass it
${COMMON_HELP}

Exit codes: 0 the editor ended it; 1 the editor disconnected.

Example:
  mcp-concerns lsp
`;

const OPTIONS = { stdio: { type: 'boolean' }, ...COMMON_OPTIONS } as const;

/**
 * @param argv the arguments after `lsp`
 * @returns never: the editor ends the process
 * @throws {CliError} if an argument is not valid
 * @example
 * await run([]);
 */
export async function run(argv: string[]): Promise<number> {
  const { positionals } = readArguments('lsp', argv, OPTIONS);
  refusePositionals('lsp', positionals);
  const { serveLanguage } = await import('../lsp/language-server.js');
  serveLanguage(process.stdin, process.stdout);
  return new Promise(() => {});
}

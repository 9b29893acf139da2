/** How a host starts a server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

type Write = (server: string, command: ServerCommand) => string;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The form that most hosts share: the servers by name, below a key. */
const below =
  (key: string, before: object = {}, after: object = {}): Write =>
  (server, { command, args }) =>
    json({ [key]: { [server]: { ...before, command, args, ...after } } });

/** A text in JSON is a basic string in TOML, and a list of them an array. */
const toml: Write = (server, { command, args }) =>
  `[mcp_servers.${server}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;

const opencode: Write = (server, { command, args }) =>
  json({ mcp: { [server]: { type: 'local', command: [command, ...args], enabled: true } } });

const copilot = below('mcpServers', { type: 'local' }, { tools: ['*'] });

const STDIO = { type: 'stdio' };
const DESKTOP_FILE = 'claude_desktop_config.json (Settings, Developer, Edit Config)';
const either = (path: string, home = path): string => `${path} in the project, or ~/${home}`;

/** Each host: its name on the command line, its name, where the text belongs, and how it is written. */
const FORMATS: readonly (readonly [id: string, name: string, file: string, write: Write])[] = [
  ['claude-code', 'Claude Code', '.mcp.json in the project', below('mcpServers', STDIO)],
  ['claude-desktop', 'Claude Desktop', DESKTOP_FILE, below('mcpServers')],
  ['vscode', 'VS Code', '.vscode/mcp.json in the workspace', below('servers', STDIO)],
  ['cursor', 'Cursor', either('.cursor/mcp.json'), below('mcpServers')],
  ['gemini-cli', 'Gemini CLI', either('.gemini/settings.json'), below('mcpServers')],
  ['codex', 'Codex', '~/.codex/config.toml', toml],
  ['opencode', 'opencode', either('opencode.json', '.config/opencode/opencode.json'), opencode],
  ['copilot-cli', 'Copilot CLI', '~/.copilot/mcp-config.json', copilot],
  ['zed', 'Zed', 'settings.json (zed: open settings)', below('context_servers', {}, { env: {} })],
];

/**
 * Writes how each host starts a server, in the format of the host.
 *
 * @param server the name of the server in the host: letters, digits and hyphens
 * @param command the command
 * @returns for each host the part of its configuration that adds the server, and the file where it belongs
 * @example
 * hostSnippets('concerns', { command: '/usr/bin/node', args: ['server.js'] })[0]?.file; // '.mcp.json in the project'
 */
export const hostSnippets = (server: string, command: ServerCommand) =>
  FORMATS.map(([id, name, file, write]) => ({ id, name, file, text: write(server, command) }));

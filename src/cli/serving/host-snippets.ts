/** How a host starts a server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The part of a host's configuration that adds a server. */
export interface HostSnippet {
  /** The name of the host on the command line. */
  readonly id: string;
  readonly name: string;
  /** Where the text belongs. */
  readonly file: string;
  readonly text: string;
}

interface HostFormat extends Omit<HostSnippet, 'text'> {
  readonly write: (server: string, command: ServerCommand) => string;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The form that most hosts share. */
const mcpServers =
  (more: Readonly<Record<string, unknown>> = {}) =>
  (server: string, { command, args }: ServerCommand): string =>
    json({ mcpServers: { [server]: { ...more, command, args } } });

/** A text in JSON is a basic string in TOML, and a list of them an array. */
const toml = (server: string, { command, args }: ServerCommand): string =>
  `[mcp_servers.${server}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;

const FORMATS: readonly HostFormat[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    file: '.mcp.json in the project',
    write: mcpServers({ type: 'stdio' }),
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    write: mcpServers(),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    file: '.vscode/mcp.json in the workspace',
    write: (server, { command, args }) => json({ servers: { [server]: { type: 'stdio', command, args } } }),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    file: '.cursor/mcp.json in the project, or ~/.cursor/mcp.json',
    write: mcpServers(),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    file: '.gemini/settings.json in the project, or ~/.gemini/settings.json',
    write: mcpServers(),
  },
  { id: 'codex', name: 'Codex', file: '~/.codex/config.toml', write: toml },
  {
    id: 'opencode',
    name: 'opencode',
    file: 'opencode.json in the project, or ~/.config/opencode/opencode.json',
    write: (server, { command, args }) =>
      json({ mcp: { [server]: { type: 'local', command: [command, ...args], enabled: true } } }),
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    file: '~/.copilot/mcp-config.json',
    write: (server, { command, args }) =>
      json({ mcpServers: { [server]: { type: 'local', command, args, tools: ['*'] } } }),
  },
  {
    id: 'zed',
    name: 'Zed',
    file: 'settings.json (zed: open settings)',
    write: (server, { command, args }) => json({ context_servers: { [server]: { command, args, env: {} } } }),
  },
];

/** The names of the hosts on the command line. */
export const HOST_IDS: readonly string[] = FORMATS.map(({ id }) => id);

/**
 * Writes how each host starts a server, in the format of the host.
 *
 * @param server the name of the server in the host: letters, digits and hyphens
 * @param command the command
 * @returns a snippet for each host
 * @example
 * hostSnippets('concerns', { command: '/usr/bin/node', args: ['server.js'] })[0]?.file; // '.mcp.json in the project'
 */
export function hostSnippets(server: string, command: ServerCommand): readonly HostSnippet[] {
  return FORMATS.map(({ write, ...about }) => ({ ...about, text: write(server, command) }));
}

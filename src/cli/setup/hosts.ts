import { posix, win32 } from 'node:path';
import { read } from '../../core/wire/messages.js';

/** Where a person's files are. Windows and macOS have them elsewhere, and a test has a home folder of its own. */
export interface Place {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** The folder of the project. */
  readonly folder: string;
}

/** A host, and where it keeps its servers. */
export interface Host {
  readonly id: string;
  readonly name: string;
  /**
   * Whether a running host lists again when a list changes, as `npm run hosts` measured it. If it never does, its first list
   * must have everything.
   */
  readonly lists: 'again' | 'once' | 'not measured';
  /** Whether it sends the model only names, and lets it search for tools. */
  readonly hasSearch: boolean;
  /** The members of its files that have servers, `*` for any name. */
  readonly members: readonly (readonly string[])[];
  /** The files of the user: after `~`, which is the home folder, or after a folder of the platform. */
  readonly files: readonly string[];
  /** The files of a project, which others share. */
  readonly projectFiles: readonly string[];
}

const host = (
  id: string,
  name: string,
  lists: Host['lists'],
  members: Host['members'],
  files: Host['files'],
  projectFiles: Host['projectFiles'] = [],
): Host => ({ id, name, lists, hasSearch: id === 'claude-code', members, files, projectFiles });

/** `APP` is the folder in which the platform keeps settings of applications; `XDG` is the one of the XDG base directories. */
export const HOSTS: readonly Host[] = [
  host(
    'claude-code',
    'Claude Code',
    'again',
    [['mcpServers'], ['projects', '*', 'mcpServers']],
    ['~/.claude.json'],
    ['.mcp.json'],
  ),
  host(
    'claude-desktop',
    'Claude Desktop',
    'not measured',
    [['mcpServers']],
    ['APP/Claude/claude_desktop_config.json'],
  ),
  host('cursor', 'Cursor', 'not measured', [['mcpServers']], ['~/.cursor/mcp.json'], ['.cursor/mcp.json']),
  host('vscode', 'VS Code', 'not measured', [['servers']], ['APP/Code/User/mcp.json'], ['.vscode/mcp.json']),
  host('codex', 'Codex', 'once', [['mcp_servers']], ['~/.codex/config.toml'], ['.codex/config.toml']),
  host(
    'gemini-cli',
    'Gemini CLI',
    'again',
    [['mcpServers']],
    ['~/.gemini/settings.json'],
    ['.gemini/settings.json'],
  ),
  host(
    'qwen-code',
    'Qwen Code',
    'once',
    [['mcpServers']],
    ['~/.qwen/settings.json'],
    ['.qwen/settings.json'],
  ),
  host(
    'opencode',
    'opencode',
    'again',
    [['mcp']],
    ['XDG/opencode/opencode.json', 'XDG/opencode/opencode.jsonc'],
    ['opencode.json', 'opencode.jsonc'],
  ),
  host(
    'zed',
    'Zed',
    'not measured',
    [['context_servers']],
    ['XDG/zed/settings.json'],
    ['.zed/settings.json'],
  ),
  host('windsurf', 'Windsurf', 'not measured', [['mcpServers']], ['~/.codeium/windsurf/mcp_config.json']),
  host('copilot-cli', 'Copilot CLI', 'again', [['mcpServers']], ['~/.copilot/mcp-config.json']),
];

/** A file in which a host can have servers. */
export interface HostPath {
  readonly file: string;
  /** Whether the file belongs to a project, and so to others too. */
  readonly isShared: boolean;
}

/** @returns the files of a host; in the home folder, a file of the user is not one of a project */
export function filesOf({ files, projectFiles }: Host, place: Place): readonly HostPath[] {
  const { join } = place.platform === 'win32' ? win32 : posix;
  const { XDG_CONFIG_HOME, APPDATA } = place.env;
  const xdg = XDG_CONFIG_HOME || join(place.home, '.config');
  const app =
    place.platform === 'darwin'
      ? join(place.home, 'Library', 'Application Support')
      : place.platform === 'win32'
        ? APPDATA || join(place.home, 'AppData', 'Roaming')
        : xdg;
  const folders = new Map([
    ['~', place.home],
    ['APP', app],
    ['XDG', place.platform === 'win32' ? join(place.home, '.config') : xdg],
  ]);
  const own = files.map((path) => {
    const [folder = '', ...rest] = path.split('/');
    return join(folders.get(folder) ?? folder, ...rest);
  });
  const shared = projectFiles.map((path) => join(place.folder, ...path.split('/')));
  return [
    ...own.map((file) => ({ file, isShared: false })),
    ...shared.filter((file) => !own.includes(file)).map((file) => ({ file, isShared: true })),
  ];
}

/**
 * Says why a host keeps all tools, if nobody names it with `--host`: a tool that its first list does not have could not be
 * reached, or costs little.
 *
 * @param settings what Claude Code has in its `settings.json`
 * @returns the reason; `undefined` if the host can begin with few tools
 */
export function reasonToKeepAll(
  { id, name, lists, hasSearch }: Host,
  env: NodeJS.ProcessEnv,
  settings: unknown,
): string | undefined {
  const by = `"--host ${id}" narrows it anyway`;
  if (lists === 'once') return `${name} never lists again, so it keeps all tools; ${by}`;
  if (lists === 'not measured') return `nobody has measured yet whether ${name} lists again; ${by}`;
  const search = env.ENABLE_TOOL_SEARCH || read(settings, 'env', 'ENABLE_TOOL_SEARCH');
  if (hasSearch && String(search) !== 'false')
    return `${name} searches tools itself, so it keeps them; ${by}`;
  return undefined;
}

/**
 * Says what a person risks who narrows a host by `--host`: what the model finds with `concerns` can be called only if the host
 * lists again.
 *
 * @returns the sentence for the plan; `undefined` for a host that was measured to list again
 */
export function riskOfFewTools({ name, lists }: Host): string | undefined {
  if (lists === 'again') return undefined;
  const fact =
    lists === 'once'
      ? `${name} never lists again: it can call only the tools of its first list`
      : `Nobody has measured yet whether ${name} lists again. If it does not, it can call only the tools of its first list`;
  return `${fact}. To give it all tools, remove "--concern preset=start" from the command in its file and restart it, or run "mcp-concerns setup --undo".`;
}

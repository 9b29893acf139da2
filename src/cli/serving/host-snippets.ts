import { HOSTS } from './generated/hosts.js';

/** How a host starts a server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Writes how each host starts a server, in the format of the host.
 *
 * @param server the name of the server in the host: letters, digits and hyphens
 * @param command the command
 * @returns for each host the part of its configuration that adds the server, and the file where it belongs
 * @example
 * hostSnippets('concerns', { command: '/usr/bin/node', args: ['server.js'] })[0]?.file; // '.mcp.json in the project'
 */
export const hostSnippets = (server: string, { command, args }: ServerCommand) =>
  Object.entries(HOSTS).map(([id, { name, file, servers, entry }]) => {
    const words = new Map<unknown, unknown>(
      Object.entries({ COMMAND: command, ARGS: args, ALL: [command, ...args] }),
    );
    const filled = Object.entries(entry).map(([key, value]) => [key, words.get(value) ?? value] as const);
    const isToml = file.endsWith('.toml');
    // A text in JSON is a basic string in TOML, and a list of them an array.
    const toml = filled.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join('');
    const json = JSON.stringify({ [servers]: { [server]: Object.fromEntries(filled) } }, null, 2);
    return { id, name, file, text: isToml ? `[${servers}.${server}]\n${toml}` : `${json}\n` };
  });

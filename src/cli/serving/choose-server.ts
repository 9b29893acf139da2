import { UsageError } from '../errors.js';
import { type InputValues, parseHeaders, parseUrl } from '../options/input-options.js';

/** The server that `serve` puts behind a policy. Nothing is loaded or started yet. */
export type ServerChoice =
  | { readonly from: 'module'; readonly path: string }
  | { readonly from: 'command'; readonly program: string; readonly args: readonly string[] }
  | { readonly from: 'servers'; readonly path: string }
  | { readonly from: 'url'; readonly url: URL; readonly headers: Headers };

/**
 * Reads which server to serve.
 *
 * @param values the values of `--server`, `--servers`, `--url` and `--header`
 * @param command the arguments after `--`
 * @param name the name of our command, for messages
 * @returns the server
 * @throws {UsageError} if there is no server, more than one, or the URL is not valid
 * @example
 * chooseServer({}, ['npx', '@playwright/mcp']).from; // 'command'
 */
export function chooseServer(
  {
    server,
    servers,
    url,
    header,
  }: Pick<InputValues, 'url' | 'header' | 'server'> & {
    readonly servers?: string | undefined;
  },
  command: readonly string[],
  name = 'serve',
): ServerChoice {
  const [program, ...args] = command;
  if ([server, servers, url, program].filter((each) => each !== undefined).length > 1) {
    throw new UsageError(
      name,
      'There are several servers. Pass one: -- COMMAND, --url URL or --server MODULE; or write them into a file for --servers FILE',
    );
  }
  if (header !== undefined && url === undefined) throw new UsageError(name, '--header needs --url');
  if (program !== undefined) return { from: 'command', program, args };
  if (url !== undefined) {
    return { from: 'url', url: parseUrl(name, url), headers: parseHeaders(name, header ?? []) };
  }
  if (servers !== undefined) return { from: 'servers', path: servers };
  if (server === undefined) {
    throw new UsageError(
      name,
      'There is no server. Pass its command after --, for example ' +
        `"mcp-concerns ${name} --policy policy.yaml -- npx -y @playwright/mcp", or pass --url URL or --server MODULE`,
    );
  }
  return { from: 'module', path: server };
}

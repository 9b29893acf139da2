import { UsageError } from '../errors.js';
import { parseHeaders, parseUrl } from '../options/input-options.js';

/** Which server `serve` puts behind a policy; nothing of it is loaded yet. */
export type Chosen =
  | { readonly what: 'module'; readonly path: string }
  | { readonly what: 'command'; readonly program: string; readonly args: readonly string[] }
  | { readonly what: 'url'; readonly url: URL; readonly headers: Headers };

/**
 * Reads which server is to be served.
 *
 * @param values what was given for `--server`, `--url` and `--header`
 * @param command what stands after `--`
 * @returns the server
 * @throws {UsageError} if none or more than one was given, or the URL is not valid
 * @example
 * chooseServer({}, ['npx', '@playwright/mcp']).what; // 'command'
 */
export function chooseServer(
  values: {
    readonly server?: string | undefined;
    readonly url?: string | undefined;
    readonly header?: readonly string[] | undefined;
  },
  command: readonly string[],
): Chosen {
  const { server, url, header } = values;
  const [program, ...args] = command;
  if ([server, url, program].filter((each) => each !== undefined).length > 1) {
    throw new UsageError('serve', 'takes one server: --server, --url, or a command after --');
  }
  if (header !== undefined && url === undefined) throw new UsageError('serve', '--header needs --url');
  if (program !== undefined) return { what: 'command', program, args };
  if (url !== undefined) {
    return { what: 'url', url: parseUrl('serve', url), headers: parseHeaders('serve', header ?? []) };
  }
  if (server === undefined) {
    throw new UsageError('serve', 'needs a server: -- COMMAND, --url URL or --server MODULE');
  }
  return { what: 'module', path: server };
}

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ChildTransport } from '../serve/child.js';
import type { ServerOfRequest } from '../serve/sdk-v1.js';
import { UsageError } from './errors.js';
import { loadFactory } from './user-server.js';

/** What stands behind the policy: servers that are made here, or connections to one that is elsewhere. */
export type Served = { readonly what: 'demo' | 'module' | 'command' | 'url'; readonly name: string } & (
  | { readonly server: () => ServerOfRequest | Promise<ServerOfRequest> }
  | { readonly open: () => Transport }
);

/**
 * Reads which server is to be served.
 *
 * @param values what was given for `--server` and `--url`
 * @param command what stands after `--`
 * @returns the server; the demo if nothing was given
 * @throws {UsageError} if more than one was given, or a URL is none
 * @example
 * const served = await readServed({}, ['npx', '@playwright/mcp']);
 */
export async function readServed(
  values: { readonly server?: string | undefined; readonly url?: string | undefined },
  command: readonly string[],
): Promise<Served> {
  const { server, url } = values;
  const [program, ...args] = command;
  if ([server, url, program].filter((each) => each !== undefined).length > 1) {
    throw new UsageError('serve', 'takes one server: --server, --url, or a command after --');
  }
  if (program !== undefined) {
    return { what: 'command', name: command.join(' '), open: () => new ChildTransport(program, args) };
  }
  if (url !== undefined) {
    if (!URL.canParse(url)) throw new UsageError('serve', `--url takes a URL, not "${url}"`);
    // The SDK's own types disagree about `undefined` where exactOptionalPropertyTypes is on.
    const open = () => new StreamableHTTPClientTransport(new URL(url)) as Transport;
    return { what: 'url', name: url, open };
  }
  if (server !== undefined) return { what: 'module', name: server, server: await loadFactory(server) };
  const { createVaultServer } = await import('../demo/server.js');
  return { what: 'demo', name: 'the demo, a data vault', server: () => createVaultServer() };
}

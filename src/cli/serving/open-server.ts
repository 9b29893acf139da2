import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ServerOfRequest } from '../../http/sdk-v1.js';
import { ChildTransport } from '../../upstream/child-process.js';
import { plain } from '../terminal/output.js';
import type { Chosen } from './choose-server.js';
import { loadFactory } from './server-module.js';

/** What stands behind the policy: servers that are made here, or connections to one that is elsewhere. */
export type Served = { readonly name: string } & (
  | { readonly server: () => ServerOfRequest | Promise<ServerOfRequest> }
  | { readonly open: () => Transport }
);

/**
 * Makes the chosen server ready to be served.
 *
 * @param chosen the server
 * @returns how to make it, or to reach it
 * @throws {CliError} if a module makes no server
 * @example
 * const served = await openServed(chooseServer({}, ['npx', '@playwright/mcp']));
 */
export async function openServed(chosen: Chosen): Promise<Served> {
  switch (chosen.what) {
    case 'command': {
      const { program, args } = chosen;
      return { name: [program, ...args].join(' '), open: () => new ChildTransport(program, args) };
    }
    case 'url': {
      const { url, headers } = chosen;
      const requestInit = { headers: Object.fromEntries(headers) };
      // The SDK's own types disagree about `undefined` where exactOptionalPropertyTypes is on.
      const open = () => new StreamableHTTPClientTransport(url, { requestInit }) as Transport;
      // A query may hold a key.
      return { name: plain(url.origin + url.pathname), open };
    }
    case 'module':
      return { name: chosen.path, server: await loadFactory(chosen.path) };
  }
}

import { resolve } from 'node:path';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ChildTransport } from '../../upstream/wires/child-process.js';
import type { ServerModule } from '../inputs/server-module.js';
import type { SeveralOpeners } from '../inputs/several/servers-file.js';
import type { ServerInput } from '../options/input-options.js';
import { plain } from '../terminal/output.js';
import { readText } from '../terminal/read-text.js';

/** The servers behind the policy: a factory for servers in this process, or for connections to one or several upstreams. */
export type OpenedServer = { readonly name: string; readonly identity?: readonly string[] } & (
  | ServerModule
  | { readonly open: () => Transport }
  | { readonly several: SeveralOpeners }
);

/**
 * Prepares the chosen server to be served.
 *
 * @param input the server
 * @returns how to create the server, or how to connect to it
 * @throws {CliError} if a module does not create a server
 * @example
 * const opened = await openServer({ from: 'command', program: 'npx', args: ['@playwright/mcp'], seconds: 30 });
 */
export async function openServer(input: ServerInput): Promise<OpenedServer> {
  switch (input.from) {
    case 'command': {
      const { program, args } = input;
      const identity = [process.cwd(), program, ...args];
      return { name: [program, ...args].join(' '), identity, open: () => new ChildTransport(program, args) };
    }
    case 'url': {
      const { remoteTransport } = await import('../../upstream/wires/remote.js');
      const { url, headers } = input;
      const open = () => remoteTransport(url.href, Object.fromEntries(headers));
      // The query is left out, because it may contain a key.
      return { name: plain(url.origin + url.pathname), identity: [url.href], open };
    }
    case 'servers': {
      const { readServersFile } = await import('../inputs/several/servers-file.js');
      const several = await readServersFile(input.path, process.env, input.left);
      // A server of the file that changed is another one.
      const identity = [resolve(input.path), readText(input.path, 'Pass the file again.')];
      return { name: [...several.keys()].join(', '), identity, several };
    }
    case 'module': {
      const { loadServerFactory } = await import('../inputs/server-module.js');
      return { name: input.path, ...(await loadServerFactory(input.path)) };
    }
  }
}

import { resolve } from 'node:path';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ChildTransport } from '../../upstream/wires/child-process.js';
import type { ServerInput } from '../options/input-options.js';
import { plain } from '../terminal/output.js';
import { readText } from '../terminal/read-text.js';
import type { ServerModule } from './server-module.js';
import type { SeveralOpeners } from './several/servers-file.js';

/** The servers of an input: a factory for servers in this process, or for connections to one or several upstreams. */
export type OpenedServer = {
  readonly name: string;
  /** The server as the beginning of a sentence, which may be saved: it does not have the arguments of a command. */
  readonly subject: string;
  readonly identity?: readonly string[];
} & (ServerModule | { readonly open: () => Transport } | { readonly several: SeveralOpeners });

/**
 * Prepares the chosen server to be served or listed.
 *
 * @param input the server
 * @param env the environment, which the file of the servers may name variables of
 * @param Child what starts a server that is a command
 * @returns how to create the server, or how to connect to it
 * @throws {CliError} if a module does not create a server, or a file has no servers
 * @example
 * const opened = await openServer({ from: 'command', program: 'npx', args: ['@playwright/mcp'], seconds: 30 }, env);
 */
export async function openServer(
  input: ServerInput,
  env: NodeJS.ProcessEnv,
  Child = ChildTransport,
): Promise<OpenedServer> {
  switch (input.from) {
    case 'command': {
      const { program, args } = input;
      const identity = [process.cwd(), program, ...args];
      const subject = `The server "${plain(program)}"`;
      return { name: [program, ...args].join(' '), subject, identity, open: () => new Child(program, args) };
    }
    case 'url': {
      const { remoteTransport } = await import('../../upstream/wires/remote.js');
      const { url, headers } = input;
      const open = () => remoteTransport(url.href, Object.fromEntries(headers));
      // The query is left out, because it may contain a key.
      const name = plain(url.origin + url.pathname);
      return { name, subject: `The server ${name}`, identity: [url.href], open };
    }
    case 'servers': {
      const { path } = input;
      const { readServersFile } = await import('./several/servers-file.js');
      const several = await readServersFile(path, env, input.left, Child);
      // A server of the file that changed is another one.
      const identity = [resolve(path), readText(path, 'Pass the file again.')];
      const subject = `The servers of ${plain(path)}`;
      return { name: [...several.keys()].join(', '), subject, identity, several };
    }
    case 'module': {
      const { path } = input;
      const { loadServerFactory } = await import('./server-module.js');
      return { name: path, subject: `The server of ${plain(path)}`, ...(await loadServerFactory(path)) };
    }
  }
}

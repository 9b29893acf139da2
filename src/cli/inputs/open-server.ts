import { resolve } from 'node:path';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { reasonOf } from '../../proxy/upstream-error.js';
import { ChildTransport } from '../../proxy/wires/child-process.js';
import { CliError } from '../errors.js';
import type { ServerInput } from '../options/input-options.js';
import { plain, type Terminal } from '../terminal/output.js';
import { readText } from '../terminal/read-text.js';
import type { Login } from './login/login.js';
import { proxyAdvice } from './proxy-advice.js';
import type { ServerModule } from './server-module.js';
import type { SeveralOpeners } from './several/servers-file.js';

/** The servers of an input: a factory for servers in this process, or for connections to one or several upstreams. */
export type OpenedServer = {
  readonly name: string;
  /** The server as the beginning of a sentence, which may be saved: it does not have the arguments of a command. */
  readonly subject: string;
  readonly identity?: readonly string[];
  /** What may be the reason if it cannot be reached. */
  readonly advice?: string | undefined;
  /** Signs the person in, if the server demands it. */
  readonly signIn?: ((signal: AbortSignal) => Promise<void>) | undefined;
} & (
  | ServerModule
  | { readonly open: () => Transport; readonly forwards?: boolean }
  | { readonly several: SeveralOpeners; readonly forwards: ReadonlySet<string> }
);

/**
 * Prepares the chosen server to be served or listed.
 *
 * @param input the server
 * @param terminal its environment, which the file of the servers may name variables of, and where a person is asked to sign in
 * @param Child what starts a server that is a command
 * @returns how to create the server, or how to connect to it
 * @param isForMany whether others than the person who runs it use it, so that nobody can sign in for them
 * @throws {CliError} if a module does not create a server, or a file has no servers
 * @example
 * const opened = await openServer({ from: 'command', program: 'npx', args: ['@playwright/mcp'], seconds: 30 }, terminal);
 */
export async function openServer(
  input: ServerInput,
  terminal: Pick<Terminal, 'env' | 'stderr' | 'warn'>,
  Child: typeof ChildTransport = ChildTransport,
  isForMany = false,
): Promise<OpenedServer> {
  switch (input.from) {
    case 'command': {
      const { program, args } = input;
      const identity = [process.cwd(), program, ...args];
      const subject = `The server "${plain(program)}"`;
      return { name: [program, ...args].join(' '), subject, identity, open: () => new Child(program, args) };
    }
    case 'url': {
      const { remoteTransport } = await import('../../proxy/wires/remote.js');
      const { url, headers } = input;
      const login = input.login ? (await loginsOf(terminal))(url) : undefined;
      const open = () => remoteTransport(url.href, Object.fromEntries(headers), login?.fetch);
      // The query is left out, because it may contain a key.
      const name = plain(url.origin + url.pathname);
      return {
        name,
        subject: `The server ${name}`,
        // What it lists for another account is another list.
        identity: [url.href, ...(login === undefined ? [] : ['login'])],
        open,
        forwards: input.forward.length > 0,
        advice: proxyAdvice(url, terminal.env),
        signIn: login && signIn(login),
      };
    }
    case 'servers': {
      const { path } = input;
      const { forwardingServers, readServersFile } = await import('./several/servers-file.js');
      const logins = isForMany ? undefined : await loginsOf(terminal);
      const several = await readServersFile(path, terminal.env, input.left, Child, logins);
      // A server of the file that changed is another one.
      const identity = [resolve(path), readText(path, 'Pass the file again.')];
      const subject = `The servers of ${plain(path)}`;
      return {
        name: [...several.keys()].join(', '),
        subject,
        identity,
        several,
        forwards: forwardingServers(path),
      };
    }
    case 'module': {
      const { path } = input;
      const { loadServerFactory } = await import('./server-module.js');
      return { name: path, subject: `The server of ${plain(path)}`, ...(await loadServerFactory(path)) };
    }
  }
}

/** Loaded only for servers at URLs. */
const loginsOf = async (terminal: Pick<Terminal, 'env' | 'stderr' | 'warn'>) =>
  (await import('./login/logins.js')).createLogins(terminal);

const signIn =
  (login: Login) =>
  async (signal: AbortSignal): Promise<void> => {
    try {
      await login.begin(signal);
    } catch (cause) {
      throw new CliError(`The server ${reasonOf(cause).replace(/^it /, '')}. Start again to sign in.`, {
        cause,
      });
    }
  };

/** @returns whether a server, or the one of several that is meant, gets headers of hosts */
export function forwardsTo(opened: OpenedServer, slug?: string): boolean {
  if ('several' in opened) return slug === undefined ? opened.forwards.size > 0 : opened.forwards.has(slug);
  return 'open' in opened && opened.forwards === true;
}

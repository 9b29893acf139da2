import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import { listChangedMethod, METHODS } from '../../core/wire/messages.js';
import { RemoteTransport } from '../../proxy/wires/remote.js';
import type { Announced, ServerModule } from '../inputs/server-module.js';

type MakeModern = NonNullable<ServerModule['modern']>;

/** The servers of a module of SDK v2. */
export interface ModuleServers {
  /** Makes a transport to the module, for what is behind the bridge. */
  readonly open: () => RemoteTransport;
  /** Makes a server for a host of the modern era. */
  readonly modern: (context: McpRequestContext) => ReturnType<MakeModern>;
}

/** A module of SDK v2 serves hosts of both eras itself. Behind the bridge are servers of it too, for streams. */
export function ofModule(modern: MakeModern): ModuleServers {
  const handler = createMcpHandler(({ era }) => modern({ era }, () => undefined), { legacy: 'reject' });
  const { notify } = handler;
  const tell = ({ method, params }: Announced): void => {
    if (method === METHODS.updated) notify.resourceUpdated(String(params?.uri));
    if (method === listChangedMethod('tools')) notify.toolsChanged();
    if (method === listChangedMethod('prompts')) notify.promptsChanged();
    if (method === listChangedMethod('resources')) notify.resourcesChanged();
  };
  // It has no address. What is sent to it stays in this process.
  const url = new URL('http://module.invalid/mcp');
  const fetch = (input: string | URL, init?: RequestInit) => handler.fetch(new Request(input, init));
  return {
    open: () => new RemoteTransport(url, {}, fetch),
    modern: (context) => modern(context, tell),
  };
}

import type { McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { ServerOfRequest } from '../../http/fetch-handler.js';
import { read } from '../../wire/messages.js';
import { CliError } from '../errors.js';
import { importModule } from '../project/import-module.js';

type Made = ServerOfRequest | Promise<ServerOfRequest>;
type Factory = (...given: readonly unknown[]) => Made;
type Finish = <Server extends object>(made: Server) => Server;

/** A notification that lists or resources changed. */
export type Announced = { readonly method: string; readonly params?: Record<string, unknown> | undefined };

/** How to make the servers of a module. */
export interface ServerModule {
  /** For a client up to 2025-11-25. */
  readonly server: () => Made;
  /** The same without tasks, for clients whose era does not have tasks of this kind. */
  readonly bare: () => Made;
  /** For a client of 2026-07-28, if the module uses SDK v2. `told` receives what the server announces. */
  readonly modern?: (context: McpRequestContext, told: (announced: Announced) => void) => Promise<Server>;
  /** Adds the tasks of the module to a server. */
  readonly finish: Finish;
}

/**
 * Loads a module that exports a function which creates servers. If the module also exports `tasks`, each server has them,
 * and they run in this process.
 *
 * @param path the module, relative to the working directory
 * @returns how to make servers with its default export, or its export `createServer`
 * @throws {CliError} if the module cannot be imported, exports no function, or the function does not create a server
 * @throws {TaskDefinitionError} if the module exports `tasks` that are not definitions
 * @example
 * const { server } = await loadServerFactory('./my-server.js');
 */
export async function loadServerFactory(path: string): Promise<ServerModule> {
  const module = await importModule(path).catch((cause: unknown) => {
    throw new CliError(`${path} cannot be imported: ${firstLine(cause)}`, { cause });
  });
  // The exports of a CommonJS module arrive as the default export.
  const candidates = [
    read(module, 'default'),
    read(module, 'createServer'),
    read(module, 'default', 'createServer'),
  ];
  const factory = candidates.find((each): each is Factory => typeof each === 'function');
  if (factory === undefined) {
    throw new CliError(
      `${path} exports no function. Export a function that returns a new server, as default or as createServer.`,
    );
  }
  // Creates a server now, so that a broken function fails at the start and not at the first request.
  const server = await withoutContext(factory).catch((cause: unknown) => {
    throw new CliError(`The function that ${path} exports failed: ${firstLine(cause)}`, { cause });
  });
  if (typeof member(server, 'connect') !== 'function') {
    throw new CliError(
      `The function that ${path} exports does not return a server. Return a new Server or McpServer of an MCP SDK.`,
    );
  }
  const close = member(server, 'close');
  if (typeof close === 'function') await close.call(server);
  const finish = await tasksOf(read(module, 'tasks') ?? read(module, 'default', 'tasks'), path);
  if (sdkV2(server) === undefined)
    return { server: async () => finish(await factory()), bare: () => factory(), finish };
  const modern: ServerModule['modern'] = async (context, told) => {
    const made = sdkV2(await factory(context));
    if (made === undefined)
      throw new CliError(`The function that ${path} exports made a server of another SDK.`);
    announceTo(made, told);
    return finish(made);
  };
  const legacy = async () => finish(await factory({ era: 'legacy' }));
  return { server: legacy, bare: legacy, modern, finish };
}

/** Each request has a server of its own, so what one announces is for those who listen to others. */
function announceTo(server: Server, told: (announced: Announced) => void): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ('method' in message && ANNOUNCED.test(message.method)) told(message);
      return send(message, options);
    };
    return connect(transport);
  };
}

const ANNOUNCED = /^notifications\/(resources\/updated|\w+\/list_changed)$/;

/** A factory of SDK v2 may need to know the era of its client. One of SDK v1 may take its argument for a request. */
async function withoutContext(factory: Factory): Promise<unknown> {
  try {
    return await factory();
  } catch (cause) {
    try {
      return await factory({ era: 'legacy' });
    } catch {
      throw cause;
    }
  }
}

/**
 * Returns the `Server` of SDK v2 in what a factory made. Its class cannot be compared: the module imports a copy of the SDK
 * of its own, and an `McpServer` of another copy is unknown here too.
 */
function sdkV2(made: unknown): Server | undefined {
  const server = member(made, 'server') ?? made;
  return isV2(server) ? server : undefined;
}

const isV2 = (server: unknown): server is Server =>
  typeof member(server, 'getNegotiatedProtocolVersion') === 'function';

/** Loads the code of tasks only if there are some. */
async function tasksOf(exported: unknown, path: string): Promise<Finish> {
  if (exported === undefined) return (made) => made;
  const { createTasks, readExportedTasks, withTasks } = await import('../../tasks/index.js');
  // Over stdio, this process has one host: its streams are about the tasks of its calls.
  const tasks = { ...createTasks({ definitions: readExportedTasks(exported, path) }), session: 'host' };
  return (made) => withTasks(made, tasks);
}

/** @returns a property, also an inherited one, because servers are instances of classes */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n', 1)[0] ?? '';
}

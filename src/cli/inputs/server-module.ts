import type { McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { ServerOfRequest } from '../../core/http/fetch-handler.js';
import { ServerModuleError, serverOfModule } from '../../core/http/servers/server-of-module.js';
import { isSdkV2Server, memberOf } from '../../core/wire/transport-layer.js';
import { importModule } from '../../deploy/import-module.js';
import { CliError } from '../errors.js';

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
  const { createServer: factory, tasks } = exportsOf(module, path);
  const make = () =>
    withoutContext(factory).catch((cause: unknown) => {
      throw new CliError(`The function that ${path} exports failed: ${firstLine(cause)}`, { cause });
    });
  // Creates servers now, so that a broken function fails at the start and not at the first request, or at the second.
  const server = await make();
  if (typeof memberOf(server, 'connect') !== 'function') {
    throw new CliError(
      `The function that ${path} exports does not return a server. Return a new Server or McpServer of an MCP SDK.`,
    );
  }
  const second = await make();
  if (second === server) {
    throw new CliError(
      `The function that ${path} exports returns the same server again. Return a new one each time it is called.`,
    );
  }
  for (const made of [server, second]) {
    const close = memberOf(made, 'close');
    if (typeof close === 'function') await close.call(made);
  }
  const finish = await tasksOf(tasks, path);
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

/** Returns the `Server` of SDK v2 in what a factory made. */
function sdkV2(made: unknown): Server | undefined {
  const server = memberOf(made, 'server') ?? made;
  return isV2(server) ? server : undefined;
}

const isV2 = (server: unknown): server is Server => isSdkV2Server(server);

/** Loads the code of tasks only if there are some. */
async function tasksOf(exported: unknown, path: string): Promise<Finish> {
  if (exported === undefined) return (made) => made;
  const { createTasks, readExportedTasks } = await import('../../tasks/index.js');
  const { addTasks } = await import('../../tasks/attach/with-tasks.js');
  // Over stdio, this process has one host: its streams are about the tasks of its calls.
  const tasks = { ...createTasks({ definitions: readExportedTasks(exported, path) }), session: 'host' };
  return (made) => addTasks(made, tasks);
}

function exportsOf(module: unknown, path: string) {
  try {
    return serverOfModule<Factory>(module, path);
  } catch (cause) {
    if (cause instanceof ServerModuleError) throw new CliError(cause.message, { cause });
    throw cause;
  }
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n', 1)[0] ?? '';
}

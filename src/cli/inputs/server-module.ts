import type { HandlerOptions } from '../../http/fetch-handler.js';
import { read } from '../../wire/messages.js';
import { CliError } from '../errors.js';
import { importModule } from '../project/import-module.js';
import { plain } from '../terminal/output.js';
import { inProcessPeer, type Peer } from './peer.js';

type Factory = HandlerOptions['server'];

/** How to make the servers of a module. */
export interface ServerModule {
  readonly server: Factory;
  /** The same without tasks, for clients whose era does not have tasks of this kind. */
  readonly bare: Factory;
}

/**
 * Loads a module that exports a function which creates servers. If the module also exports `tasks`, each server has them,
 * and they run in this process.
 *
 * @param path the module, relative to the working directory
 * @returns how to make servers with its default export, or its export `createServer`
 * @throws {CliError} if the module cannot be imported, exports no function, or the function does not create an SDK v1
 *   server
 * @throws {TaskDefinitionError} if the module exports `tasks` that are not definitions
 * @example
 * const { server } = await loadServerFactory('./my-server.js');
 */
export async function loadServerFactory(path: string): Promise<ServerModule> {
  let module: unknown;
  try {
    module = await importModule(path);
  } catch (cause) {
    throw new CliError(`${path} cannot be imported: ${firstLine(cause)}`, { cause });
  }
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
  let server: unknown;
  try {
    server = await factory();
  } catch (cause) {
    throw new CliError(`The function that ${path} exports failed: ${firstLine(cause)}`, { cause });
  }
  if (typeof member(server, 'connect') !== 'function') {
    throw new CliError(
      `The function that ${path} exports does not return a server. Return a new Server or McpServer of SDK v1.`,
    );
  }
  const close = member(server, 'close');
  if (typeof close === 'function') await close.call(server);
  const exported = read(module, 'tasks') ?? read(module, 'default', 'tasks');
  if (exported === undefined) return { server: factory, bare: factory };
  return { server: await withExportedTasks(factory, exported, path), bare: factory };
}

/**
 * Makes a peer of a server that a module of this project creates. It runs in this process.
 *
 * @param path the module
 * @returns the server, connected and not initialized yet
 * @throws {CliError} if the module creates no server
 * @example
 * const { tools = [] } = await fetchCatalog(await modulePeer('src/server.ts'), { seconds: 30, signal });
 */
export async function modulePeer(path: string): Promise<Peer> {
  const { server: createServer } = await loadServerFactory(path);
  // The transport types of SDK v1 and v2 differ.
  return inProcessPeer(`The server of ${plain(path)}`, async (own) =>
    (await createServer()).connect(own as never),
  );
}

/** Loads the code of tasks only if there are some. */
async function withExportedTasks(factory: Factory, exported: unknown, path: string): Promise<Factory> {
  const { createTasks, readExportedTasks, withTasks } = await import('../../tasks/index.js');
  const tasks = createTasks({ definitions: readExportedTasks(exported, path) });
  return async (request, given) => withTasks(await factory(request, given), tasks);
}

/** @returns a property, also an inherited one, because servers are instances of classes */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n', 1)[0] ?? '';
}

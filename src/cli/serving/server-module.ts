import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HandlerOptions } from '../../http/fetch-handler.js';
import { read } from '../../wire/messages.js';
import { CliError } from '../errors.js';

type Factory = HandlerOptions['server'];

/**
 * Loads a module that exports a function which creates servers. If the module also exports `tasks`, each server has them,
 * and they run in this process.
 *
 * @param path the module, relative to the working directory
 * @returns its default export, or its export `createServer`
 * @throws {CliError} if the module cannot be imported, exports no function, or the function does not create an SDK v1
 *   server
 * @throws {TaskDefinitionError} if the module exports `tasks` that are not definitions
 * @example
 * const server = await loadServerFactory('./my-server.js');
 */
export async function loadServerFactory(path: string): Promise<Factory> {
  let module: unknown;
  try {
    module = await import(pathToFileURL(resolve(path)).href);
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
  return exported === undefined ? factory : withExportedTasks(factory, exported, path);
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

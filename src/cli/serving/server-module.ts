import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HandlerOptions } from '../../http/sdk-v1.js';
import { read } from '../../protocol/messages/wire.js';
import { CliError } from '../errors.js';

type Factory = HandlerOptions['server'];

/**
 * Loads a user's module that makes servers.
 *
 * @param path the module, relative to the working directory
 * @returns its default export, or its export `createServer`
 * @throws {CliError} if the module cannot be loaded, exports no such function, or that makes no SDK v1 server
 * @example
 * const server = await loadFactory('./my-server.js');
 */
export async function loadFactory(path: string): Promise<Factory> {
  let module: unknown;
  try {
    module = await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw new CliError(`${path} cannot be imported: ${firstLine(cause)}`);
  }
  // What a CommonJS module exports arrives as the default.
  const candidates = [
    read(module, 'default'),
    read(module, 'createServer'),
    read(module, 'default', 'createServer'),
  ];
  const factory = candidates.find((each) => typeof each === 'function') as Factory | undefined;
  if (factory === undefined) {
    throw new CliError(
      `${path} exports no function; its default export, or createServer, makes a new server.`,
    );
  }
  // The first request would be a bad time to learn that it does not work.
  let server: unknown;
  try {
    server = await factory();
  } catch (cause) {
    throw new CliError(`The function that ${path} exports failed: ${firstLine(cause)}`);
  }
  if (typeof member(server, 'connect') !== 'function') {
    throw new CliError(
      `The function that ${path} exports makes no server; it has to return a new Server or McpServer of SDK v1.`,
    );
  }
  const close = member(server, 'close');
  if (typeof close === 'function') await close.call(server);
  return factory;
}

/** @returns a property, inherited ones too: servers are instances of classes */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n', 1)[0] ?? '';
}

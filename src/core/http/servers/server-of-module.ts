import { type ErrorClass, errorClass } from '../../errors.js';
import { read } from '../../wire/messages.js';
import { isSdkServer, memberOf } from '../../wire/transport-layer.js';

const ServerModuleErrorBase: ErrorClass<'ServerModuleError', 'SERVER_MODULE_INVALID'> = errorClass(
  'ServerModuleError',
  'SERVER_MODULE_INVALID',
);

/** A module exports no function that makes servers. */
export class ServerModuleError extends ServerModuleErrorBase {}

/** What a module of a server exports. */
export interface ServerModuleExports<Factory> {
  /** Makes a server. Nothing is known of what it takes or returns until it is called. */
  readonly createServer: Factory;
  /** Its definitions of tasks, if it has some. */
  readonly tasks: unknown;
}

const EXPORT_A_FUNCTION = 'Export a function that returns a new server, as default or as createServer.';

/**
 * Finds the function of a module that makes servers: its default export, or `createServer`. The exports of a CommonJS module
 * arrive as the default export of an ES module, so it is found there too.
 *
 * @param module the imported module
 * @param name the name of the module, for messages
 * @returns the function, and the tasks that the module exports
 * @throws {ServerModuleError} if the module exports no such function
 * @example
 * const module = await import('my-server');
 * const { createServer } = serverOfModule(module, 'my-server');
 */
export function serverOfModule<Factory extends (...given: never[]) => unknown>(
  module: unknown,
  name: string,
): ServerModuleExports<Factory> {
  const exported = [module, read(module, 'default')].flatMap((each) => [
    read(each, 'default'),
    read(each, 'createServer'),
  ]);
  // What a function takes and returns cannot be checked before it is called.
  const isFactory = (each: unknown): each is Factory => typeof each === 'function';
  const createServer = exported.find(isFactory);
  if (createServer === undefined)
    throw new ServerModuleError(`${name} ${mistakeOf(module)} ${EXPORT_A_FUNCTION}`);
  return { createServer, tasks: read(module, 'tasks') ?? read(module, 'default', 'tasks') };
}

/** What a module exports in place of a function. */
function mistakeOf(module: unknown): string {
  const own = [module, read(module, 'default')].flatMap((each) =>
    typeof each === 'object' && each !== null ? Object.values(each) : [],
  );
  return own.some((each) => isSdkServer(each) || typeof memberOf(each, 'connect') === 'function')
    ? 'exports a server, but each request needs one of its own.'
    : 'exports no function.';
}

import { type ErrorClass, errorClass } from '../../errors.js';
import { memberOf } from '../../wire/transport-layer.js';

const ServerErrorBase: ErrorClass<'ServerError', 'SERVER_NOT_MADE'> = errorClass(
  'ServerError',
  'SERVER_NOT_MADE',
);

/** The function of an endpoint did not make a server for a request. `cause` has the error that it threw. */
export class ServerError extends ServerErrorBase {}

/**
 * Lets each server serve once. A server that is connected, or was, has requests of others: an SDK refuses a second transport,
 * or answers one client on the transport of another.
 *
 * @param make makes a server
 * @returns a function that does the same; it rejects with a `ServerError` if `make` fails, or returns no server or one that it
 *   returned before
 * @example
 * const server = onlyNew(() => createServer());
 * await server();
 */
export function onlyNew<Arguments extends readonly unknown[], Server extends object>(
  make: (...given: Arguments) => Server | Promise<Server>,
): (...given: Arguments) => Promise<Server> {
  const made = new WeakSet<object>();
  return async (...given) => {
    let server: Server;
    try {
      server = await make(...given);
    } catch (cause) {
      if (cause instanceof ServerError) throw cause;
      throw new ServerError(
        'The function that makes the server failed. The log of the endpoint has the reason.',
        { cause },
      );
    }
    if (typeof memberOf(server, 'connect') !== 'function')
      throw new ServerError(
        'The function returned no server. Return a new Server or McpServer of an MCP SDK.',
      );
    if (made.has(server))
      throw new ServerError('The function returned a server that is in use. Return a new one.');
    made.add(server);
    return server;
  };
}

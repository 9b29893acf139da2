import { ChildTransport } from '../../upstream/child-process.js';
import type { ConversationOptions } from './server-conversation.js';
import { Listening } from './child-conversation.js';
import { type ServerSurface, takeSurface } from './fetch-catalog.js';

/**
 * Starts a server, takes its lists whole, and ends it with everything that it started.
 *
 * @param command the server's command
 * @param args its arguments
 * @param options how long it may take
 * @returns the definitions with every field that the server gave them
 * @throws {CliError} if it cannot be started, ends, stays silent or answers what is no answer
 * @example
 * const { tools = [] } = await takeFromCommand('node', ['server.js'], { seconds: 30, signal });
 */
export function takeFromCommand(
  command: string,
  args: readonly string[],
  options: ConversationOptions,
): Promise<ServerSurface> {
  const transport = new ChildTransport(command, args);
  return takeSurface(transport, new Listening(command, transport, options));
}

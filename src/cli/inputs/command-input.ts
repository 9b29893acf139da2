import { ChildTransport } from '../../upstream/child-process.js';
import { ChildConversation } from './child-conversation.js';
import { type FetchedCatalog, fetchCatalog } from './fetch-catalog.js';
import type { ConversationOptions } from './server-conversation.js';

/**
 * Starts a server, fetches its catalog, and stops the server and its child processes.
 *
 * @param command the command of the server
 * @param args its arguments
 * @param options how long it may take
 * @returns the catalog, with every field of each definition
 * @throws {CliError} if the server cannot be started, ends, does not answer, or sends an invalid answer
 * @example
 * const { tools = [] } = await fetchFromCommand('node', ['server.js'], { seconds: 30, signal });
 */
export function fetchFromCommand(
  command: string,
  args: readonly string[],
  options: ConversationOptions,
): Promise<FetchedCatalog> {
  const transport = new ChildTransport(command, args);
  return fetchCatalog(transport, new ChildConversation(command, transport, options));
}

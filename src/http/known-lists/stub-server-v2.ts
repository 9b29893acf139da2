import { type Implementation, ProtocolError, Server } from '@modelcontextprotocol/server';
import type { SharedCatalog } from '../../protocol/lists/shared-catalog.js';
import { CURSOR_MESSAGES, isGateCursor } from '../../protocol/messages/cursor.js';
import { LISTS, read } from '../../protocol/messages/wire.js';
import { listedBy } from './stub-server.js';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/**
 * Makes a server of SDK v2 that knows one list and nothing else, in the place of one that takes long to build.
 *
 * @param known the lists
 * @param body the request
 * @param about what the server says of itself, which every answer repeats; the list may tell it too
 * @returns the stand-in; nothing if something else is asked, or the list or the server's name is not known
 */
export function standInServer(
  known: SharedCatalog,
  body: unknown,
  about?: Implementation,
): Server | undefined {
  const kind = listedBy(body);
  const first = kind === undefined ? undefined : known.page(kind, undefined);
  const told = (read(first, '_meta', SERVER_INFO) as Implementation | undefined) ?? about;
  if (kind === undefined || first === undefined || told === undefined) return undefined;
  // What a server makes of a cursor that nobody gave is its own business.
  const cursor = read(body, 'params', 'cursor');
  if (!isGateCursor(cursor) && known.page(kind, cursor) === undefined) return undefined;
  const { capability, method } = LISTS[kind];
  const server = new Server(told, { capabilities: { [capability]: {} } });
  server.setRequestHandler(method, ({ params }) => {
    const page = known.page(kind, params?.cursor);
    if (page === undefined) throw new ProtocolError(-32602, CURSOR_MESSAGES.malformed);
    return page as never;
  });
  return server;
}

import { type Implementation, ProtocolError, Server } from '@modelcontextprotocol/server';
import { listsTaskOnlyTools } from '../../gate/lists/tools-for-client.js';
import type { SharedCatalog } from '../../gate/request/catalog-cache.js';
import { CURSOR_MESSAGES } from '../../gate/request/messages.js';
import { LISTS, read, SERVER_INFO_META } from '../../wire/messages.js';
import { isKnown, listedBy } from './stub-server.js';

/**
 * Makes a stub server of SDK v2 that answers one list request, because building the real server takes long.
 *
 * @param known the lists
 * @param body the request
 * @param serverInfo name and version of the real server, which every answer repeats; the list itself may contain them too
 * @returns the stub server; `undefined` if the body is not a list request, or the list or the server info is not known
 */
export function createStubServerV2(
  known: SharedCatalog,
  body: unknown,
  serverInfo?: Implementation,
): Server | undefined {
  const kind = listedBy(body);
  if (kind === undefined || !isKnown(known, body)) return undefined;
  // The cast is safe: the page came from a server of the SDK, which writes this member.
  const told = read(known.page(kind, undefined), '_meta', SERVER_INFO_META) as Implementation | undefined;
  const info = told ?? serverInfo;
  // SDK v2 removes what tells the gate that a tool can only be called as a task, so the real server lists such tools.
  const pages = known.lists.get(kind)?.pages ?? [];
  if (info === undefined || pages.some(listsTaskOnlyTools)) return undefined;
  const { capability, method } = LISTS[kind];
  const server = new Server(info, { capabilities: { [capability]: {} } });
  server.setRequestHandler(method, ({ params }) => {
    const page = known.page(kind, params?.cursor);
    if (page === undefined) throw new ProtocolError(-32602, CURSOR_MESSAGES.malformed);
    // `never`, because the result type differs per method, and `method` is one of four here.
    return page as never;
  });
  return server;
}

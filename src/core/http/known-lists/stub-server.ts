import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { isGateCursor } from '../../gate/lists/cursor.js';
import type { SharedCatalog } from '../../gate/request/catalog-cache.js';
import { CURSOR_MESSAGES } from '../../gate/request/messages.js';
import { LISTS, METHODS, type Message, type Request, read } from '../../wire/messages.js';
import { walkPages } from '../../wire/page-walker.js';
import type { Connectable } from '../../wire/transport-layer.js';
import { DirectTransport } from './direct-transport.js';

/**
 * The operator's promise that the lists of the server do not depend on the request. `static`: the lists come from the
 * first server that is built. A saved catalog: the lists were saved at build time, so even the first list needs no server.
 */
export type KnownCatalog = 'static' | SavedCatalog;

/** Everything that a server lists, with its name and version: the content of a snapshot file. */
export interface SavedCatalog extends ServerCatalog {
  readonly server?: { readonly name: string; readonly version: string } | undefined;
}

/** A server whose lists are read. */
export type ListedServer = Connectable & { close(): Promise<void> };

/**
 * Returns whether a list request can be answered from known lists. Building the real server, with all its schemas, takes most
 * of the time of a list request.
 *
 * @param shared the known lists
 * @param message the message to answer
 * @returns false if the message is not a list request, or its list is not known yet
 * @example
 * if (isKnown(lists, message)) return answerFrom(lists, message);
 */
export function isKnown(shared: SharedCatalog, message: unknown): boolean {
  const kind = listedBy(message);
  const cursor = read(message, 'params', 'cursor');
  // Only the real server can decide how to answer a cursor that it did not issue.
  const page = isGateCursor(cursor) ? undefined : cursor;
  return kind !== undefined && shared.page(kind, page) !== undefined;
}

/** @returns the kind of primitive that a request lists; `undefined` if it is not a list request */
export function listedBy(message: unknown): Kind | undefined {
  const method = read(message, 'method');
  return read(message, 'id') === undefined ? undefined : KINDS.find((kind) => LISTS[kind].method === method);
}

/** @returns the answer to a list request */
export function answerFrom(shared: SharedCatalog, { id, params, ...message }: Request): Message {
  const kind = listedBy({ id, ...message });
  const page = kind === undefined ? undefined : shared.page(kind, params?.cursor);
  // In the order in which the SDK writes members, so that a list without filters has the same bytes as the server's.
  if (page !== undefined) return { result: page, jsonrpc: '2.0', id };
  return { jsonrpc: '2.0', id, error: { code: -32602, message: CURSOR_MESSAGES.malformed } };
}

/** A list that exceeds these bounds is omitted. */
const BOUNDS = { pages: 1000, milliseconds: 60_000 };

/** Any version that servers of SDK v1 and v2 both support. */
const protocolVersion = '2025-11-25';

/**
 * Reads all lists of a server, over a transport in memory.
 *
 * @param server a new server that is not connected
 * @returns its lists, name and version; lists that it does not have are left out
 */
export async function takeLists(server: ListedServer): Promise<SavedCatalog> {
  const transport = new DirectTransport();
  await server.connect(transport as never);
  let id = 0;
  const ask = (method: string, params: Record<string, unknown>): Promise<Message> =>
    transport.request({ jsonrpc: '2.0', id: ++id, method, params });

  const clientInfo = { name: 'mcp-concerns', version: '1' };
  const initialized = await ask(METHODS.initialize, { protocolVersion, capabilities: {}, clientInfo });
  transport.onmessage?.({ jsonrpc: '2.0', method: METHODS.initialized });
  const lists: { [K in Kind]?: object[] } = {};
  for (const kind of KINDS) {
    const items: object[] = [];
    const { end } = await walkPages(
      async (cursor) => read(await ask(LISTS[kind].method, cursor === undefined ? {} : { cursor }), 'result'),
      {
        bounds: BOUNDS,
        onPage: (result) => {
          const page = read(result, kind);
          if (!Array.isArray(page)) throw new TypeError(`The server has no list of ${kind}.`);
          for (const item of page) items.push(item);
          return page.length;
        },
      },
    );
    if (end.kind === 'complete') lists[kind] = items;
  }
  await server.close();
  const about = read(initialized, 'result', 'serverInfo') as SavedCatalog['server'];
  return { ...(about === undefined ? {} : { server: about }), ...lists };
}

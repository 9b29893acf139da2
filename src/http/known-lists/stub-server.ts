import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { isGateCursor } from '../../gate/lists/cursor.js';
import { SharedCatalog } from '../../gate/request/catalog-cache.js';
import { CURSOR_MESSAGES } from '../../gate/request/generated/texts.js';
import { type LivePolicy, policyInForce } from '../../gate/request/live-policy.js';
import { fromSdk, LISTS, METHODS, type Message, type Request, read, toSdk } from '../../wire/messages.js';
import { walkPages } from '../../wire/page-walker.js';
import type { Connectable } from '../../wire/transport-layer.js';

/**
 * The operator's promise that the lists of the server do not depend on the request. `static`: the lists come from the
 * first server that is built. A saved catalog: the lists were saved at build time, so even the first list needs no server.
 */
export type KnownCatalog = 'static' | SavedCatalog;

/** Everything that a server lists, with its name and version: the content of a snapshot file. */
export interface SavedCatalog extends ServerCatalog {
  readonly server?: { readonly name: string; readonly version: string } | undefined;
}

/** @returns the lists that requests share, filled from the saved catalog if there is one */
export function fillLists(policy: Policy | LivePolicy, catalog: KnownCatalog): SharedCatalog {
  const shared = new SharedCatalog();
  if (catalog === 'static') return shared;
  const current = policyInForce(policy);
  for (const kind of KINDS) {
    const items = catalog[kind];
    if (items !== undefined) shared.put(current, kind, items);
  }
  return shared;
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
  const waiting = new Map<unknown, (message: Message) => void>();
  const wire: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    async send(message) {
      waiting.get(read(message, 'id'))?.(fromSdk(message));
    },
  };
  await server.connect(wire as never);
  let id = 0;
  const ask = (method: string, params: Record<string, unknown>): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      wire.onmessage?.(toSdk({ jsonrpc: '2.0', id, method, params }));
    });

  const clientInfo = { name: 'mcp-concerns', version: '1' };
  const initialized = await ask(METHODS.initialize, { protocolVersion, capabilities: {}, clientInfo });
  wire.onmessage?.({ jsonrpc: '2.0', method: METHODS.initialized });
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

/**
 * Compares a saved catalog with what the server lists now.
 *
 * @param shared the lists of the saved catalog; lists that differ are dropped, so the next request reads them again
 * @param real what the server lists now
 * @returns the kinds that differ
 */
export function dropStale(shared: SharedCatalog, real: ServerCatalog): readonly Kind[] {
  return KINDS.filter((kind) => {
    const saved = shared.lists.get(kind)?.pages.flatMap((page) => page[kind] ?? []);
    if (saved === undefined || JSON.stringify(saved) === JSON.stringify(real[kind] ?? [])) return false;
    return shared.lists.delete(kind);
  });
}

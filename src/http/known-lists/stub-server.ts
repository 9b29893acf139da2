import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { SharedCatalog } from '../../protocol/lists/shared-catalog.js';
import { CURSOR_MESSAGES, isGateCursor } from '../../protocol/messages/cursor.js';
import { walkPages } from '../../protocol/messages/page-walker.js';
import { LISTS, METHODS, type Message, type Request, read } from '../../protocol/messages/wire.js';
import { type LivePolicy, policyInForce } from '../../protocol/request/live-policy.js';

/**
 * The operator's promise that the server's lists depend on no request: `static`, they are taken from the first server
 * that is built; or a snapshot that was taken at build time, so that even the first list needs no server.
 */
export type StaticCatalog = 'static' | Snapshot;

/** What a server lists, and what it says of itself. */
export interface Snapshot extends ServerCatalog {
  readonly server?: { readonly name: string; readonly version: string } | undefined;
}

/** @returns the lists that requests share, filled from a snapshot if there is one */
export function shareLists(policy: Policy | LivePolicy, catalog: StaticCatalog): SharedCatalog {
  const shared = new SharedCatalog();
  if (catalog === 'static') return shared;
  const current = policyInForce(policy);
  for (const kind of KINDS) {
    const items = catalog[kind];
    if (items !== undefined) shared.put(current, kind, items);
  }
  return shared;
}

/** What a stand-in and a server have in common; transports of both SDK generations fit. */
interface Wire {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
}

/** A server that knows its lists and nothing else. */
export interface StandIn {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes a server that answers list requests from shared lists: building the real one, with all its schemas, takes
 * longer than everything else that a list needs.
 *
 * @param shared the lists
 * @param messages what is to be answered
 * @returns the stand-in; nothing if anything else is asked, or a list is not held yet
 * @example
 * const server = standInFor(shared, [message]) ?? (await createServer());
 */
export function standInFor(shared: SharedCatalog, messages: readonly unknown[]): StandIn | undefined {
  const known = messages.every((message) => {
    const kind = listedBy(message);
    const cursor = read(message, 'params', 'cursor');
    // What a server makes of a cursor that nobody gave is its own business.
    const page = isGateCursor(cursor) ? undefined : cursor;
    return kind !== undefined && shared.page(kind, page) !== undefined;
  });
  if (!known || messages.length === 0) return undefined;
  let wire: Wire | undefined;
  return {
    async connect(transport) {
      const connected: Wire = transport;
      wire = connected;
      connected.onmessage = (message) => {
        void connected.send(answerFrom(shared, message) as never);
      };
      await connected.start();
    },
    close: async () => wire?.close(),
  };
}

/** @returns the list that a request asks for */
export function listedBy(message: unknown): Kind | undefined {
  const method = read(message, 'method');
  return read(message, 'id') === undefined ? undefined : KINDS.find((kind) => LISTS[kind].method === method);
}

function answerFrom(shared: SharedCatalog, { id, params, ...message }: Request): Message {
  const kind = listedBy({ id, ...message });
  const page = kind === undefined ? undefined : shared.page(kind, params?.cursor);
  // In the order in which the SDK writes it: a list that nobody filters has the bytes of the server's own.
  if (page !== undefined) return { result: page, jsonrpc: '2.0', id };
  return { jsonrpc: '2.0', id, error: { code: -32602, message: CURSOR_MESSAGES.malformed } };
}

/** A list that exceeds these bounds is omitted. */
const BOUNDS = { pages: 1000, milliseconds: 60_000 };

/** Of the lists that are taken; any that servers of both generations speak. */
const protocolVersion = '2025-11-25';

/**
 * Takes all lists of a server, over a transport of its own.
 *
 * @param server a fresh server that is connected to nothing
 * @returns its lists and its name; lists that it does not have are left out
 */
export async function takeLists(server: StandIn): Promise<Snapshot> {
  const waiting = new Map<unknown, (message: Message) => void>();
  const wire: Wire = {
    start: async () => undefined,
    close: async () => undefined,
    async send(message) {
      waiting.get(read(message, 'id'))?.(message);
    },
  };
  await server.connect(wire as never);
  let id = 0;
  const ask = (method: string, params: object): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      wire.onmessage?.({ jsonrpc: '2.0', id, method, params } as never);
    });

  const clientInfo = { name: 'mcp-concerns', version: '1' };
  const initialized = await ask(METHODS.initialize, { protocolVersion, capabilities: {}, clientInfo });
  wire.onmessage?.({ jsonrpc: '2.0', method: METHODS.initialized } as never);
  const surface: { [K in Kind]?: object[] } = {};
  for (const kind of KINDS) {
    const items: object[] = [];
    const { end } = await walkPages(
      async (cursor) => read(await ask(LISTS[kind].method, cursor === undefined ? {} : { cursor }), 'result'),
      {
        bounds: BOUNDS,
        onPage: (result) => {
          const page = read(result, kind);
          if (!Array.isArray(page)) throw new TypeError(`The server has no list of ${kind}.`);
          items.push(...page);
          return page.length;
        },
      },
    );
    if (end.kind === 'complete') surface[kind] = items;
  }
  await server.close();
  const about = read(initialized, 'result', 'serverInfo') as Snapshot['server'];
  return { ...(about === undefined ? {} : { server: about }), ...surface };
}

/**
 * Compares a snapshot with what a server really lists.
 *
 * @param shared the lists as the snapshot has them; those that differ are forgotten, so the next request takes them anew
 * @param real what the server lists
 * @returns the kinds that differ
 */
export function forgetStale(shared: SharedCatalog, real: ServerCatalog): readonly Kind[] {
  return KINDS.filter((kind) => {
    const held = shared.lists.get(kind)?.pages.flatMap((page) => page[kind] ?? []);
    if (held === undefined || JSON.stringify(held) === JSON.stringify(real[kind] ?? [])) return false;
    return shared.lists.delete(kind);
  });
}

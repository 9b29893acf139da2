import { EventEmitter, once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  type Implementation,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Primitive, ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import type { PolicyCatalog } from '../../policy/check/check-catalog.js';
import { itemsOf } from '../../protocol/lists/filter-list.js';
import { CAPABILITIES, LISTS, listChangedMethod, read } from '../../protocol/messages/wire.js';
import { CliError } from '../errors.js';
import { VERSION } from '../version.js';
import type { Conversation } from './server-conversation.js';
import { CAN_DO_ALL } from './full-client-capabilities.js';

/** Everything that a server says of itself before anything is called; of the lists those that it has. */
export interface ServerSurface extends PolicyCatalog {
  readonly server: Implementation | undefined;
  readonly capabilities: object;
}

/** Some servers register more once they know the client; they have this long after the last change. */
const QUIET = 300;
const MAX_CHANGES = 10;
/** No request has a limit of its own: the one for all of them ends it. */
const NO_LIMIT = 2 ** 31 - 1;

/**
 * Connects to a server, takes its lists whole, and ends the connection.
 *
 * @param transport how to reach the server, not started yet
 * @param conversation how long it may take, and how failures are told
 * @returns the definitions with every field that the server gave them, and what it says of itself
 * @throws {CliError} if it cannot be reached, ends, stays silent or answers what is no answer
 * @example
 * const transport = new ChildTransport('node', ['server.js']);
 * const { tools = [] } = await takeSurface(transport, new Listening('node', transport, { seconds: 30, signal }));
 */
export async function takeSurface(transport: Transport, conversation: Conversation): Promise<ServerSurface> {
  const client = new Client({ name: 'mcp-concerns', version: VERSION }, { capabilities: CAN_DO_ALL });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  const changes = new EventEmitter();
  let changed = false;
  const changing = new Set(CAPABILITIES.map(listChangedMethod));
  client.fallbackNotificationHandler = async ({ method }) => {
    if (!changing.has(method)) return;
    changed = true;
    changes.emit('change');
  };

  const { signal } = conversation;
  const request = { signal, timeout: NO_LIMIT };
  try {
    await client.connect(transport, request);
    const capabilities = client.getServerCapabilities() ?? {};
    const kinds = KINDS.filter((kind) => capabilities[LISTS[kind].capability] !== undefined);
    const announces = kinds.some((kind) => capabilities[LISTS[kind].capability]?.listChanged === true);

    const ask = async (method: string, params: Record<string, unknown>) => {
      conversation.asked = method;
      return client.request({ method, params }, ResultSchema, request);
    };
    let lists = await takeAll(kinds, ask);
    for (let times = 0; announces && times < MAX_CHANGES; times++) {
      if (!changed) await once(changes, 'change', { signal: soon(signal) }).catch(nextTurn);
      if (!changed) break;
      changed = false;
      lists = await takeAll(kinds, ask);
    }
    const instructions = client.getInstructions();
    return { server: client.getServerVersion(), capabilities, instructions, ...lists };
  } catch (cause) {
    throw await conversation.explain(cause);
  } finally {
    conversation.stop();
    await transport.close();
  }
}

type Ask = (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>;

async function takeAll(kinds: readonly Kind[], ask: Ask): Promise<ServerCatalog> {
  const lists: { [K in Kind]?: readonly Primitive[] } = {};
  for (const kind of kinds) {
    const items = await takeList(kind, ask);
    if (items !== undefined) lists[kind] = items;
  }
  return lists;
}

/** @returns all pages of one list; nothing if the server has no such list */
async function takeList(kind: Kind, ask: Ask): Promise<Primitive[] | undefined> {
  const { method } = LISTS[kind];
  const items: Primitive[] = [];
  const cursors = new Set<string>();
  for (let cursor: unknown; ; ) {
    let page: Record<string, unknown>;
    try {
      page = await ask(method, typeof cursor === 'string' ? { cursor } : {});
    } catch (error) {
      // `resources` stands for two lists, of which many servers have one.
      if (kind === 'resourceTemplates' && read(error, 'code') === ErrorCode.MethodNotFound) return undefined;
      throw error;
    }
    const found = itemsOf(kind, page);
    if (found === undefined) throw new CliError(`The server answered ${method} without a list of ${kind}.`);
    items.push(...found);
    cursor = page.nextCursor;
    if (typeof cursor !== 'string') return items;
    if (cursors.has(cursor)) {
      throw new CliError(`The server's pages of ${method} never end: one cursor came twice.`);
    }
    cursors.add(cursor);
  }
}

/** When this process was busy, the timer is done before what arrived in time was read: that is one turn away. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const soon = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(QUIET)]);

import { EventEmitter, once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, ListRootsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Primitive } from '../engine/mapping.js';
import { KINDS, type Kind } from '../engine/policy.js';
import { itemsOf } from '../protocol/lists.js';
import { CAPABILITIES, LISTS, listChangedMethod, read } from '../protocol/wire.js';
import { ChildTransport } from '../serve/child.js';
import { CliError } from './errors.js';
import { Listening } from './server-failure.js';

/** What a server has: the kinds that it declares, each with the definitions as it lists them. */
export type ServerPrimitives = ReadonlyMap<Kind, readonly Primitive[]>;

export interface TakeOptions {
  /** Seconds that the server may take to start and to list everything. */
  readonly seconds: number;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  /** The name and version that the server is told. */
  readonly clientInfo: { readonly name: string; readonly version: string };
}

/** Some servers register more once they know the client; they have this long after the last change. */
const QUIET = 300;
const MAX_CHANGES = 10;
/** No request has a limit of its own: the one for all of them ends it. */
const NO_LIMIT = 2 ** 31 - 1;

/** A server shows some tools only to clients that can do what these need. Nothing is called, so nothing is asked for. */
export const CAN_DO_ALL = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: {
    list: {},
    cancel: {},
    requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  },
};

/**
 * Starts a server, takes its lists whole, and ends it with everything that it started.
 *
 * @param command the server's command
 * @param args its arguments
 * @param options how long it may take
 * @returns the definitions with every field that the server gave them
 * @throws {CliError} if it cannot be started, ends, stays silent or answers what is no answer
 * @example
 * const lists = await takePrimitives('node', ['server.js'], { seconds: 30, signal, clientInfo });
 */
export async function takePrimitives(
  command: string,
  args: readonly string[],
  options: TakeOptions,
): Promise<ServerPrimitives> {
  const transport = new ChildTransport(command, args);
  const listening = new Listening(command, transport, options);
  const client = new Client(options.clientInfo, { capabilities: CAN_DO_ALL });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  const changes = new EventEmitter();
  let changed = false;
  const changing = new Set(CAPABILITIES.map(listChangedMethod));
  client.fallbackNotificationHandler = async ({ method }) => {
    if (!changing.has(method)) return;
    changed = true;
    changes.emit('change');
  };

  const { signal } = listening;
  const request = { signal, timeout: NO_LIMIT };
  try {
    await client.connect(transport, request);
    const capabilities = client.getServerCapabilities() ?? {};
    const kinds = KINDS.filter((kind) => capabilities[LISTS[kind].capability] !== undefined);
    const announces = kinds.some((kind) => capabilities[LISTS[kind].capability]?.listChanged === true);

    const ask = async (method: string, params: Record<string, unknown>) => {
      listening.asked = method;
      return client.request({ method, params }, ResultSchema, request);
    };
    let lists = await takeAll(kinds, ask);
    for (let times = 0; announces && times < MAX_CHANGES; times++) {
      if (!changed) await once(changes, 'change', { signal: soon(signal) }).catch(nextTurn);
      if (!changed) break;
      changed = false;
      lists = await takeAll(kinds, ask);
    }
    return lists;
  } catch (cause) {
    throw await listening.explain(cause);
  } finally {
    listening.stop();
    await transport.close();
  }
}

type Ask = (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>;

async function takeAll(kinds: readonly Kind[], ask: Ask): Promise<ServerPrimitives> {
  const lists = new Map<Kind, readonly Primitive[]>();
  for (const kind of kinds) {
    const items = await takeList(kind, ask);
    if (items !== undefined) lists.set(kind, items);
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

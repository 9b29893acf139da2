import { EventEmitter, once, setMaxListeners } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { itemsOf } from '../../gate/request/whole-list.js';
import type { SeveralCatalog } from '../../policy/check/servers/own-catalog.js';
import { beforeAbort } from '../../session/before-abort.js';
import { MODERN_VERSION } from '../../upstream/eras/envelope.js';
import { inProcessTransport } from '../../upstream/in-process.js';
import { CAPABILITIES, LISTS, listChangedMethod, METHODS, read } from '../../wire/messages.js';
import { walkPages } from '../../wire/page-walker.js';
import { CliError } from '../errors.js';
import { VERSION } from '../version.js';
import { filteringOf } from './catalog-file.js';
import { explainEra } from './explain-era.js';
import { FULL_CLIENT_CAPABILITIES } from './generated/client-capabilities.js';
import { type ConversationOptions, explainFailure, type Peer, shorten } from './peer.js';

/** Some servers register more primitives once they know the client. Milliseconds to wait after the last change. */
const QUIET_MS = 300;
const MAX_CHANGES = 10;
/** Single requests have no time limit, because the conversation has one for all of them. */
const NO_LIMIT = 2 ** 31 - 1;

/**
 * Connects to a server, fetches all pages of all its lists, and closes the connection.
 *
 * @param peer the server, and how failures are described
 * @param options how long it may take
 * @returns the catalog, with every field of each definition, and the name and the capabilities of the server
 * @throws {CliError} if the server cannot be reached, ends, does not answer, or sends an invalid answer
 * @example
 * const { tools = [] } = await fetchCatalog(childPeer('node', ['server.js']), { seconds: 30, signal });
 */
export async function fetchCatalog(peer: Peer, options: ConversationOptions) {
  const { protocol = 'auto' } = options;
  if (protocol === '2026-07-28') return fetchTranslated(peer, options);
  try {
    return await fetchFrom(peer, options);
  } catch (cause) {
    if (protocol !== 'auto' || !(cause instanceof EraRefused)) throw cause;
    return fetchTranslated(peer, options, cause);
  }
}

/** The server refused `initialize`, so it may speak only newer versions. */
class EraRefused extends CliError {}

/** Fetches the catalog of a server that is spoken to in the modern era. */
async function fetchTranslated(peer: Peer, options: ConversationOptions, refused?: EraRefused) {
  const { bridge } = await import('../../upstream/isolation.js');
  const bridged = bridge(peer.again, 'per-session', { protocol: '2026-07-28' });
  try {
    await beforeAbort(bridged.era(), options.signal).catch((cause) => explainEra(cause, refused));
    const transport = inProcessTransport(() => bridged.connection());
    return { ...(await fetchFrom({ ...peer, transport }, options)), protocol: MODERN_VERSION };
  } finally {
    await bridged.close();
  }
}

/** HTTP statuses of endpoints that know no `initialize`. */
const REFUSED: ReadonlySet<unknown> = new Set([400, 404, 405, 406, 422]);

/** Whether the server answered with an error. */
const isAnswer = (cause: unknown): cause is McpError =>
  cause instanceof McpError &&
  cause.code !== ErrorCode.ConnectionClosed &&
  cause.code !== ErrorCode.RequestTimeout;

const isRefusal = (cause: unknown): boolean => isAnswer(cause) || REFUSED.has(read(cause, 'code'));

async function fetchFrom(peer: Peer, { seconds, signal: ending }: ConversationOptions) {
  const client = new Client(
    { name: 'mcp-concerns', version: VERSION },
    { capabilities: FULL_CLIENT_CAPABILITIES },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  const changes = new EventEmitter();
  let changed = false;
  const changing = new Set(CAPABILITIES.map(listChangedMethod));
  client.fallbackNotificationHandler = async ({ method }) => {
    if (!changing.has(method)) return;
    changed = true;
    changes.emit('change');
  };

  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), seconds * 1000);
  const signal = AbortSignal.any([ending, late.signal, ...(peer.broken === undefined ? [] : [peer.broken])]);
  // The SDK adds a listener for each request, and a long list needs many requests.
  setMaxListeners(0, signal);
  let lastMethod: string = METHODS.initialize;
  let protocol: string | undefined;
  const { transport } = peer;
  const setVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    protocol = version;
    setVersion?.(version);
  };
  const options = { signal, timeout: NO_LIMIT };
  try {
    await client.connect(peer.transport, options);
    const capabilities = client.getServerCapabilities() ?? {};
    const kinds = KINDS.filter((kind) => capabilities[LISTS[kind].capability] !== undefined);
    const announces = kinds.some((kind) => capabilities[LISTS[kind].capability]?.listChanged === true);

    const request = async (method: string, params: Record<string, unknown>) => {
      lastMethod = method;
      return client.request({ method, params }, ResultSchema, options);
    };
    let lists = await fetchLists(kinds, request, peer.server);
    for (let times = 0; announces && times < MAX_CHANGES; times++) {
      if (!changed) await once(changes, 'change', { signal: soon(signal) }).catch(nextTurn);
      if (!changed) break;
      changed = false;
      lists = await fetchLists(kinds, request, peer.server);
    }
    const instructions = client.getInstructions();
    const server = client.getServerVersion();
    return { protocol, server, capabilities, instructions, ...filteringOf(capabilities), ...lists };
  } catch (cause) {
    if (cause instanceof CliError || ending.aborted) throw cause;
    const over = late.signal.aborted ? seconds : undefined;
    const failed = await explainFailure(peer, { cause, lastMethod, over });
    if (lastMethod !== METHODS.initialize || over !== undefined || !isRefusal(cause)) throw failed;
    throw new EraRefused(failed.message, { cause });
  } finally {
    clearTimeout(timer);
    await peer.transport.close();
  }
}

type Request = (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Fetches all lists. One that the server refuses is left out, with the reason; a server that refuses all has no catalog. */
async function fetchLists(kinds: readonly Kind[], request: Request, server: string): Promise<SeveralCatalog> {
  const lists: { [K in Kind]?: readonly Primitive[] } = {};
  const unlisted: { [K in Kind]?: string } = {};
  for (const kind of kinds) {
    try {
      const items = await fetchList(kind, request);
      if (items !== undefined) lists[kind] = items;
    } catch (cause) {
      if (!isAnswer(cause)) throw cause;
      unlisted[kind] = `${server} refused ${LISTS[kind].method}: ${shorten(cause.message)}`;
    }
  }
  const [reason] = Object.values(unlisted);
  if (reason === undefined) return lists;
  if (Object.keys(lists).length === 0) throw new CliError(reason);
  return { ...lists, unlisted };
}

/** @returns the items of all pages of one list; undefined if the server does not have this list */
async function fetchList(kind: Kind, request: Request): Promise<Primitive[] | undefined> {
  const { method } = LISTS[kind];
  const items: Primitive[] = [];
  const { end, pages } = await walkPages(
    (cursor) => request(method, cursor === undefined ? {} : { cursor }),
    {
      onPage: (page) => {
        const found = itemsOf(kind, page);
        if (found === undefined)
          throw new CliError(`The server answered ${method} without a list of ${kind}.`);
        items.push(...found);
        return found.length;
      },
    },
  );
  if (end.kind === 'complete') return items;
  if (end.kind === 'repeated-cursor') {
    throw new CliError(`The server sent the same cursor of ${method} twice, so its pages would never end.`);
  }
  if (end.kind !== 'failed') {
    throw new CliError(
      `The server's pages of ${method} do not end: ${pages} pages have arrived (${end.kind}).`,
    );
  }
  // The capability `resources` covers two lists, and many servers have only one of them. Some declare prompts or resources
  // that they do not have at all. Without tools, there is nothing to write a policy for.
  if (kind !== 'tools' && read(end.error, 'code') === ErrorCode.MethodNotFound) return undefined;
  throw end.error;
}

/** If the process was busy, the timer fires before messages that arrived in time are read. This lets them be read first. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const soon = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(QUIET_MS)]);

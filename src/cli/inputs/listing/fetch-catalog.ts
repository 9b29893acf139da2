import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type Implementation,
  ListRootsRequestSchema,
  ResultSchema,
  type ServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js';
import { KINDS } from '../../../core/engine/policy.js';
import type { SeveralCatalog } from '../../../core/policy/check/servers/own-catalog.js';
import { beforeAbort } from '../../../core/session/before-abort.js';
import { LIST_CHANGES, LISTS, METHODS } from '../../../core/wire/messages.js';
import { withoutGates } from '../../../core/wire/transport-layer.js';
import { MODERN_VERSION } from '../../../proxy/eras/envelope.js';
import { inProcessTransport } from '../../../proxy/in-process.js';
import type { UpstreamOptions } from '../../../proxy/options.js';
import { UpstreamError } from '../../../proxy/upstream-error.js';
import { CliError } from '../../errors.js';
import type { ServerInput } from '../../options/input-options.js';
import { VERSION } from '../../version.js';
import { filteringOf } from '../catalog-file.js';
import { FULL_CLIENT_CAPABILITIES } from '../generated/client-capabilities.js';
import type { OpenedServer } from '../open-server.js';
import { childFailure } from './child-failure.js';
import { explainEra } from './explain-era.js';
import { type Failure, failureText } from './failure.js';
import { fetchLists, isAnswer } from './fetch-lists.js';
import { WholeListTransport } from './whole-list-transport.js';

/** Some servers register more primitives once they know the client. Milliseconds to wait after the last change. */
const QUIET_MS = 300;
const MAX_CHANGES = 10;
/** Single requests have no time limit, because the conversation has one for all of them. */
const NO_LIMIT = 2 ** 31 - 1;

/** How a server is asked for its lists. */
export type ListingOptions = Pick<ServerInput, 'from' | 'seconds' | 'protocol'> & {
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Is told of each of several servers that cannot be listed, with the reason. */
  readonly missing: (server: string, reason: string) => void;
};

/** What a server lists, and what it says of itself. */
export interface FetchedCatalog extends SeveralCatalog {
  /** The protocol version that was agreed on. */
  readonly protocol: string | undefined;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/**
 * Connects to a server, fetches all pages of all its lists, and closes the connection.
 *
 * @param opened the server
 * @param options how it is asked, and how long it may take
 * @returns the catalog, with every field of each definition, and the name and the capabilities of the server
 * @throws {CliError} if the server cannot be reached, ends, does not answer, or sends an invalid answer
 * @example
 * const { tools = [] } = await fetchCatalog(await openServer(input, WholeListTransport), { ...input, signal, missing });
 */
export async function fetchCatalog(opened: OpenedServer, options: ListingOptions): Promise<FetchedCatalog> {
  const { protocol = 'auto', signal } = options;
  const { open, close } = await connectionsTo(opened, options);
  /** Asks a server that is spoken to in the modern era. */
  const fetchTranslated = async (refused?: EraRefused) => {
    const { bridge } = await import('../../../proxy/isolation.js');
    const bridged = bridge(open, 'per-session', { protocol: '2026-07-28' });
    try {
      await beforeAbort(bridged.era(), signal).catch((cause) => explainEra(cause, refused, opened.advice));
      const transport = inProcessTransport(() => bridged.connection());
      return { ...(await fetchFrom(transport, opened, options)), protocol: MODERN_VERSION };
    } finally {
      await bridged.close();
    }
  };
  try {
    if (protocol === '2026-07-28') return await fetchTranslated();
    return await fetchFrom(open(), opened, options);
  } catch (cause) {
    if (protocol !== 'auto' || !(cause instanceof EraRefused)) throw cause;
    return await fetchTranslated(cause);
  } finally {
    await close();
  }
}

/** The part of the time of a command that servers wait for one that is slow. */
const PATIENCE = 0.8;

/** @returns what makes connections to a server, not started, and what ends all that they share */
async function connectionsTo(opened: OpenedServer, { missing, seconds }: ListingOptions) {
  const close = async (): Promise<void> => undefined;
  if ('open' in opened) return { open: opened.open, close };
  if (!('several' in opened))
    return { open: () => inProcessTransport(async () => withoutGates(await opened.server())), close };
  const { bridgeSeveral } = await import('../../../proxy/several/bridge-several.js');
  const told = new Set<string>();
  const options: UpstreamOptions = {
    isLongLived: true,
    isOfOnePerson: true,
    report: ({ upstream, state, reason = 'no reason is known' }) => {
      if (state === 'failed' && !told.has(upstream)) missing(upstream, reason);
      if (state === 'failed') told.add(upstream);
    },
  };
  // A person waits as long as the command does: no host gives up before.
  const patienceMs = seconds * 1000 * PATIENCE;
  const bridged = bridgeSeveral(opened.several, 'per-session', options, undefined, patienceMs);
  return { open: () => inProcessTransport(() => bridged.connection()), close: () => bridged.close() };
}

/** The server refused `initialize`, so it may speak only newer versions. */
class EraRefused extends CliError {}

/** HTTP statuses of endpoints that know no `initialize`. */
const REFUSED: ReadonlySet<unknown> = new Set([400, 404, 405, 406, 422]);

const isRefusal = (cause: unknown): boolean =>
  isAnswer(cause) || (cause instanceof UpstreamError && REFUSED.has(cause.failure.http?.status));

async function fetchFrom(
  transport: Transport,
  { subject, advice }: OpenedServer,
  { from, seconds, signal: ending }: ListingOptions,
): Promise<FetchedCatalog> {
  const client = new Client(
    { name: 'mcp-concerns', version: VERSION },
    { capabilities: FULL_CLIENT_CAPABILITIES },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  let changed = false;
  client.fallbackNotificationHandler = async ({ method }) => {
    changed ||= LIST_CHANGES.has(method);
  };

  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), seconds * 1000);
  const child = transport instanceof WholeListTransport ? transport : undefined;
  const signal = AbortSignal.any([ending, late.signal, ...(child === undefined ? [] : [child.isBroken])]);
  // The SDK adds a listener for each request, and a long list needs many requests.
  setMaxListeners(0, signal);
  let lastMethod: string = METHODS.initialize;
  let protocol: string | undefined;
  const setVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    protocol = version;
    setVersion?.(version);
  };
  const options = { signal, timeout: NO_LIMIT };
  try {
    await client.connect(transport, options);
    const capabilities = client.getServerCapabilities() ?? {};
    const kinds = KINDS.filter((kind) => capabilities[LISTS[kind].capability] !== undefined);
    const announces = kinds.some((kind) => capabilities[LISTS[kind].capability]?.listChanged === true);

    const request = async (method: string, params: Record<string, unknown>) => {
      lastMethod = method;
      return client.request({ method, params }, ResultSchema, options);
    };
    let lists = await fetchLists(kinds, request, subject);
    for (let times = 0; announces && times < MAX_CHANGES; times++) {
      if (!changed) await sleep(QUIET_MS, undefined, { signal }).catch(() => undefined);
      // If the process was busy, the timer fires before messages that arrived in time are read.
      await nextTurn();
      if (!changed) break;
      changed = false;
      lists = await fetchLists(kinds, request, subject);
    }
    const instructions = client.getInstructions();
    const server = client.getServerVersion();
    return { protocol, server, capabilities, instructions, ...filteringOf(capabilities), ...lists };
  } catch (cause) {
    if (cause instanceof CliError || ending.aborted) throw cause;
    const over = late.signal.aborted ? seconds : undefined;
    const failure: Failure = { server: subject, cause, lastMethod, over, advice };
    const own = child === undefined ? undefined : await childFailure(failure, child);
    const ofHttp = from === 'url' ? (await import('./http-failure.js')).httpFailure(failure) : undefined;
    const failed = own ?? ofHttp ?? failureText(failure);
    const isRefused = lastMethod === METHODS.initialize && over === undefined && isRefusal(cause);
    throw isRefused ? new EraRefused(failed, { cause }) : new CliError(failed, { cause });
  } finally {
    clearTimeout(timer);
    await transport.close();
  }
}

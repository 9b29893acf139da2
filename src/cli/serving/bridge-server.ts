import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import type { ServerOfRequest } from '../../core/http/fetch-handler.js';
import type { ServerV2 } from '../../core/http/sdk-v2.js';
import type { UpstreamServer } from '../../core/http/upstream-server.js';
import type { UpstreamEvent } from '../../core/telemetry/upstream-event.js';
import type { Backends } from '../../proxy/backend.js';
import { startAtOnce } from '../../proxy/early/start-at-once.js';
import { inProcessTransport } from '../../proxy/in-process.js';
import { type Bridge, behindOne, bridge, bridgeTo } from '../../proxy/isolation.js';
import { FORWARDED } from '../../proxy/wires/caller-headers.js';
import { forwardsTo } from '../inputs/open-server.js';
import type { Serving } from './serving.js';

/** The servers that hosts get. */
export interface ServersOfHosts {
  /** Hosts of both eras in front of the server; also streams of a module, which serves everything else itself. */
  readonly bridged: Bridge;
  /** Makes the server of a host up to 2025-11-25, whose connection lasts between requests. */
  readonly legacy: () => ServerOfRequest | Promise<ServerOfRequest>;
  /** Makes the server of a request of 2026-07-28. */
  readonly modern: (context: McpRequestContext) => Promise<ServerV2>;
  /** Makes the server of a stream of 2026-07-28. */
  readonly stream: (context: McpRequestContext) => Promise<UpstreamServer>;
}

/**
 * Makes the servers that hosts of both eras get, in front of the server that is served.
 *
 * @param serving what is served
 */
export async function serversOf(serving: Serving): Promise<ServersOfHosts> {
  const { opened, limits, isForMany, keeperOf, operations } = serving;
  const { isolation, silenceMs, protocol } = limits;
  const report = (event: UpstreamEvent): void => {
    const { state, reason } = event;
    const isUnreached = state === 'failed' && reason?.startsWith('fetch failed') === true;
    const told =
      isUnreached && opened.advice !== undefined
        ? { ...event, reason: `${reason}. ${opened.advice}` }
        : event;
    operations.upstream(told, 'several' in opened);
  };
  const options = {
    name: opened.name,
    report,
    silenceMs,
    protocol,
    isLongLived: true,
    isOfOnePerson: !isForMany,
  };
  const behind = (bridged: Bridge): ServersOfHosts => ({
    bridged,
    legacy: () => bridged.connection(),
    modern: (context) => bridged.make(context),
    stream: (context) => bridged.make(context),
  });
  // What a server lists for one token must not be what the next host gets first.
  const isForwarding = (slug?: string): boolean => forwardsTo(opened, slug);
  const front = (made: Backends, slug?: string): Backends =>
    keeperOf === undefined || isForwarding(slug)
      ? made
      : startAtOnce(made, (era) => keeperOf(era, slug), isolation === 'shared');
  if ('several' in opened) {
    const { bridgeSeveral } = await import('../../proxy/several/bridge-several.js');
    const each = (slug: string) => ({ ...options, forward: isForwarding(slug) ? FORWARDED : [] });
    return behind(bridgeSeveral(opened.several, isolation, each, front));
  }
  if ('open' in opened) {
    const given = { ...options, forward: isForwarding() ? FORWARDED : [] };
    return behind(bridgeTo(front(behindOne(opened.open, isolation, given))));
  }
  const { server: legacy, bare, modern, finish } = opened;
  const over = (openOne: () => Transport) => ({ ...behind(bridge(openOne, isolation, options)), legacy });
  if (modern === undefined) return over(() => inProcessTransport(bare));
  const { ofModule } = await import('./module-servers.js');
  const own = ofModule(modern);
  const made = over(own.open);
  const stream: ServersOfHosts['stream'] = async (context) => finish(await made.stream(context));
  return { ...made, modern: own.modern, stream };
}

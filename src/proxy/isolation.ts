import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { FetchOptions } from '../core/http/fetch-handler.js';
import { principalOf } from '../core/http/sessions.js';
import type { UpstreamServer } from '../core/http/upstream-server.js';
import type { Era } from '../core/wire/messages.js';
import type { Backends } from './backend.js';
import { BridgedServer } from './bridged-server.js';
import { ParkedCalls } from './eras/parked.js';
import { OneServer } from './one-server.js';
import type { Isolation, UpstreamOptions } from './options.js';
import { Upstream } from './upstream.js';
import { CallerHeaders, forwardTo } from './wires/caller-headers.js';

/** What an endpoint of SDK v2 knows of the request that it makes a server for. */
export interface ServerContext {
  readonly era: Era;
  readonly authInfo?: FetchOptions['authInfo'];
  readonly requestInfo?: Request | undefined;
}

/** Servers behind the endpoint, of which each request gets the one that it may use. */
export interface IsolatedUpstream {
  /** Makes the server of one HTTP request, which `createHandler` of `mcp-concerns/http` accepts as `server`. */
  server(request?: Request, given?: FetchOptions): UpstreamServer;
  /** Makes the server of one request of either era, which `createHandler` of `mcp-concerns/http/v2` accepts as `server`. */
  make(context: ServerContext): Promise<UpstreamServer>;
  close(): Promise<void>;
}

/**
 * Keeps clients of a server apart, as far as the isolation demands. Clients and the server can speak different versions of
 * the protocol.
 *
 * @param open makes a transport to a server of its own, not started
 * @param isolation who shares a server
 * @param options how long the server may take, which era is spoken to it, and who is told what happens to it
 * @returns the servers
 * @example
 * const upstream = isolateUpstream(() => new ChildTransport('node', ['server.js']), 'per-session');
 * const handler = createHandler({ policy, server: (context) => upstream.make(context) }); // mcp-concerns/http/v2
 */
export const isolateUpstream = (
  open: () => Transport,
  isolation: Isolation,
  options?: UpstreamOptions,
): IsolatedUpstream => bridge(open, isolation, options);

/**
 * Shares one connection to a server among all requests, as `isolateUpstream` does with `shared`.
 *
 * Use it for servers without state per client. Tasks belong to their makers, and are not offered to callers that have
 * neither a session nor a verified identity. Subscriptions, log levels, and requests of the server (sampling, roots,
 * elicitation) of legacy clients are rejected, because there is no way to tell which client they belong to.
 *
 * @param open makes a transport to the server, not started
 * @param options how long the server may take, which era is spoken to it, and who is told what happens to it
 * @returns the shared server
 * @example
 * const upstream = shareUpstream(() => new ChildTransport('npx', ['some-mcp-server']), { report: console.warn });
 * const handler = createHandler({ policy, server: (context) => upstream.make(context) }); // mcp-concerns/http/v2
 */
export const shareUpstream = (open: () => Transport, options?: UpstreamOptions): IsolatedUpstream =>
  bridge(open, 'shared', options);

/** Servers for clients of both eras, for a command that also knows sessions and single connections. */
export interface Bridge extends IsolatedUpstream, Pick<Backends, 'era' | 'decided' | 'isUp'> {
  /** Makes the server of a legacy client whose connection lasts between requests. */
  connection(): UpstreamServer;
}

/** Does the same as `isolateUpstream`. */
export const bridge = (open: () => Transport, isolation: Isolation, options?: UpstreamOptions): Bridge =>
  bridgeTo(behindOne(open, isolation, options));

/** Makes what answers clients from one server. */
export function behindOne(
  open: () => Transport,
  isolation: Isolation,
  options: UpstreamOptions = {},
): Backends {
  if ((options.forward ?? []).length > 0) return behindCallers(open, isolation, options);
  const upstream = new Upstream(open, isolation, options);
  const parked = new ParkedCalls(options.isLongLived === true);
  const anyone = options.isOfOnePerson === true ? '' : undefined;
  return {
    async era() {
      if ((await upstream.modern()) !== undefined) return 'modern';
      return upstream.eras.isSilent ? undefined : 'legacy';
    },
    decided: upstream.eras.decided,
    isUp: (signal) => upstream.isUp(signal),
    behind(client, port) {
      const known = { ...client, principal: client.principal ?? anyone };
      return new OneServer(upstream, parked, known, client.lasts && isolation === 'per-session', port);
    },
    async close() {
      parked.close();
      await upstream.close();
    },
  };
}

/**
 * Makes what answers clients from one server that gets the headers of each. No client shares a connection, a list or what is
 * known of the server with another one, and nobody asks the server anything without a client.
 */
function behindCallers(open: () => Transport, isolation: Isolation, options: UpstreamOptions): Backends {
  const ending = new Set<() => Promise<void>>();
  return {
    era: async () => undefined,
    decided: new Promise(() => undefined),
    isUp: async () => true,
    behind(client, port) {
      const { headers = new CallerHeaders() } = client;
      const report = port.report ?? options.report;
      const own = new Upstream(() => forwardTo(open(), headers), isolation, { ...options, report });
      const parked = new ParkedCalls(false);
      const end = async (): Promise<void> => {
        ending.delete(end);
        parked.close();
        await own.close();
      };
      ending.add(end);
      return new OneServer(own, parked, client, client.lasts && isolation === 'per-session', port, end);
    },
    async close() {
      await Promise.all([...ending].map((end) => end()));
    },
  };
}

/** Makes the servers that clients connect to. */
export function bridgeTo(backends: Backends): Bridge {
  const serve = (era: Era, authInfo: FetchOptions['authInfo'], session?: string | null): UpstreamServer => {
    const caller = principalOf(authInfo);
    const principal = caller === undefined ? undefined : JSON.stringify(caller);
    return new BridgedServer(backends, { era, lasts: false, principal, session: session ?? undefined });
  };
  const sessionOf = (request: Request | undefined) => request?.headers.get('mcp-session-id');
  return {
    ...backends,
    server: (request, given) => serve('legacy', given?.authInfo, sessionOf(request)),
    async make({ era, authInfo, requestInfo }) {
      return serve(era, authInfo, era === 'legacy' ? sessionOf(requestInfo) : undefined);
    },
    connection: () => new BridgedServer(backends, LASTING),
  };
}

const LASTING = { era: 'legacy', lasts: true, principal: undefined, session: undefined } as const;

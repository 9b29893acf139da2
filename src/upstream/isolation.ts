import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { FetchOptions } from '../http/fetch-handler.js';
import { principalOf } from '../http/sessions.js';
import { SlowReaders } from '../http/streams/slow-readers.js';
import { fromSdk, isRequest, isResponse, METHODS, read } from '../wire/messages.js';
import type { RecoveryOptions } from './recovering.js';
import { shareUpstream, type Upstream, type UpstreamServer } from './upstream.js';

/**
 * Who shares a server behind the endpoint:
 *
 * - `shared`: all clients share one. The fastest and smallest. The server must not keep anything of a client.
 * - `per-session`: one for each session and process of the endpoint. Costs the memory of a server per active session.
 * - `per-request`: one for each request. Costs a start of the server per request, and nothing is kept between requests.
 */
export const ISOLATIONS = ['shared', 'per-session', 'per-request'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** Servers of sessions that one process of the endpoint keeps. The least recently used one ends first. */
const MAX_SESSIONS = 16;

/** Servers behind the endpoint, of which each request gets the one that it may use. */
export interface IsolatedUpstream {
  /** Makes the server of one HTTP request, which `createHandler` and `createFunction` accept as `server`. */
  server(request?: Request, given?: FetchOptions): UpstreamServer;
  close(): Promise<void>;
}

/**
 * Keeps clients of a server apart, as far as the isolation demands.
 *
 * @param open opens a transport to a server of its own
 * @param isolation who shares a server
 * @param options how long a server may take, and who is told what happens to it
 * @returns the servers
 * @example
 * const upstream = isolateUpstream(() => new ChildTransport('node', ['server.js']), 'per-session');
 * export const handler = createFunction({ policy, server: (request, given) => upstream.server(request, given) });
 */
export function isolateUpstream(
  open: () => Transport,
  isolation: Isolation,
  options: RecoveryOptions = {},
): IsolatedUpstream {
  if (isolation === 'shared') return shareUpstream(open, options);
  const single = (): UpstreamServer => new SingleUseServer(() => shareUpstream(open, options));
  if (isolation === 'per-request') return { server: single, close: async () => undefined };
  // The order of insertion is the order of use.
  const sessions = new Map<string, Upstream>();
  return {
    server(request, given) {
      const id = request?.headers.get('mcp-session-id') ?? undefined;
      // Without a session, and for the request that begins one, nothing may be kept.
      if (id === undefined) return single();
      // The session id alone does not prove who sends it.
      const key = JSON.stringify([principalOf(given?.authInfo) ?? [], id]);
      const upstream = sessions.get(key) ?? shareUpstream(open, options);
      sessions.delete(key);
      sessions.set(key, upstream);
      const [oldest] = sessions;
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) {
        sessions.delete(oldest[0]);
        void oldest[1].close();
      }
      return upstream.server();
    },
    async close() {
      await Promise.all([...sessions.values()].map((upstream) => upstream.close()));
      sessions.clear();
    },
  };
}

/** Gives each request a server of its own, which ends after the answer. */
class SingleUseServer implements UpstreamServer {
  readonly readers = new SlowReaders({
    pause: () => {
      for (const upstream of this.upstreams.values()) upstream.server().readers.source?.pause();
    },
    resume: () => {
      for (const upstream of this.upstreams.values()) upstream.server().readers.source?.resume();
    },
  });
  private readonly upstreams = new Map<unknown, Upstream>();
  private client: Transport | undefined;

  constructor(private readonly open: () => Upstream) {}

  async connect(client: Transport): Promise<void> {
    this.client = client;
    client.onmessage = (received) => {
      const message = fromSdk(received);
      if (isRequest(message)) void this.forward(client, received, message.id);
      else if (!isResponse(message) && message.method === METHODS.cancelled) {
        this.end(read(message.params, 'requestId'));
      }
    };
    await client.start();
  }

  async close(): Promise<void> {
    for (const id of [...this.upstreams.keys()]) this.end(id);
    await this.client?.close();
  }

  private async forward(
    client: Transport,
    request: Parameters<Transport['send']>[0],
    id: string | number,
  ): Promise<void> {
    const upstream = this.open();
    this.upstreams.set(id, upstream);
    const transport: Transport = {
      start: async () => undefined,
      close: async () => undefined,
      send: async (message, options) => {
        if (isResponse(fromSdk(message))) this.end(id);
        await client.send(message, options);
      },
    };
    await upstream.server().connect(transport);
    transport.onmessage?.(request);
  }

  private end(id: unknown): void {
    void this.upstreams.get(id)?.close();
    this.upstreams.delete(id);
  }
}

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { ConnectionObserver, GateOptions } from '../../core/gate/edge/concerns-options.js';
import { gatedTransport } from '../../core/gate/edge/gated-transport.js';
import type { PrincipalPreferences } from '../../core/gate/request/kept-preferences.js';
import { type UpstreamServer, upstreamOf } from '../../core/http/upstream-server.js';
import { createMemoryStore } from '../../core/session/memory.js';
import type { SessionStore } from '../../core/session/store.js';
import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  LISTS,
  PROTOCOL_VERSION_META,
  read,
  toSdk,
} from '../../core/wire/messages.js';
import { HOST_PARAMETER, isHandle } from '../control/host-handle.js';

/** Hosts that the page shows. */
const MAX_HOSTS = 32;

/** Keeps what the people of hosts chose for as long as the process runs: a host that is forgotten is shown everything. */
export const createHostStore = (): SessionStore =>
  createMemoryStore({ expiresAfterSeconds: Number.POSITIVE_INFINITY });

/** How the switches of a host work. */
export interface ModernHostsOptions extends Pick<GateOptions, 'policy' | 'observe'> {
  /** Makes a server of the modern era. */
  readonly make: () => Promise<UpstreamServer>;
  /** Tells the streams of a host which lists look different. */
  readonly switched: (host: PrincipalPreferences) => void;
  /** What the handles in URLs were made with. */
  readonly key: string;
  /** A host without a request for so long is no longer shown. What its person chose stays. */
  readonly idleMs: number;
}

interface Host {
  readonly kept: PrincipalPreferences;
  readonly gone: NodeJS.Timeout;
  observer: ConnectionObserver | undefined;
}

/**
 * The hosts of 2026-07-28 that use an endpoint of one person. Their requests belong to no session, so what the person
 * switches is kept by the handle in the URL of the host, and a connection of the endpoint's own stands for the host on the page.
 */
export class ModernHosts {
  private readonly store = createHostStore();
  private readonly hosts = new Map<string, Host>();

  constructor(private readonly options: ModernHostsOptions) {}

  /**
   * Returns where the preferences of the host of a request are kept; `undefined` for a URL without a valid handle: what a host calls
   * itself says nothing of who it is (2026-07-28, basic, "clientInfo").
   */
  of(request: Request, body: unknown): PrincipalPreferences | undefined {
    const name = new URL(request.url).searchParams.get(HOST_PARAMETER);
    if (name === null || !isHandle(name, this.options.key)) return undefined;
    const info = read(body, 'params', '_meta', CLIENT_INFO_META);
    const host = this.hosts.get(name) ?? this.add(name, info);
    host.gone.refresh();
    if (read(body, 'method') === LISTS.tools.method) host.observer?.listed();
    return host.kept;
  }

  private add(name: string, info: unknown): Host {
    const kept = { place: 'store', store: this.store, id: name, isHost: true } as const;
    const [own, inner] = InMemoryTransport.createLinkedPair();
    const gone = setTimeout(() => {
      this.hosts.delete(name);
      void own.close();
    }, this.options.idleMs).unref();
    const host: Host = { kept, gone, observer: undefined };
    // More than that is more than anybody has: the page does not show them.
    if (this.hosts.size >= MAX_HOSTS) return host;
    this.hosts.set(name, host);
    this.represent(host, own, inner, info).catch(() => own.close());
    return host;
  }

  /** Lists once in the name of the host, so that there is something to show and to switch. */
  private async represent(
    host: Host,
    own: InMemoryTransport,
    inner: InMemoryTransport,
    info: unknown,
  ): Promise<void> {
    const { make, policy, observe, switched } = this.options;
    const server = await make();
    const gate = gatedTransport(inner, {
      policy,
      principal: host.kept,
      upstream: upstreamOf(server)?.behind,
      switched: () => switched(host.kept),
      observe: (initialized) => {
        host.observer = observe?.(initialized);
        return host.observer ?? { changed() {}, listed() {}, closed() {} };
      },
    });
    await server.connect(gate as never);
    await own.start();
    const _meta = {
      [PROTOCOL_VERSION_META]: '2026-07-28',
      [CLIENT_INFO_META]: info,
      [CLIENT_CAPABILITIES_META]: {},
    };
    await own.send(toSdk({ jsonrpc: '2.0', id: 0, method: LISTS.tools.method, params: { _meta } }));
  }
}

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { MAX_AGE_MS, SharedCatalog } from '../core/gate/request/catalog-cache.js';
import { SlowReaders } from '../core/http/streams/slow-readers.js';
import { beforeAbort } from '../core/session/before-abort.js';
import { CAPABILITIES, type Era, listChangedMethod } from '../core/wire/messages.js';
import { type ChannelOwner, ownCall, type Params, unaskable } from './call.js';
import type { Channel } from './channel.js';
import { LEGACY_VERSIONS, SELF } from './eras/envelope.js';
import { openLegacy, openModern, type Spare, TurnedModern } from './eras/era.js';
import { EraOfServer } from './eras/era-of-server.js';
import { Watched, type WatchedKind } from './eras/watched.js';
import type { Caller, ChangeListener, Link, LinkOwner } from './link.js';
import type { Isolation, UpstreamOptions } from './options.js';
import { Pool } from './pool.js';
import { Recovery, type RecoveryOwner } from './recovery.js';
import { EraUnavailable, InitializeRefused } from './upstream-error.js';
import { type Wire, wireOf } from './wires/wire.js';

const START_MS = 60_000;
const SILENCE_MS = 120_000;

const ownInitialize = (capabilities: Caller['asks']): Params => ({
  protocolVersion: LEGACY_VERSIONS[0],
  capabilities,
  clientInfo: SELF,
});

/** One server behind the endpoint: which era is spoken to it, and which connection a client may use. */
export class Upstream {
  readonly listeners: Set<ChangeListener> = new Set();
  /** Schemas of its tools, which say which arguments a server over HTTP wants as headers. */
  readonly tools: Map<string, unknown> = new Map();
  /** The one modern connection of everybody: the protocol has no state of a connection (basic/index). */
  private readonly modernLink: Link;
  readonly eras: EraOfServer = new EraOfServer();
  /** Whether the server is at a URL; `undefined` before it was opened. */
  private isRemote: boolean | undefined;
  private readonly pool = new Pool<Link>();
  /** How many clients watch each resource and each task, on connections that are not their own. */
  private readonly watching: { readonly [K in WatchedKind]: Map<string, number> } = {
    resourceSubscriptions: new Map(),
    taskIds: new Map(),
  };
  /** All connections that belong to this process, and not to one client. */
  private readonly shared = new Set<Recovery>();
  private readonly limits: { readonly startMs: number; readonly silenceMs: number };
  private isPaused = false;
  /** The responses to clients that share connections. */
  readonly readers: SlowReaders = new SlowReaders({ pause: (isPaused) => this.pause(isPaused) });

  constructor(
    private readonly openWire: () => Transport,
    private readonly isolation: Isolation,
    readonly options: UpstreamOptions,
  ) {
    const { startMs = START_MS, silenceMs = SILENCE_MS } = options;
    this.limits = { startMs, silenceMs };
    this.modernLink = this.link('modern', (owner) => this.openModern(owner));
  }

  /** A legacy client whose session is elsewhere: each of its requests may be the first that this process sees. */
  forLegacy(caller: Caller): Promise<Link> {
    return this.legacyFirst(() => this.pooled(caller));
  }

  /**
   * A legacy client with a connection of its own, which is initialized as the client did.
   *
   * @param left aborts when the client leaves: then nobody waits for a server that is still starting
   */
  forSession(initialize: Params, owner: LinkOwner, left: AbortSignal): Promise<Link> {
    return this.legacyFirst(() => {
      const link = this.legacyLink(initialize, owner);
      left.addEventListener('abort', () => void link.release(), { once: true });
      return link;
    });
  }

  /**
   * Watches resources or tasks for one client more, or one less, on every connection that clients share: the change may be
   * made by a client on any of them.
   */
  async watch(kind: WatchedKind, names: readonly string[], by: 1 | -1): Promise<void> {
    const counts = this.watching[kind];
    const changed = names.filter((name) => {
      const before = counts.get(name) ?? 0;
      if (before + by > 0) counts.set(name, before + by);
      else counts.delete(name);
      // A server tells the state of a task when a stream begins, also if others watch it already.
      return before === 0 || before + by === 0 || (kind === 'taskIds' && by === 1);
    });
    if (changed.length === 0) return;
    const modern = await this.modern();
    const links = modern === undefined ? this.pool.links : [modern];
    await Promise.all(links.map(({ watched }) => watched.change(changed, by === 1)));
  }

  /** Whether the server answers. The connection for this is kept, so that a check starts a process only once. */
  async isUp(signal: AbortSignal): Promise<boolean> {
    const ask = async (): Promise<boolean> => {
      const { recovery, release } = (await this.modern()) ?? this.pooled({ principal: 'health', asks: {} });
      const { method, params } = (await recovery.opened()).ping;
      const answer = await recovery.request({ ...ownCall(method, params), signal });
      await release();
      return 'result' in answer;
    };
    return beforeAbort(ask(), signal).catch(() => false);
  }

  /** Whether it is certain that the server cannot refuse a caller with a status of HTTP. */
  get isLocal(): boolean {
    return this.isRemote === false;
  }

  private pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    for (const recovery of this.shared) recovery.pause(isPaused);
  }

  async close(): Promise<void> {
    this.modernLink.watched.close();
    void this.pool.clear();
    await Promise.all([this.eras.close(), ...[...this.shared].map((recovery) => recovery.close())]);
  }

  private open(): Wire {
    const wire = wireOf(this.openWire());
    this.isRemote = wire.modern !== undefined;
    return wire;
  }

  /** The legacy side as always. Only if the server refuses it, or cannot do much there, its modern side. */
  private async legacyFirst(make: () => Link): Promise<Link> {
    if (this.eras.refuses('legacy') || this.options.protocol === '2026-07-28') {
      const modern = await this.modern();
      if (modern !== undefined) return modern;
    }
    const link = make();
    try {
      const { wire } = await link.recovery.opened();
      // Over HTTP without a session a server cannot ask, announce changes or be cancelled.
      if (wire.modern === undefined || wire.sessionId !== undefined) return link;
      const modern = await this.modern().catch(() => undefined);
      if (modern === undefined) return link;
      await link.release();
      return modern;
    } catch (cause) {
      await link.release();
      if (!(cause instanceof InitializeRefused)) throw cause;
      const modern = await this.modern();
      if (modern === undefined) {
        const { name = 'upstream', report } = this.options;
        report?.({ upstream: name, state: 'failed', reason: cause.message, restarts: 0 });
        throw cause;
      }
      this.eras.learn('legacy', 'refuses');
      return modern;
    }
  }

  /** Returns the modern connection; `undefined` if the server speaks only the legacy era. */
  async modern(): Promise<Link | undefined> {
    const { protocol } = this.options;
    if (this.eras.refuses('modern') || protocol === '2025-11-25') return undefined;
    try {
      await this.modernLink.recovery.opened();
      return this.modernLink;
    } catch (cause) {
      // Any other failure tells nothing, so the next request asks again.
      if (!(cause instanceof EraUnavailable) || protocol === '2026-07-28') throw cause;
      this.eras.learn('modern', 'refuses');
      return undefined;
    }
  }

  private async openModern(owner: ChannelOwner): Promise<Channel> {
    const turned = this.eras.takeTurned();
    if (turned !== undefined) {
      turned.owner = owner;
      return turned;
    }
    const wire = this.open();
    const isProcess = wire.modern === undefined;
    let isKept = false;
    const keep = (spare: Spare): void => {
      isKept = true;
      this.eras.keep(spare);
    };
    try {
      const channel = await openModern(wire.modern?.() ?? wire, owner, this.limits, isProcess, keep);
      this.eras.learn('modern', 'speaks');
      return channel;
    } catch (cause) {
      if (!(cause instanceof EraUnavailable)) throw cause;
      this.eras.learn('legacy', 'may-speak');
      // Some legacy servers end when they are asked, and so does one that cannot start.
      if (isProcess && !isKept) {
        const link = this.legacyLink(ownInitialize({}));
        await link.recovery.opened().finally(() => link.release());
      }
      throw cause;
    }
  }

  /** A connection that is not initialized by a client: which one, the isolation decides. */
  pooled(caller: Caller): Link {
    const make = (): Link => this.legacyLink(ownInitialize(caller.asks));
    const key = this.keyOf(caller);
    return key === undefined ? make() : this.pool.use(key, make);
  }

  /** Returns the lists that the connection of a modern caller keeps, if it has one to a legacy server. */
  listsFor(caller: Caller): SharedCatalog | undefined {
    const key =
      this.eras.refuses('modern') && this.options.isLongLived === true ? this.keyOf(caller) : undefined;
    return key === undefined ? undefined : this.pool.peek(key)?.lists;
  }

  /** Returns who shares a connection; `undefined` if nobody does. */
  private keyOf({ principal, session, asks }: Caller): string | undefined {
    if (this.isolation === 'shared') return JSON.stringify(['', asks]);
    const who = session === undefined ? principal : JSON.stringify([principal ?? [], session]);
    return this.isolation === 'per-request' || who === undefined ? undefined : JSON.stringify([who, asks]);
  }

  /** @param owner the only client of the connection; without it, the connection belongs to this process */
  private legacyLink(initialize: Params, owner?: LinkOwner): Link {
    const open = async (given: ChannelOwner): Promise<Channel> => {
      const wire = this.eras.takeSpare() ?? this.open();
      const isProcess = 'late' in wire || wire.modern === undefined;
      const mayTurn = isProcess && this.eras.canTurn && this.options.protocol !== '2025-11-25';
      const isAnnounced = owner?.isAnnounced() ?? true;
      try {
        const channel = await openLegacy(wire, given, this.limits, initialize, isAnnounced, mayTurn);
        this.eras.learn('legacy', 'speaks');
        return channel;
      } catch (cause) {
        if (cause instanceof TurnedModern) {
          if ('late' in wire || this.eras.canTurn) this.eras.turn(cause.channel);
          else void cause.channel.close();
        }
        if (cause instanceof InitializeRefused) {
          // What is remembered is not true, or not any more.
          void this.pool.clear();
          this.eras.learn('modern', 'may-speak');
        }
        throw cause;
      }
    };
    return this.link('legacy', open, owner);
  }

  private link(era: Era, open: (owner: ChannelOwner) => Promise<Channel>, owner?: LinkOwner): Link {
    const lists = new SharedCatalog(MAX_AGE_MS);
    const told: RecoveryOwner = {
      ask: unaskable,
      notified: (method, params) => {
        const changed = CAPABILITIES.find((each) => method === listChangedMethod(each));
        if (changed !== undefined) lists.drop(changed);
        for (const listener of this.listeners) listener(method, params, recovery);
      },
      ...owner,
      // Nobody hears of changes where every process serves few requests, so there is no stream then.
      opened: (channel) => {
        for (const each of CAPABILITIES) lists.drop(each);
        if (this.options.isLongLived === true) void watched.reopened(channel);
      },
    };
    const report = owner?.report ?? this.options.report;
    const recovery: Recovery = new Recovery(open, { ...this.options, report }, told);
    // Nobody else changes something on a connection of one client, which subscribes by itself.
    const watched = new Watched(recovery, era === 'modern', (kind) =>
      owner === undefined ? [...this.watching[kind].keys()] : [],
    );
    if (owner === undefined) this.shared.add(recovery);
    if (this.isPaused && owner === undefined) recovery.pause(true);
    const close = (): Promise<void> => {
      this.shared.delete(recovery);
      return recovery.close();
    };
    return { era, recovery, watched, lists, release: era === 'modern' ? KEEP : close };
  }
}

/** Leaves open what others use too. */
const KEEP = async (): Promise<void> => undefined;

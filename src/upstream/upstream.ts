import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { MAX_AGE_MS, SharedCatalog } from '../gate/request/catalog-cache.js';
import { SlowReaders } from '../http/streams/slow-readers.js';
import { beforeAbort } from '../session/before-abort.js';
import { CAPABILITIES, type Era, listChangedMethod, METHODS } from '../wire/messages.js';
import { type ChannelOwner, ownCall, type Params, unaskable } from './call.js';
import type { Channel } from './channel.js';
import { LEGACY_VERSIONS, SELF, wrapParams } from './eras/envelope.js';
import { NOBODY, openLegacy, probe } from './eras/era.js';
import { Watched, type WatchedKind } from './eras/watched.js';
import type { Caller, ChangeListener, Link, LinkOwner } from './link.js';
import type { Isolation, UpstreamOptions } from './options.js';
import { Pool } from './pool.js';
import { type Opened, Recovery, type RecoveryOwner, reasonOf } from './recovery.js';
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
  readonly listeners = new Set<ChangeListener>();
  /** Schemas of its tools, which say which arguments a server over HTTP wants as headers. */
  readonly tools = new Map<string, unknown>();
  private modernLink: Promise<Link | undefined> | undefined;
  private refusesLegacy = false;
  private refusesModern = false;
  /** Whether the server is at a URL; `undefined` before it was opened. */
  private isRemote: boolean | undefined;
  /** The connections of an era that the server does not speak any more. */
  private readonly outdated = new WeakSet<Recovery>();
  /** A process that refused `server/discover`, and can still be initialized. */
  private spare: Channel | undefined;
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
  readonly readers = new SlowReaders({ pause: () => this.pause(true), resume: () => this.pause(false) });

  constructor(
    private readonly openWire: () => Transport,
    private readonly isolation: Isolation,
    readonly options: UpstreamOptions,
  ) {
    const { startMs = START_MS, silenceMs = SILENCE_MS } = options;
    this.limits = { startMs, silenceMs };
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
      const modern = await this.modern();
      const link = modern ?? this.pooled({ principal: 'health', asks: {} });
      const ping =
        modern === undefined
          ? ownCall('ping', undefined)
          : ownCall(METHODS.discover, wrapParams(undefined, NOBODY));
      const answer = await link.recovery.request({ ...ping, signal });
      await link.release();
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
    for (const recovery of this.shared) recovery[isPaused ? 'pause' : 'resume']();
  }

  /**
   * Asks a server again that refused what it should accept: a server at a URL may have been replaced by one of the other era.
   * One that is a process is asked whenever it is opened.
   *
   * @returns whether the connection is of no use any more, so that the request must be sent on another one
   */
  async isOutdated(recovery: Recovery): Promise<boolean> {
    if (this.isRemote && !this.outdated.has(recovery)) await recovery.check();
    return this.outdated.has(recovery);
  }

  /** Must be called when the server has refused the era of a connection: what is remembered is not true, or not any more. */
  private forget(era: Era, recovery: Recovery): void {
    if (this.outdated.has(recovery)) return;
    this.outdated.add(recovery);
    if (era === 'legacy') void this.pool.clear();
    if (era === 'legacy' && !this.refusesModern) return;
    this.modernLink = undefined;
    this.refusesModern = false;
    this.refusesLegacy = false;
  }

  async close(): Promise<void> {
    (await this.modernLink?.catch(() => undefined))?.watched.close();
    const [shared, spare] = [[...this.shared], this.spare];
    void this.pool.clear();
    this.shared.clear();
    this.modernLink = undefined;
    this.spare = undefined;
    await Promise.all([spare?.close(), ...shared.map((recovery) => recovery.close())]);
  }

  private open(): Wire {
    const wire = wireOf(this.openWire());
    this.isRemote = wire.modern !== undefined;
    return wire;
  }

  /** The legacy side as always. Only if the server refuses it, or cannot do much there, its modern side. */
  private async legacyFirst(make: () => Link): Promise<Link> {
    if (this.refusesLegacy || this.options.protocol === '2026-07-28') return this.required(this.modern());
    const link = make();
    try {
      const { channel } = await link.recovery.opened();
      // Over HTTP without a session a server cannot ask, announce changes or be cancelled.
      const { wire } = channel;
      if (wire.modern === undefined || wire.sessionId !== undefined) return link;
      const modern = await this.modern().catch(() => undefined);
      if (modern === undefined) return link;
      await link.release();
      return modern;
    } catch (cause) {
      await link.release();
      if (!(cause instanceof InitializeRefused)) throw cause;
      const modern = await this.modern();
      if (modern === undefined) return this.fail(cause);
      this.refusesLegacy = true;
      return modern;
    }
  }

  private async required(link: Promise<Link | undefined>): Promise<Link> {
    const found = await link;
    if (found !== undefined) return found;
    this.refusesLegacy = false;
    throw new EraUnavailable('it does not speak 2026-07-28');
  }

  private fail(cause: unknown): never {
    const { name = 'upstream', report } = this.options;
    report?.({ upstream: name, state: 'failed', reason: reasonOf(cause), restarts: 0 });
    throw cause;
  }

  /**
   * The one modern connection of everybody: the protocol has no state of a connection (basic/index). `undefined` if the
   * server speaks only the legacy era.
   */
  modern(): Promise<Link | undefined> {
    if (this.options.protocol === '2025-11-25') return Promise.resolve(undefined);
    this.modernLink ??= this.openModern().catch((cause) => {
      // A failure tells nothing, so the next request asks again.
      this.modernLink = undefined;
      throw cause;
    });
    return this.modernLink;
  }

  private async openModern(): Promise<Link | undefined> {
    const first = this.open();
    const ask = (wire: Wire, owner: ChannelOwner) =>
      probe(wire.modern?.() ?? wire, owner, this.limits, this.isRemote !== true);
    const found = await ask(first, this.nobody()).catch((cause) => this.fail(cause));
    if (found.era === 'legacy') {
      this.spare = found.spare;
      if (this.options.protocol === '2026-07-28') throw new EraUnavailable('it does not speak 2026-07-28');
      // Some legacy servers end when they are asked, and so does one that cannot start.
      if (found.spare === undefined && this.isRemote !== true) await this.tryLegacy();
      this.refusesModern = true;
      return undefined;
    }
    const again = async (owner: ChannelOwner): Promise<Opened> => {
      const next = await ask(this.open(), owner);
      if (next.era === 'modern') return next.opened;
      this.spare = next.spare;
      link.watched.close();
      this.forget('modern', link.recovery);
      throw new EraUnavailable('it does not speak 2026-07-28 any more');
    };
    const link: Link = this.link('modern', again, { first: found.opened });
    await link.recovery.opened();
    return link;
  }

  /** @throws {UpstreamError} if the server cannot be initialized */
  private async tryLegacy(): Promise<void> {
    const link = this.legacyLink(ownInitialize({}));
    await link.recovery.opened().finally(() => link.release());
  }

  /** A connection that is not initialized by a client: which one, the isolation decides. */
  pooled(caller: Caller): Link {
    const make = (): Link => this.legacyLink(ownInitialize(caller.asks));
    const key = this.keyOf(caller);
    return key === undefined ? make() : this.pool.use(key, make);
  }

  /** Returns the lists that the connection of a modern caller keeps, if it has one to a legacy server. */
  listsFor(caller: Caller): SharedCatalog | undefined {
    const key = this.refusesModern && this.options.isLongLived === true ? this.keyOf(caller) : undefined;
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
    let isAnnounced = owner === undefined;
    const open = (given: ChannelOwner): Promise<Opened> => {
      const wire = this.spare ?? this.open();
      this.spare = undefined;
      return openLegacy(wire, given, this.limits, initialize, isAnnounced).catch((cause) => {
        if (cause instanceof InitializeRefused) this.forget('legacy', link.recovery);
        throw cause;
      });
    };
    const announce = (): void => {
      isAnnounced = true;
      link.recovery.pass(METHODS.initialized, undefined);
    };
    const link: Link = this.link('legacy', open, { owner, announce });
    return link;
  }

  private link(
    era: Era,
    open: (owner: ChannelOwner) => Promise<Opened>,
    given: {
      readonly owner?: LinkOwner | undefined;
      readonly first?: Opened;
      readonly announce?: () => void;
    },
  ): Link {
    const { owner, announce = () => undefined } = given;
    // Nobody else changes something on a connection of one client, which subscribes by itself.
    const watched: Watched = new Watched(
      () => recovery,
      era === 'modern',
      (kind) => (owner === undefined ? [...this.watching[kind].keys()] : []),
    );
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
      opened: (opened) => {
        for (const each of CAPABILITIES) lists.drop(each);
        if (this.options.isLongLived === true) void watched.reopened(opened);
      },
    };
    const report = owner?.report ?? this.options.report;
    const recovery: Recovery = new Recovery(open, { ...this.options, report }, told, given.first);
    if (owner === undefined) this.shared.add(recovery);
    if (this.isPaused && owner === undefined) recovery.pause();
    const close = (): Promise<void> => {
      this.shared.delete(recovery);
      return recovery.close();
    };
    return { era, recovery, watched, lists, release: era === 'modern' ? KEEP : close, announce };
  }

  private nobody(): ChannelOwner {
    const { name = 'upstream', report } = this.options;
    return {
      signal: new AbortController().signal,
      ask: unaskable,
      notified: () => undefined,
      lost: () => undefined,
      stderr: (stderr) => report?.({ upstream: name, stderr }),
    };
  }
}

/** Leaves open what others use too. */
const KEEP = async (): Promise<void> => undefined;

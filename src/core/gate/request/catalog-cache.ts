import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { serversIn } from '../../engine/servers/outside-names.js';
import { getOrMake, once } from '../../once.js';
import { type Capability, type Failure, LISTS, read } from '../../wire/messages.js';
import type { AskServer, WalkEnd } from '../../wire/page-walker.js';
import { readPages } from './read-pages.js';
import { type Lists, type WholeList, wholeListOf } from './whole-list.js';

/** A list that exceeds a bound is not cached. It is filtered page by page, as the server sends it. */
const BOUNDS = { items: 50_000, pages: 100, milliseconds: 60_000 };

/** After so many attempts, a list that changes whenever it is fetched is used for the request, and not cached. */
const MAX_ATTEMPTS = 3;

/** A server may change a list without an announcement, so a list older than this is fetched again when it is next used. */
export const MAX_AGE_MS = 60_000;

/**
 * A host that asks for a list gets one that is not older than this, and a name that is not in a list is looked for again in one
 * that is not older than the second: servers change lists without a word. An empty list is not kept for a host, because a server
 * may still start.
 */
export const FRESH: Readonly<Record<'listMs' | 'nameMs' | 'heldMs', number>> = {
  listMs: 5000,
  nameMs: 1000,
  /** Whatever is held, also an empty list: for what a server tells by itself. */
  heldMs: Number.MAX_SAFE_INTEGER,
};
const EMPTY_MS = 0;

/** The result of fetching a whole list: the list, the server's error, or that the list exceeds a bound. */
type PageOutcome<List> =
  | { readonly state: 'complete'; readonly list: List }
  | { readonly state: 'failed'; readonly error: Failure['error'] }
  | { readonly state: 'unbounded' };

/** The result of fetching a whole list, bound to the policy of the request that needs it. */
export type ListOutcome = PageOutcome<WholeList>;

/**
 * The catalog of one server instance. Each list is fetched once, because an SDK server converts every schema again for
 * each list request. Lists are dropped when the server announces that they changed. They are kept as the server sent them, and bound to the policy of each request, which may have been replaced since.
 */
export class CatalogCache {
  private readonly kept: SharedCatalog;
  private readonly unbounded = new Set<Kind>();
  /** The lists of which a search through all pages once failed to reach the end. */
  readonly endless: Set<Kind> = new Set();
  private readonly waiting = new Map<Kind, ((outcome: PageOutcome<CachedList>) => void)[]>();
  /** When each list was last fetched, or when that was last tried. Empty if the operator promises that lists do not change. */
  private readonly fetchedAt = new Map<Kind, number>();

  /**
   * @param shared the catalog to use instead of one for this server instance only
   * @param servers the names of several servers; none for a single one
   */
  constructor(
    private readonly shared: SharedCatalog | undefined,
    readonly servers: ReadonlySet<string>,
  ) {
    this.kept = shared ?? new SharedCatalog(undefined, true);
  }

  /** Returns the cached lists, bound to a policy. */
  held(policy: Policy): Lists {
    const lists = [...this.kept.lists].map(([kind, list]) => [kind, list.boundTo(policy).bound]);
    return { ...Object.fromEntries(lists), servers: this.servers };
  }

  /** Drops the lists of a capability, because the server announced that they changed. */
  drop(capability: Capability): void {
    this.kept.drop(capability);
    for (const kind of KINDS) {
      if (LISTS[kind].capability !== capability) continue;
      this.unbounded.delete(kind);
      this.endless.delete(kind);
    }
  }

  /**
   * Gets a whole list, immediately if it is cached. Concurrent calls share one walk through the server's pages.
   *
   * @param kind which list
   * @param policy the policy of the request that needs the list
   * @param ask sends a request to the server
   * @param then called once, with the list or the reason why there is none
   * @param freshMs the age of the oldest list that will do. An older one is fetched again, unless it cannot change.
   */
  get(
    kind: Kind,
    policy: Policy,
    ask: AskServer,
    then: (outcome: ListOutcome) => void,
    freshMs: number = Number.POSITIVE_INFINITY,
  ): void {
    const cached = this.kept.get(kind, freshMs);
    if (cached !== undefined) {
      then({ state: 'complete', list: cached.boundTo(policy) });
      return this.refresh(kind, ask);
    }
    if (this.unbounded.has(kind)) return then({ state: 'unbounded' });
    const bind = (outcome: PageOutcome<CachedList>): void =>
      then(outcome.state === 'complete' ? { ...outcome, list: outcome.list.boundTo(policy) } : outcome);
    const waiting = this.waiting.get(kind);
    if (waiting !== undefined) {
      waiting.push(bind);
      return;
    }
    this.waiting.set(kind, [bind]);
    this.walk(kind, ask);
  }

  /** Fetches a list again in the background. The old one is used until the new one is complete. */
  private refresh(kind: Kind, ask: AskServer): void {
    const fetchedAt = this.fetchedAt.get(kind);
    if (fetchedAt === undefined || Date.now() - fetchedAt < MAX_AGE_MS || this.waiting.has(kind)) return;
    this.fetchedAt.set(kind, Date.now());
    this.waiting.set(kind, []);
    this.walk(kind, ask);
  }

  private walk(kind: Kind, ask: AskServer, attempt = 1): void {
    const { method, capability } = LISTS[kind];
    const version = this.kept.versionOf(capability);
    const isCurrent = (): boolean => version === this.kept.versionOf(capability);
    readPages(ask, { method, field: kind, bounds: BOUNDS }, ({ pages, end }) => {
      const outcome = outcomeOf(end, () => new CachedList(kind, pages, this.servers));
      // Pages from before and after a change do not belong together.
      if (!isCurrent() && attempt < MAX_ATTEMPTS) return this.walk(kind, ask, attempt + 1);
      const waiting = this.waiting.get(kind) ?? [];
      this.waiting.delete(kind);
      if (isCurrent()) {
        if (outcome.state === 'complete') {
          this.kept.set(kind, outcome.list);
          if (this.shared === undefined) this.fetchedAt.set(kind, Date.now());
        }
        // A slow walk says nothing about the next one: this process may have been suspended.
        if (outcome.state === 'unbounded' && end.kind !== 'too-slow') {
          this.kept.lists.delete(kind);
          this.unbounded.add(kind);
        }
      }
      for (const then of waiting) then(outcome);
    });
  }
}

/** Returns what became of a whole list when the walk through its pages ended. */
export function outcomeOf<List>(end: WalkEnd<Failure['error']>, listOf: () => List): PageOutcome<List> {
  if (end.kind === 'complete') return { state: 'complete', list: listOf() };
  return end.kind === 'failed' ? { state: 'failed', error: end.error } : { state: 'unbounded' };
}

/** A list as the server sent it, bound to each policy that requests use. */
export class CachedList {
  // Weak: while a policy is being replaced, requests that began before still use the old one.
  private readonly bound = new WeakMap<Policy, WholeList>();

  constructor(
    private readonly kind: Kind,
    readonly pages: readonly Record<string, unknown>[],
    private readonly servers: ReadonlySet<string>,
  ) {}

  readonly isEmpty: () => boolean = once(() =>
    this.pages.every((page) => {
      // Its result can be anything, also `null`.
      const items = read(page, this.kind);
      return !Array.isArray(items) || items.length === 0;
    }),
  );

  boundTo(policy: Policy): WholeList {
    return getOrMake(this.bound, policy, () => wholeListOf(policy, this.kind, this.pages, this.servers));
  }
}

/**
 * A catalog that outlives server instances. By sharing it, the operator promises that the server's lists do not depend
 * on the request. Then each list is fetched once, and list requests can be answered without building a server. A
 * connection to a server that several requests use has one too.
 */
export class SharedCatalog {
  readonly lists: Map<Kind, CachedList> = new Map();
  private readonly versions = new Map<Capability, number>();
  private readonly until = new Map<Kind, number>();
  private readonly since = new Map<Kind, number>();

  /**
   * @param maxAgeMs how long a list is kept that may change without an announcement
   * @param canChange whether lists can change at all
   */
  constructor(
    private readonly maxAgeMs?: number,
    private readonly canChange: boolean = maxAgeMs !== undefined,
  ) {}

  get(kind: Kind, freshMs: number = Number.POSITIVE_INFINITY): CachedList | undefined {
    if (this.maxAgeMs !== undefined && Date.now() > (this.until.get(kind) ?? 0)) this.lists.delete(kind);
    const list = this.lists.get(kind);
    // What an operator put here cannot change, and has no time. An empty list may be that of a server that is still starting.
    const since = Date.now() - (this.since.get(kind) ?? Number.POSITIVE_INFINITY);
    const emptyMs = freshMs === FRESH.listMs ? EMPTY_MS : FRESH.nameMs;
    const isShort = list?.isEmpty() === true && freshMs !== FRESH.heldMs;
    const isOld = since > (isShort ? Math.min(freshMs, emptyMs) : freshMs);
    return isOld ? undefined : list;
  }

  set(kind: Kind, list: CachedList): void {
    this.lists.set(kind, list);
    if (this.canChange) this.since.set(kind, Date.now());
    if (this.maxAgeMs === undefined) return;
    this.until.set(kind, Date.now() + this.maxAgeMs);
  }

  /** How many changes of the lists of a capability were announced. */
  versionOf(capability: Capability): number {
    return this.versions.get(capability) ?? 0;
  }

  /** Forgets the lists of a capability, because the server announced that they changed. */
  drop(capability: Capability): void {
    this.versions.set(capability, this.versionOf(capability) + 1);
    for (const kind of KINDS) if (LISTS[kind].capability === capability) this.lists.delete(kind);
  }

  /** Returns the server's own result for a list request, if that page is cached. */
  page(kind: Kind, cursor: unknown): Record<string, unknown> | undefined {
    const pages = this.lists.get(kind)?.pages ?? [];
    if (cursor === undefined) return pages[0];
    const before = pages.findIndex((page) => read(page, 'nextCursor') === cursor);
    return before === -1 ? undefined : pages[before + 1];
  }

  /** Adds a list from a snapshot file, as one page, and binds it to the policy before the first request. */
  put(policy: Policy, kind: Kind, items: readonly object[]): void {
    const list = new CachedList(kind, [{ [kind]: items }], serversIn(items));
    list.boundTo(policy);
    this.lists.set(kind, list);
  }
}

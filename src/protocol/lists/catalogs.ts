import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import type { AskServer } from '../messages/pending-requests.js';
import { type Answer, type Capability, type Failure, LISTS, read } from '../messages/wire.js';
import type { LivePolicy } from '../request/live-policy.js';
import { catalogOf, itemsOf, type ListCatalog } from './filter-list.js';

/** Beyond this a list is not held: it is filtered page by page, as the server gives it. */
const BOUND = { items: 50_000, pages: 100 };

/** A list that changes whenever it is taken is good enough for now after so many times, and is not held. */
const MAX_WALKS = 3;

/** What came of asking the server for its whole list. */
export type CatalogOutcome =
  | { readonly state: 'complete'; readonly catalog: ListCatalog }
  | { readonly state: 'failed'; readonly error: Failure['error'] }
  | { readonly state: 'unbounded' };

/** A list as the server gave it, and as the policy in force sees it. */
interface HeldList {
  readonly pages: readonly Record<string, unknown>[];
  readonly catalog: ListCatalog;
}

/**
 * Lists that outlive server instances. Sharing them is the operator's promise that the server's lists depend on no
 * request: then a list is taken once for all, and can be answered without building the server.
 */
export class SharedLists {
  readonly held = new Map<Kind, HeldList>();

  /** @returns the server's own answer to a list request, if that page is held */
  page(kind: Kind, cursor: unknown): Record<string, unknown> | undefined {
    const pages = this.held.get(kind)?.pages ?? [];
    if (cursor === undefined) return pages[0];
    const before = pages.findIndex((page) => page.nextCursor === cursor);
    return before === -1 ? undefined : pages[before + 1];
  }

  /** Takes a list that was written down earlier, as one page. */
  put(policy: Policy, kind: Kind, items: readonly object[]): void {
    const pages = [{ [kind]: items }];
    this.held.set(kind, { pages, catalog: catalogOf(policy, kind, pages) });
  }
}

/**
 * The lists of one server instance, taken once: an SDK server converts every schema anew on every list. They are
 * dropped when the server says that a list changed.
 */
export class Catalogs {
  private readonly held: Map<Kind, HeldList>;
  private readonly unbounded = new Set<Kind>();
  private readonly endless = new Set<Kind>();
  private readonly walks = new Map<Kind, ((outcome: CatalogOutcome) => void)[]>();
  private version = 0;

  constructor(
    private readonly live: LivePolicy,
    shared?: SharedLists,
  ) {
    this.held = shared?.held ?? new Map();
  }

  /** Whether a list is filtered page by page. */
  isUnbounded(kind: Kind): boolean {
    return this.unbounded.has(kind);
  }

  /** Whether a list was not even searched to its end. */
  isEndless(kind: Kind): boolean {
    return this.endless.has(kind);
  }

  setEndless(kind: Kind): void {
    this.endless.add(kind);
  }

  /** The lists that were taken, bound to the policy in force. */
  taken(policy = this.live.current): ReadonlyMap<Kind, ListCatalog> {
    return new Map([...this.held].map(([kind, list]) => [kind, this.bind(kind, list, policy)]));
  }

  /** Forgets the lists of a capability: the server said that they changed. */
  drop(capability: Capability): void {
    this.version++;
    for (const kind of KINDS) {
      if (LISTS[kind].capability !== capability) continue;
      this.held.delete(kind);
      this.unbounded.delete(kind);
      this.endless.delete(kind);
    }
  }

  /**
   * Gives a list, at once if it is held. Several that ask at the same time share one walk through the server's pages.
   *
   * @param kind which list
   * @param ask sends a request to the server
   * @param then gets the outcome
   */
  get(kind: Kind, ask: AskServer, then: (outcome: CatalogOutcome) => void): void {
    const held = this.held.get(kind);
    if (held !== undefined) {
      return then({ state: 'complete', catalog: this.bind(kind, held, this.live.current) });
    }
    if (this.unbounded.has(kind)) return then({ state: 'unbounded' });
    const walking = this.walks.get(kind);
    if (walking !== undefined) {
      walking.push(then);
      return;
    }
    this.walks.set(kind, [then]);
    this.walk(kind, ask);
  }

  private bind(kind: Kind, list: HeldList, policy: Policy): ListCatalog {
    if (list.catalog.bound.policy === policy) return list.catalog;
    const catalog = catalogOf(policy, kind, list.pages);
    if (policy === this.live.current) this.held.set(kind, { pages: list.pages, catalog });
    return catalog;
  }

  private walk(kind: Kind, ask: AskServer, attempt = 1): void {
    const pages: Record<string, unknown>[] = [];
    const version = this.version;
    let items = 0;
    const finish = (outcome: CatalogOutcome): void => {
      // Pages of a list that changed meanwhile do not belong together.
      if (version !== this.version && attempt < MAX_WALKS) return this.walk(kind, ask, attempt + 1);
      const waiting = this.walks.get(kind) ?? [];
      this.walks.delete(kind);
      if (version === this.version) {
        if (outcome.state === 'complete') this.held.set(kind, { pages, catalog: outcome.catalog });
        if (outcome.state === 'unbounded') this.unbounded.add(kind);
      }
      for (const then of waiting) then(outcome);
    };
    const onPage = (response: Answer | Failure): void => {
      if ('error' in response) return finish({ state: 'failed', error: response.error });
      pages.push(response.result);
      items += itemsOf(kind, response.result)?.length ?? 0;
      const cursor = read(response.result, 'nextCursor');
      if (typeof cursor !== 'string') {
        return finish({ state: 'complete', catalog: catalogOf(this.live.current, kind, pages) });
      }
      if (pages.length >= BOUND.pages || items > BOUND.items) return finish({ state: 'unbounded' });
      ask(LISTS[kind].method, { cursor }, onPage);
    };
    ask(LISTS[kind].method, {}, onPage);
  }
}

import type { Kind, Policy } from '../../engine/policy.js';
import { type Bind, type WholeList, wholeListOf } from './whole-list.js';

/** While a policy is being replaced, requests that began before still use the old one. */
const MAX_BOUND = 2;

/** A list as the server sent it, bound to each policy that requests use. */
export class CachedList {
  private readonly bound = new Map<Policy, WholeList>();

  constructor(
    private readonly kind: Kind,
    readonly pages: readonly Record<string, unknown>[],
    private readonly bind?: Bind,
  ) {}

  /** Returns the list bound to a policy. The policies that were bound last are remembered. */
  boundTo(policy: Policy): WholeList {
    const known = this.bound.get(policy);
    if (known !== undefined) return known;
    const list = wholeListOf(policy, this.kind, this.pages, this.bind);
    for (const oldest of this.bound.keys()) {
      if (this.bound.size < MAX_BOUND) break;
      this.bound.delete(oldest);
    }
    this.bound.set(policy, list);
    return list;
  }
}

/**
 * A catalog that outlives server instances. By sharing it, the operator promises that the server's lists do not depend
 * on the request. Then each list is fetched once, and list requests can be answered without building a server.
 */
export class SharedCatalog {
  readonly lists = new Map<Kind, CachedList>();

  /** Returns the server's own result for a list request, if that page is cached. */
  page(kind: Kind, cursor: unknown): Record<string, unknown> | undefined {
    const pages = this.lists.get(kind)?.pages ?? [];
    if (cursor === undefined) return pages[0];
    const before = pages.findIndex((page) => page.nextCursor === cursor);
    return before === -1 ? undefined : pages[before + 1];
  }

  /** Adds a list from a snapshot file, as one page, and binds it to the policy before the first request. */
  put(policy: Policy, kind: Kind, items: readonly object[]): void {
    const list = new CachedList(kind, [{ [kind]: items }]);
    list.boundTo(policy);
    this.lists.set(kind, list);
  }
}

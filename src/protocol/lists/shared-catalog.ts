import type { Kind, Policy } from '../../engine/policy.js';
import { type WholeList, wholeListOf } from './filter-list.js';

/** A list as the server sent it, and bound to a policy. */
export interface CachedList {
  readonly pages: readonly Record<string, unknown>[];
  readonly list: WholeList;
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

  /** Adds a list from a snapshot file, as one page. */
  put(policy: Policy, kind: Kind, items: readonly object[]): void {
    const pages = [{ [kind]: items }];
    this.lists.set(kind, { pages, list: wholeListOf(policy, kind, pages) });
  }
}

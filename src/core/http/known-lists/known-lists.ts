import { KINDS, type Policy } from '../../engine/policy.js';
import { SharedCatalog } from '../../gate/request/catalog-cache.js';
import { type LivePolicy, policyInForce } from '../../gate/request/live-policy.js';
import type { GateReport } from '../../gate/request/report.js';
import type { Era } from '../../wire/messages.js';
import { type KnownCatalog, type ListedServer, takeLists } from './stub-server.js';

/** Lists that all requests of a process share. */
export interface KnownLists {
  /** The lists that are answered without the real server. */
  readonly known: SharedCatalog;
  /** The lists that gates read from the real server, or that are known. */
  readonly shared: SharedCatalog;
  /** Compares a saved catalog with the real server, once. Lists that differ are dropped and reported. */
  verify(report: ((report: GateReport) => void) | undefined): Promise<void>;
}

/**
 * Makes the lists that requests share.
 *
 * @param server makes the real server
 * @param policy the policy
 * @param catalog the catalog that the operator declared as known
 * @param era of the requests; a saved catalog has the shape of the legacy era, which SDK v2 completes for the modern era
 * @returns the lists
 */
export function createKnownLists(
  server: () => ListedServer | Promise<ListedServer>,
  policy: Policy | LivePolicy,
  catalog: KnownCatalog,
  era: Era,
): KnownLists {
  const known = new SharedCatalog();
  for (const kind of KINDS) {
    const saved = catalog === 'static' ? undefined : catalog[kind];
    if (saved !== undefined) known.put(policyInForce(policy), kind, saved);
  }
  const shared = catalog === 'static' || era === 'legacy' ? known : new SharedCatalog();
  // Lists that come from the server itself do not have to be compared with it.
  let verified = catalog === 'static';
  return {
    known,
    shared,
    async verify(report) {
      if (verified) return;
      verified = true;
      const real = await takeLists(await server());
      const stale = KINDS.filter((kind) => {
        const saved = known.lists.get(kind)?.pages.flatMap((page) => page[kind] ?? []);
        return saved !== undefined && JSON.stringify(saved) !== JSON.stringify(real[kind] ?? []);
      });
      if (stale.length === 0) return;
      // The next request reads them again.
      for (const { lists } of [known, shared]) for (const kind of stale) lists.delete(kind);
      const message = `The snapshot of ${stale.join(', ')} differs from what the server lists. Package the function again to take a new one.`;
      report?.({ method: 'catalog', era, warnings: [{ code: 'stale-catalog', message }] });
    },
  };
}

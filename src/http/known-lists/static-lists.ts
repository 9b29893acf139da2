import type { Policy } from '../../engine/policy.js';
import { SharedCatalog } from '../../protocol/lists/shared-catalog.js';
import type { Era } from '../../protocol/messages/wire.js';
import type { LivePolicy } from '../../protocol/request/live-policy.js';
import type { GateReport } from '../../protocol/request/report.js';
import { forgetStale, type StandIn, type StaticCatalog, shareLists, takeLists } from './stub-server.js';

/** Lists that all requests of a process share. */
export interface StaticLists {
  /** What a stand-in answers from. */
  readonly known: SharedCatalog;
  /** What gates took, of a server or of its stand-in. */
  readonly shared: SharedCatalog;
  /** Compares a snapshot with the real server, once; what differs is forgotten, and told in the log. */
  verify(report: ((report: GateReport) => void) | undefined): Promise<void>;
}

/**
 * @param server makes the real server
 * @param policy the policy
 * @param catalog what the operator promised
 * @param era of the requests: lists of a snapshot have the shape of the older one, which newer SDKs complete
 * @returns the lists
 */
export function staticLists(
  server: () => StandIn | Promise<StandIn>,
  policy: Policy | LivePolicy,
  catalog: StaticCatalog,
  era: Era,
): StaticLists {
  const known = shareLists(policy, catalog);
  const shared = catalog === 'static' || era === 'legacy' ? known : new SharedCatalog();
  // Lists that were taken from the server itself need no comparison.
  let verified = catalog === 'static';
  return {
    known,
    shared,
    async verify(report) {
      if (verified) return;
      verified = true;
      const stale = forgetStale(known, await takeLists(await server()));
      if (stale.length === 0) return;
      for (const kind of stale) shared.lists.delete(kind);
      const message = `The snapshot of ${stale.join(', ')} is not what the server lists; take it anew.`;
      report?.({ method: 'catalog', era, warnings: [{ code: 'stale-catalog', message }] });
    },
  };
}

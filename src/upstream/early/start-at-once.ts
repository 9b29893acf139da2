import type { Bridge } from '../isolation.js';
import { type CatalogKeeper, EarlyServer } from './early-server.js';

/**
 * Lets a server be listed before it has started, on connections of legacy clients.
 *
 * @param bridge the connections to the server
 * @param keeper has what it listed when it was up last
 * @example
 * const early = startAtOnce(bridge(open, 'per-session'), keeper);
 */
export const startAtOnce = (bridge: Bridge, keeper: CatalogKeeper): Bridge => ({
  ...bridge,
  connection: () => new EarlyServer(bridge.connection(), keeper),
});

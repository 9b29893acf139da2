import type { Backends } from '../backend.js';
import { type CatalogKeeper, EarlyServer } from './early-server.js';

/**
 * Lets a server be listed before it has started, on connections of legacy clients.
 *
 * @param backends make what answers clients from the server
 * @param keeper has what it listed when it was up last
 * @example
 * const early = bridgeTo(startAtOnce(behindOne(open, 'per-session'), keeper));
 */
export const startAtOnce = (backends: Backends, keeper: CatalogKeeper): Backends => ({
  ...backends,
  behind: (client, port) =>
    client.lasts ? new EarlyServer(backends, client, port, keeper) : backends.behind(client, port),
});

import { getOrMake } from '../../core/once.js';
import { type Era, METHODS } from '../../core/wire/messages.js';
import type { Backend, Backends } from '../backend.js';
import { ownCall, type ServerCall, unaskable } from '../call.js';
import { capabilitiesOf, wrapParams } from '../eras/envelope.js';
import { EarlyServer } from './early-server.js';
import { type CatalogKeeper, Start } from './start.js';

/**
 * Lets a server be listed before it has started. A legacy client with a server of its own waits for that one; all others wait
 * for the same one, once for each era.
 *
 * @param backends make what answers clients from the server
 * @param keeperOf has what it listed when it was up last, to clients of an era
 * @param isShared whether legacy clients share the server
 * @example
 * const early = bridgeTo(startAtOnce(behindOne(open, 'per-session'), keeperOf, false));
 */
export function startAtOnce(
  backends: Backends,
  keeperOf: (era: Era) => CatalogKeeper,
  isShared: boolean,
): Backends {
  /** What is asked for all clients of an era, once the first of them has sent a request. */
  const shared = new Map<Era, { readonly start: Start; asks: Backend | undefined }>();
  /** Asks as the first client does, so that a server which it has is the one that is asked. */
  const begin = (start: Start, era: Era, { params }: ServerCall): Backend => {
    const nobody = { era, lasts: era === 'legacy', principal: undefined, session: undefined };
    const asks = backends.behind(nobody, { tell: () => undefined, ask: unaskable });
    const facts = { info: undefined, capabilities: capabilitiesOf(params) };
    const wrapped = era === 'modern' ? wrapParams(undefined, facts) : undefined;
    const method = era === 'modern' ? METHODS.discover : METHODS.initialize;
    const introduced = asks.answer(ownCall(method, wrapped ?? params));
    start.begin((list, page) => asks.answer(ownCall(list, { ...wrapped, ...page })), introduced);
    return asks;
  };
  return {
    ...backends,
    behind(client, port) {
      const { era } = client;
      if (era === 'legacy' && !client.lasts) return backends.behind(client, port);
      if (era === 'legacy' && !isShared)
        return new EarlyServer(backends, client, port, new Start(keeperOf(era), era));
      const known = getOrMake(shared, era, () => ({ start: new Start(keeperOf(era), era), asks: undefined }));
      return new EarlyServer(backends, client, port, known.start, (call) => {
        known.asks ??= begin(known.start, era, call);
      });
    },
    async close() {
      for (const { start } of shared.values()) start.end();
      await Promise.all([...shared.values()].map(({ asks }) => asks?.leave()));
      await backends.close();
    },
  };
}

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Connectable } from '../core/wire/transport-layer.js';

/**
 * Makes a transport to a new server in this process, so that a server of SDK v1 can be served to clients of both eras.
 *
 * @param make makes the server; called when the transport starts
 * @returns the transport, not started
 * @example
 * const upstream = isolateUpstream(() => inProcessTransport(createServer), 'per-request');
 */
export function inProcessTransport(make: () => Connectable | Promise<Connectable>): Transport {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const start = ours.start.bind(ours);
  return Object.assign(ours, {
    async start() {
      const server = await make();
      await server.connect(theirs as never);
      await start();
    },
  });
}

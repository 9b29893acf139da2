import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { UpstreamEvent } from '../../http/log/upstream-event.js';
import { ChildTransport } from '../../upstream/wires/child-process.js';

/**
 * Starts the server of the one host over stdio. The host, which started this command, learns at once if the server cannot
 * serve. After that, the server is replaced if it ends or hangs.
 *
 * @param open opens a transport to a server of its own
 * @param report is told what happens to the server
 * @param unusable called if the server ends before it has initialized
 * @returns how to open the server; rejects with the error of Node.js if the command does not exist
 * @example
 * const started = await startForStdio(() => new ChildTransport('node', ['server.js']), report, () => process.exit(2));
 */
export async function startForStdio(
  open: () => Transport,
  report: (event: UpstreamEvent) => void,
  unusable: () => void,
) {
  let isReady = false;
  const told = (event: UpstreamEvent): void => {
    report(event);
    isReady ||= event.state === 'ready';
    if (event.state === 'failed' && !isReady) unusable();
  };
  const first = open();
  if (first instanceof ChildTransport) {
    first.onstderr = (stderr) => told({ upstream: 'upstream', stderr });
    first.onclose = unusable;
    await first.start();
  }
  let unused: Transport | undefined = first;
  return {
    /** Returns the started server first, and then new ones. */
    open: () => {
      const next = unused ?? open();
      unused = undefined;
      return next;
    },
    /** Must be told what happens to the server. */
    report: told,
    /** Ends the server if nothing has used it. */
    close: async () => unused?.close(),
  };
}

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ChildTransport } from '../../upstream/child-process.js';
import { proxyTo, type ServerProxy } from '../../upstream/proxy.js';
import { RecoveringTransport, type RecoveryOptions } from '../../upstream/recovering.js';
import type { UpstreamEvent } from '../../upstream/state.js';

/**
 * Starts the server of the one host over stdio. The host, which started this command, learns at once if the server cannot
 * serve. After that, the server is replaced if it ends or hangs.
 *
 * @param open opens a transport to a server of its own
 * @param recovery how long the server may take, and who is told what happens to it
 * @param unusable called if the server ends before it has initialized
 * @returns the server; rejects with the error of Node.js if the command does not exist
 * @example
 * const server = await startForStdio(() => new ChildTransport('node', ['server.js']), {}, () => process.exit(2));
 */
export async function startForStdio(
  open: () => Transport,
  recovery: RecoveryOptions,
  unusable: () => void,
): Promise<ServerProxy> {
  let isReady = false;
  const report = (event: UpstreamEvent): void => {
    recovery.report?.(event);
    isReady ||= event.state === 'ready';
    if (event.state === 'failed' && !isReady) unusable();
  };
  const first = open();
  if (first instanceof ChildTransport) {
    first.onstderr = (stderr) => report({ upstream: recovery.name ?? 'upstream', stderr });
    first.onclose = unusable;
    await first.start();
  }
  let unused: Transport | undefined = first;
  const proxy = proxyTo(
    new RecoveringTransport(
      () => {
        const next = unused ?? open();
        unused = undefined;
        return next;
      },
      { ...recovery, report },
    ),
  );
  return {
    ...proxy,
    async close() {
      await Promise.all([proxy.close(), unused?.close()]);
    },
  };
}

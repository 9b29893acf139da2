import { inProcessTransport } from '../../../upstream/in-process.js';
import { bridgeSeveral } from '../../../upstream/several/bridge-several.js';
import { plain } from '../../terminal/output.js';
import type { Peer } from '../peer.js';
import { WholeListTransport } from '../whole-list-transport.js';
import { readServersFile } from './servers-file.js';

/**
 * Makes a peer of all servers of a host's file, as `serve --servers` serves them.
 *
 * @param path the file
 * @param missing is told of each server that cannot be listed, with the reason
 * @returns the servers as one, not started yet
 * @throws {CliError} if the file cannot be used
 * @example
 * const peer = await serversPeer('.mcp.json', (slug, reason) => console.error(`${slug}: ${reason}`));
 */
export async function serversPeer(
  path: string,
  missing: (slug: string, reason: string) => void,
): Promise<Peer> {
  const told = new Set<string>();
  const openers = await readServersFile(path, process.env, [], WholeListTransport);
  const several = bridgeSeveral(openers, 'per-session', {
    isLongLived: true,
    isOfOnePerson: true,
    report: ({ upstream, state, reason = 'no reason is known' }) => {
      if (state === 'failed' && !told.has(upstream)) missing(upstream, reason);
      if (state === 'failed') told.add(upstream);
    },
  });
  const again = () => {
    const transport = inProcessTransport(() => several.connection());
    const close = transport.close.bind(transport);
    return Object.assign(transport, { close: () => close().then(() => several.close()) });
  };
  return { server: `The servers of ${plain(path)}`, transport: again(), again };
}

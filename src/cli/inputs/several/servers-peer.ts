import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { bridge } from '../../../upstream/isolation.js';
import { bridgeSeveral } from '../../../upstream/several/bridge-several.js';
import { plain } from '../../terminal/output.js';
import type { Peer } from '../peer.js';
import { readServersFile } from './servers-file.js';

/**
 * Makes a peer of all servers of a host's file, as `serve --servers` serves them.
 *
 * @param path the file
 * @param missing is told of each server that cannot be listed, with the reason
 * @returns the servers as one, not started yet
 * @throws {CliError} if the file cannot be used
 * @example
 * const peer = serversPeer('.mcp.json', (slug, reason) => console.error(`${slug}: ${reason}`));
 */
export function serversPeer(path: string, missing: (slug: string, reason: string) => void): Peer {
  const bridges = [...readServersFile(path, process.env)].map(([name, open]) => {
    let isMissing = false;
    const report: NonNullable<Parameters<typeof bridge>[2]>['report'] = ({
      state,
      reason = 'no reason is known',
    }) => {
      if (state === 'failed' && !isMissing) missing(name, reason);
      isMissing ||= state === 'failed';
    };
    return [name, bridge(open, 'per-session', { name, report, isLongLived: true })] as const;
  });
  const several = bridgeSeveral(new Map(bridges));
  const again = (): InMemoryTransport => {
    const [transport, own] = InMemoryTransport.createLinkedPair();
    void several.connection().connect(own);
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      await several.close();
    };
    return transport;
  };
  const server = `The servers of ${plain(path)}`;
  return {
    server,
    transport: again(),
    again,
    describe: ({ over, lastMethod }) =>
      over === undefined ? undefined : `${server} did not answer ${lastMethod} within ${over} s.`,
  };
}

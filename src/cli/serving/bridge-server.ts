import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { inProcessTransport } from '../../upstream/in-process.js';
import { type Bridge, bridge } from '../../upstream/isolation.js';
import { bridgeSeveral } from '../../upstream/several/bridge-several.js';
import type { UpstreamEvent } from '../../upstream/state.js';
import type { Serving } from './serving.js';
import { upstreamLine } from './upstream-line.js';

/**
 * Makes the servers that hosts of both eras get, in front of the server that is served.
 *
 * @param serving what is served
 * @param open opens a transport to the server; without it, the server is a module in this process
 * @param report is told what happens to the server
 */
export function bridgeOf(serving: Serving, open?: () => Transport, report = reporterOf(serving)): Bridge {
  const { opened, limits } = serving;
  const { isolation, silenceMs, protocol } = limits;
  const options = { name: opened.name, report, silenceMs, protocol, isLongLived: true };
  if (open !== undefined) return bridge(open, isolation, options);
  if ('open' in opened) return bridge(opened.open, isolation, options);
  if ('several' in opened) return bridgeSeveral(opened.several, isolation, options);
  return bridge(() => inProcessTransport(() => opened.bare()), isolation, options);
}

/** @returns a function that writes a line to stderr for what happens to the server */
export const reporterOf =
  ({ note, opened }: Serving) =>
  (event: UpstreamEvent): void => {
    const line = upstreamLine(event);
    if (line !== undefined) note('several' in opened ? `${event.upstream}: ${line}` : line);
  };

import { createUpstreamLog, upstreamHeaders } from 'mcp-concerns/lambda';
import { type OneOfSeveral, remoteTransport } from 'mcp-concerns/upstream';
import type { RemoteValues } from './values.js';

/** All hosts share one connection, unless a header of theirs is passed on. */
export function openRemote({ url, headers, options }: RemoteValues): Required<OneOfSeveral> {
  const own = upstreamHeaders(headers);
  return {
    open: () => remoteTransport(url, own),
    isolation: 'shared',
    options: { ...options, report: createUpstreamLog() },
  };
}

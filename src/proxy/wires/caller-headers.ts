import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import { read } from '../../core/wire/messages.js';
import { UpstreamError } from '../upstream-error.js';

/** The headers of hosts that a server may get: for hosts that have a token of that server already. */
export const FORWARDED = ['authorization'] as const;
export type ForwardedHeader = (typeof FORWARDED)[number];

/** What one client sent last. Only connections that are its own may read it. */
export class CallerHeaders {
  authorization: string | undefined;

  /**
   * Takes the header of a request over HTTP. If somebody has verified the caller for this endpoint, the header is for the
   * endpoint, and no server behind it may get it (MCP, "Token Passthrough").
   *
   * @param extra what the transport of an SDK tells of the request
   */
  take(extra: MessageExtraInfo | undefined): void {
    // SDK v1 tells the headers, SDK v2 the request.
    const request: unknown = read(extra, 'request');
    const header =
      request instanceof Request
        ? request.headers.get('authorization')
        : read(extra?.requestInfo?.headers, 'authorization');
    if (extra?.authInfo !== undefined) this.authorization = undefined;
    else if (typeof header === 'string') this.authorization = header;
    else if (request !== undefined || extra?.requestInfo !== undefined) this.authorization = undefined;
  }
}

/** A transport to a server that can get headers of the client. */
interface Forwards {
  caller: Readonly<CallerHeaders>;
}

/**
 * Lets a connection send what its client sent.
 *
 * @param transport a connection that no other client uses
 * @throws {UpstreamError} if the server is not at a URL
 */
export function forwardTo(transport: Transport | (Transport & Forwards), caller: CallerHeaders): Transport {
  if (!('caller' in transport)) throw new UpstreamError('it gets no headers of hosts: it is not at a URL');
  transport.caller = caller;
  return transport;
}

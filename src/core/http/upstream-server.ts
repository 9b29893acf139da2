import type { ServerBehind } from '../gate/edge/concerns-options.js';
import type { Transport } from '../wire/transport.js';
import type { SlowReaders } from './streams/slow-readers.js';

/** The status of an HTTP response of a server that refused a request, and what it wants callers to send. */
export interface HttpRefusal {
  readonly status: number;
  /** The header `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
  /** Whether the request had a session of that server. */
  readonly hasSession?: boolean;
}

/** What an endpoint learns of a server behind it. */
export interface BehindEndpoint extends ServerBehind {
  /** Stops reading from the server while clients are slow. */
  readonly readers: SlowReaders;
  /** Whether it is certain that the server cannot refuse a caller with a status of HTTP. */
  readonly isLocal: boolean;
}

/** A server behind the endpoint as one client sees it, with the interface of a server of the SDK. */
export interface UpstreamServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  readonly behind: BehindEndpoint;
  /** How the server refused the latest request, over HTTP. */
  readonly refused: HttpRefusal | undefined;
}

/** Returns a server that stands for one behind the endpoint; `undefined` for a server of an SDK. */
export const upstreamOf = (server: object | UpstreamServer): UpstreamServer | undefined =>
  'behind' in server ? server : undefined;

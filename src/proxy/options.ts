import type { UpstreamEvent } from '../core/telemetry/upstream-event.js';
import type { ForwardedHeader } from './wires/caller-headers.js';

/** Which era is spoken to the server: that which it can, or only one. */
export const PROTOCOLS = ['auto', '2026-07-28', '2025-11-25'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** How long a server may take, and who is told what happens to it. */
export interface RecoveryOptions {
  /** The name of the server in events. Defaults to `upstream`. */
  readonly name?: string | undefined;
  /** Receives each change of the server's state with its reason, and the lines that a child process writes to stderr. */
  readonly report?: ((event: UpstreamEvent) => void) | undefined;
  /** Milliseconds until a server must have initialized. Defaults to 60,000: `npx` may download the server first. */
  readonly startMs?: number | undefined;
  /**
   * Milliseconds that a server may send nothing while a request waits. After half of it, the server is pinged; a server
   * that does not answer this either is replaced. Defaults to 120,000, because many servers cannot answer a ping while
   * a tool runs.
   */
  readonly silenceMs?: number | undefined;
}

/**
 * Who shares a server behind the endpoint:
 *
 * - `shared`: all clients share one. The fastest and smallest. The server must not keep anything of a client.
 * - `per-session`: one for each session and process of the endpoint; for clients without sessions, one for each verified
 *   identity. Costs the memory of a server per active client.
 * - `per-request`: one for each request. Costs a start of the server per request, and nothing is kept between requests.
 */
export const ISOLATIONS = ['shared', 'per-session', 'per-request'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** How a server behind the endpoint is used. */
export interface UpstreamOptions extends RecoveryOptions {
  /** Which era is spoken to the server. Defaults to `auto`: the server's own. */
  readonly protocol?: Protocol | undefined;
  /**
   * Headers of a client that the server gets, if it is at a URL: for clients that have a token of that server. Each client has
   * connections of its own then, whatever the isolation is. Defaults to none.
   */
  readonly forward?: readonly ForwardedHeader[] | undefined;
  /** Whether this process serves many requests, for a long time: then it passes on questions and changes. */
  readonly isLongLived?: boolean | undefined;
  /** Whether one person runs it for nobody else: then all clients without a session or an identity are that person's. */
  readonly isOfOnePerson?: boolean | undefined;
}

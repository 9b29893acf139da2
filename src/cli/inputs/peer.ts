import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Protocol } from '../../upstream/options.js';
import { CliError } from '../errors.js';
import { plain } from '../terminal/output.js';

const MAX_QUOTED = 160;

export interface ConversationOptions {
  /** Seconds that the server may take to start and to list everything. */
  readonly seconds: number;
  /** The protocol version that is spoken to the server; `auto` by default. */
  readonly protocol?: Protocol | undefined;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** What ended the exchange with a server before its catalog was complete. */
export interface Failure {
  readonly cause: unknown;
  /** The method of the last request to the server. */
  readonly lastMethod: string;
  /** The seconds that the server had, if they are over. */
  readonly over: number | undefined;
}

/** A server that is asked for its catalog, and how to describe what only its kind of connection can tell. */
export interface Peer {
  /** The name of the server, as the beginning of a sentence. */
  readonly server: string;
  /** Not started yet. */
  readonly transport: Transport;
  /** Makes another connection to it, for the bridge that speaks the modern era to it. */
  readonly again: () => Transport;
  /** Aborted when a message of the server shows that it will never answer. */
  readonly broken?: AbortSignal;
  /** @returns a message about a failure that only this kind of connection can have */
  describe?(failure: Failure): Promise<string | undefined> | string | undefined;
}

/**
 * @param peer the server
 * @param failure the error of the client or the transport, and when it came
 * @returns an error whose message says in one sentence what happened
 */
export async function explainFailure(peer: Peer, failure: Failure): Promise<CliError> {
  const { cause, lastMethod, over } = failure;
  const { server } = peer;
  const message = await peer.describe?.(failure);
  if (message !== undefined) return new CliError(message, { cause });
  if (over !== undefined)
    return new CliError(
      `${server} did not answer ${lastMethod} within ${over} s. Allow more time with --timeout.`,
      { cause },
    );
  if (cause instanceof McpError) {
    return new CliError(`${server} refused ${lastMethod}: ${shorten(cause.message)}`, { cause });
  }
  const reason =
    cause instanceof Error && !cause.message.includes('\n') ? `: ${shorten(cause.message)}` : '.';
  return new CliError(`${server} answered ${lastMethod} with an invalid MCP message${reason}`, { cause });
}

/** @returns text from a server, safe to print and short enough for a sentence */
export function shorten(text: string): string {
  const line = plain(text);
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED - 1)}…` : line;
}

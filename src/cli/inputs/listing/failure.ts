import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { plain } from '../../terminal/output.js';

const MAX_QUOTED = 160;

/** What ended the exchange with a server before its catalog was complete. */
export interface Failure {
  /** The name of the server, as the beginning of a sentence. */
  readonly server: string;
  /** The error of the client or the transport. */
  readonly cause: unknown;
  /** The method of the last request to the server. */
  readonly lastMethod: string;
  /** What may be the reason if it cannot be reached. */
  readonly advice?: string | undefined;
  /** The seconds that the server had, if they are over. */
  readonly over: number | undefined;
}

/** @returns in one sentence what happened, where the kind of the connection tells nothing more */
export function failureText({ server, cause, lastMethod, over }: Failure): string {
  if (over !== undefined)
    return `${server} did not answer ${lastMethod} within ${over} s. Allow more time with --timeout.`;
  if (cause instanceof McpError) return `${server} refused ${lastMethod}: ${shorten(cause.message)}`;
  const reason =
    cause instanceof Error && !cause.message.includes('\n') ? `: ${shorten(cause.message)}` : '.';
  return `${server} answered ${lastMethod} with an invalid MCP message${reason}`;
}

/** @returns text from a server, safe to print and short enough for a sentence */
export function shorten(text: string): string {
  const line = plain(text);
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED - 1)}…` : line;
}

import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type Pausable, UNPACED } from '../../core/http/streams/slow-readers.js';
import type { Message, RequestId } from '../../core/wire/messages.js';
import type { CallSignal } from '../call.js';

/** How a server ended by itself: the `code` that it exited with, or the `signal` that killed it. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The bytes between this process and one server: a transport that says what it can. */
export interface Wire extends Transport, Pausable {
  send(message: JSONRPCMessage, options?: WireOptions): Promise<void>;
  /** Whether the end of a request's response cancels the request. */
  readonly cancelsBySignal: boolean;
  /** The same server, spoken to in the modern era, if that takes other requests: over HTTP. */
  modern?(): Wire;
  /** The processor time that the server has used so far, if this can be known. */
  processorMs?(): number | undefined;
  /** How it ended by itself, if it is a child process that did. */
  readonly ended: ChildEnd | undefined;
  /** Called when the response to a request has ended, so that no answer can arrive any more. */
  onended?: (id: RequestId, reason: string) => void;
  /** Called when an answer arrived that cannot be read: it is too long. `id` is undefined if not even that could be read. */
  onlost?: (id: unknown, reason: string) => void;
  /** Receives the lines that a child process writes to stderr. */
  onstderr?: (line: string) => void;
}

/** Returns the wire of a transport. One of somebody else does not pause, and does not tell how it ended. */
export const wireOf = (transport: Transport | Wire): Wire =>
  'cancelsBySignal' in transport
    ? transport
    : Object.assign(transport, { ...UNPACED, cancelsBySignal: false, ended: undefined });

export interface WireOptions extends TransportSendOptions {
  readonly signal?: CallSignal;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Receives the messages of the response, if the wire knows which response a message belongs to. */
  readonly received?: (message: Message) => void;
}

/** Returns why a connection ended by itself. */
export function endingOf({ ended }: Wire): string {
  if (ended === undefined) return 'the connection was closed';
  // Without its stderr, which can contain arguments and secrets: clients get this reason. Operators get the lines.
  return ended.signal === null ? `it ended with exit code ${ended.code}` : `it was ended by ${ended.signal}`;
}

import type { Message, RequestId } from './messages.js';
import type { TaskLister } from './task-lister.js';
import type { JsonRpcMessage } from './transport.js';

/** What a server that runs tasks asks the gate in front of it, because only the gate knows what the policy hides. */
export interface GateLink {
  /**
   * Returns whether the sender of a message is shown a tool, under `enforce`. For servers whose requests do not name the
   * tool that they are about, such as those about tasks.
   *
   * @param message the message, under the id that the server got
   * @param extra what the transport told about it
   */
  showsTool(name: string, message: Message | JsonRpcMessage, extra?: unknown): Promise<boolean>;
  /**
   * Returns which questions the client of the session can answer, as capabilities; `undefined` if nothing tells. Rejects if
   * the session cannot be read.
   */
  questions(): Promise<unknown>;
  /**
   * Tells the client to come back for the answer to a request, before the first message of its response.
   *
   * @returns ends the response; `undefined` if the transport cannot end it without an answer
   */
  comeBack(id: RequestId, retryMs: number): (() => void) | undefined;
  /** Returns the id that the client gave a request, from the id under which the server got it. */
  clientIdOf(id: RequestId): RequestId;
  /** Whether an endpoint over HTTP keeps the stream of `subscriptions/listen` open. */
  readonly listens: boolean;
  /** Must be called before the first message, by a server that lists tasks by their owner itself. */
  listTasksWith(lister: TaskLister): void;
  /** Lets `settled` wait for work that has no answer, such as that on a client's response. */
  waitFor(work: Promise<unknown>): void;
}

/** No gate: nothing is hidden, and ids are those of the client. */
const ungated: GateLink = {
  showsTool: async () => true,
  questions: async () => undefined,
  comeBack: () => undefined,
  clientIdOf: (id) => id,
  listens: false,
  listTasksWith: () => undefined,
  waitFor: () => undefined,
};

/**
 * The member by which a transport with a gate in it is known. A transport of somebody else cannot have it by chance, and it
 * is registered, so that a second copy of this package in the process finds the gate too.
 */
export const GATE: unique symbol = Symbol.for('mcp-concerns.gate');

const isGated = (transport: object): transport is { readonly [GATE]: GateLink } => GATE in transport;

/** Returns the gate in a transport, or `ungated`. */
export const gateOf = (transport: object): GateLink => (isGated(transport) ? transport[GATE] : ungated);

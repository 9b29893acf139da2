import type { BehindEndpoint } from '../core/http/upstream-server.js';
import type { Era } from '../core/wire/messages.js';
import type { AnswerOverHttp, Ask, Notify, ServerCall } from './call.js';
import type { UpstreamOptions } from './options.js';
import type { CallerHeaders } from './wires/caller-headers.js';

/** Whose calls are answered. */
export interface Client {
  readonly era: Era;
  /** Whether the connection lasts between requests, so that the client can be told and asked. */
  readonly lasts: boolean;
  /** The verified identity; never what a client says of itself. */
  readonly principal: string | undefined;
  /** The session of a legacy client, of which this process knows only the id. */
  readonly session: string | undefined;
  /** What it sent over HTTP, for servers that get it. */
  readonly headers?: CallerHeaders | undefined;
}

/** Reaches a client outside of its requests. */
export interface ClientPort {
  readonly tell: Notify;
  readonly ask: Ask;
  /** Is told what happens to the server of this client alone, in place of the report about that of all. */
  readonly report?: UpstreamOptions['report'];
}

/** What answers the calls of one client. It knows no ids: these belong to the connections on both sides. */
export interface Backend extends BehindEndpoint {
  /** Answers a request. Never rejects: a request that cannot be answered gets an error. */
  answer(call: ServerCall): Promise<AnswerOverHttp>;
  /** Takes a notification of the client. */
  readonly notified: Notify;
  /** The client has gone. */
  leave(): Promise<void>;
}

/** Makes what answers a client. */
export interface Backends {
  /**
   * Returns which era the server speaks to modern clients; opens the server. `undefined` if each of several has its own, or if
   * it has not answered yet: then `decided` resolves when it does.
   */
  era(): Promise<Era | undefined>;
  /** The era of the first answer of the server. */
  readonly decided: Promise<Era | undefined>;
  /** Whether the server answers now; of several, whether all do. */
  isUp(signal: AbortSignal): Promise<boolean>;
  behind(client: Client, port: ClientPort): Backend;
  close(): Promise<void>;
}

import type { Policy } from '../engine/policy.js';
import type { ConnectableServer } from '../gate/attach.js';
import type { LivePolicy } from '../gate/request/live-policy.js';
import type { SessionStore } from '../session/store.js';
import type { AuthInfo, HttpTransport } from '../wire/transport.js';
import type { KnownCatalog } from './known-lists/stub-server.js';
import type { Observer } from './observer.js';
import type { UpstreamServer } from './upstream-server.js';

/** What an endpoint serves: the server, the policy, and where it keeps sessions. */
export interface HandlerOptions {
  /** Makes a new server of SDK v1, `Server` or `McpServer`. Called for each request, and without one to read the lists. */
  readonly server: (request?: Request, given?: FetchOptions) => ServerOfRequest | Promise<ServerOfRequest>;
  /** The policy, from `loadPolicy` or `openCompiledPolicy`; a `LivePolicy` can be replaced while the endpoint runs. */
  readonly policy: Policy | LivePolicy;
  /** Keeps the preferences of sessions. Without a store there are no sessions, only the URL, the header and `_meta`. */
  readonly store?: SessionStore | undefined;
  /**
   * `principal`: what a person chooses is kept for the verified caller, in `store`, and applies to all requests of this
   * caller, with and without a session. The claims `iss` and `sub` tell callers apart. By default, preferences are kept
   * only for a session.
   */
  readonly preferences?: 'principal' | undefined;
  /** The longest body, in bytes, that is read. Defaults to 4 MiB, as in the SDK. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Whether numbers in bodies keep their text, such as integers over 2^53. Only for a server of `mcp-concerns/upstream`: the
   * schemas of an SDK refuse such numbers. Needs Node.js 22.
   */
  readonly keepsNumbers?: boolean | undefined;
  /** Answers lists without building the server: your promise that the lists do not depend on the request. */
  readonly catalog?: KnownCatalog | undefined;
}

/** A server that can be connected to a transport and closed, such as `Server` and `McpServer` of SDK v1; or one that stands for a server behind the endpoint. */
export type ServerOfRequest =
  | UpstreamServer
  | (ConnectableServer & {
      connect(transport: HttpTransport): Promise<void>;
      close(): Promise<void>;
    });

/** What the code in front of a handler knows about one request. */
export interface FetchOptions extends Observer {
  /** The verified caller. Only its claims set operator concerns, and its sessions are bound to it. */
  readonly authInfo?: AuthInfo | undefined;
  /** Sends a `list_changed` on the stream that the client of a session has open. Returns whether it has one. */
  readonly announce?: ((session: string, method: string) => boolean) | undefined;
  /** The public URL of the endpoint, if hosts use another URL than that of the request. */
  readonly resource?: string | undefined;
  /**
   * A random text that only the processes of this endpoint know. With it, the preferences in a session id hold in all of them.
   * By default each process has its own, and the store alone tells the others of a session.
   */
  readonly sessionSecret?: string | undefined;
  /** The JSON of the body, if it was read before, as some frameworks do. Then the request's own body is not read. */
  readonly parsedBody?: unknown;
}

/** Answers one HTTP request. If the request is aborted, its server is closed. */
export type FetchHandler = (request: Request, options?: FetchOptions) => Promise<Response>;

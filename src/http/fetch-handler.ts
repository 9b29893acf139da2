import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Policy } from '../engine/policy.js';
import type { ConnectableServer } from '../protocol/attach.js';
import type { LivePolicy } from '../protocol/request/live-policy.js';
import type { SessionStore } from '../session/store.js';
import type { KnownCatalog } from './known-lists/stub-server.js';
import type { Observer } from './observer.js';

export interface HandlerOptions {
  /** Makes a new server of SDK v1, `Server` or `McpServer`, for each request. Called without a request to read its lists. */
  readonly server: (request?: Request, given?: FetchOptions) => ServerOfRequest | Promise<ServerOfRequest>;
  /** From `loadPolicy` or `openCompiledPolicy`. */
  readonly policy: Policy | LivePolicy;
  /** Keeps the preferences of sessions. Without a store there are no sessions, only the URL, the header and `_meta`. */
  readonly store?: SessionStore | undefined;
  /** The longest body, in bytes, that is read. Defaults to 4 MiB, as in the SDK. */
  readonly maxBodyBytes?: number | undefined;
  /** Answers lists without building the server: your promise that the lists do not depend on the request. */
  readonly catalog?: KnownCatalog | undefined;
}

export type ServerOfRequest = ConnectableServer & { close(): Promise<void> } & {
  connect(transport: WebStandardStreamableHTTPServerTransport): Promise<void>;
};

export interface FetchOptions extends Observer {
  /** The verified caller. Only its claims set operator concerns, and its sessions are bound to it. */
  readonly authInfo?: AuthInfo | undefined;
}

/** Answers one HTTP request. If the request is aborted, its server is closed. */
export type FetchHandler = (request: Request, options?: FetchOptions) => Promise<Response>;

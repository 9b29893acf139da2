import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Policy } from '../engine/policy.js';
import type { ConnectableServer } from '../protocol/attach.js';
import type { LivePolicy } from '../protocol/request/live-policy.js';
import type { SessionStore } from '../session/store.js';
import type { StaticCatalog } from './known-lists/stub-server.js';
import type { Observer } from './observer.js';

export interface HandlerOptions {
  /** Makes a fresh server of SDK v1 for each request, `Server` or `McpServer`; also for none, to take its lists. */
  readonly server: (request?: Request, given?: FetchOptions) => ServerOfRequest | Promise<ServerOfRequest>;
  /** From `loadPolicy` or `openCompiledPolicy`. */
  readonly policy: Policy | LivePolicy;
  /** Keeps what sessions asked for. Without one there are no sessions: the URL, the header and `_meta` remain. */
  readonly store?: SessionStore | undefined;
  /** The longest body that is read; 4 MiB unless told otherwise, as in the SDK. */
  readonly maxBodyBytes?: number | undefined;
  /** Answers lists without building the server: the operator's promise that they depend on no request. */
  readonly catalog?: StaticCatalog | undefined;
}

export type ServerOfRequest = ConnectableServer & { close(): Promise<void> } & {
  connect(transport: WebStandardStreamableHTTPServerTransport): Promise<void>;
};

export interface FetchOptions extends Observer {
  /** Who calls, if that was verified. Its claims are the only source of operator concerns; sessions are bound to it. */
  readonly authInfo?: AuthInfo | undefined;
}

/** Answers one HTTP request. If the request is aborted, its server is closed. */
export type FetchHandler = (request: Request, options?: FetchOptions) => Promise<Response>;

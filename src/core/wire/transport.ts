/** The id of a request of JSON-RPC. */
export type RequestId = string | number;

/**
 * Transports as both SDKs have them. They are declared here by their structure, so that a project needs the types of neither
 * SDK for the other one. `test/wire/transport.test.ts` compares them with those of the SDKs.
 */
export interface Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: MessageExtra) => void) | undefined;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
  start(): Promise<void>;
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>;
  close(): Promise<void>;
}

/** A transport of Streamable HTTP as both SDKs have it. */
export interface HttpTransport extends Transport {
  handleRequest(
    request: Request,
    options?: { readonly parsedBody?: unknown; readonly authInfo?: AuthInfo },
  ): Promise<Response>;
  closeSSEStream(requestId: RequestId): void;
}

export type HttpTransportClass = new (options: {
  readonly enableJsonResponse?: boolean;
  readonly sessionIdGenerator?: () => string;
}) => HttpTransport;

/** How a message is sent. */
export interface SendOptions {
  relatedRequestId?: RequestId | undefined;
  resumptionToken?: string | undefined;
  onresumptiontoken?: ((token: string) => void) | undefined;
}

interface Metadata {
  progressToken?: string | number | undefined;
  'io.modelcontextprotocol/related-task'?: { taskId: string } | undefined;
  [key: string]: unknown;
}

/** What `params` and `result` have. */
interface Contents {
  _meta?: Metadata | undefined;
  [member: string]: unknown;
}

/** A message of JSON-RPC, as the SDKs declare it. `Message` is one as it arrives. */
export type JsonRpcMessage =
  | { jsonrpc: '2.0'; id: RequestId; method: string; params?: Contents | undefined }
  | { jsonrpc: '2.0'; method: string; params?: Contents | undefined }
  | { jsonrpc: '2.0'; id: RequestId; result: Contents }
  | {
      jsonrpc: '2.0';
      id?: RequestId | undefined;
      error: { code: number; message: string; data?: unknown };
    };

/** A verified caller. */
export interface AuthInfo {
  token: string;
  clientId: string;
  scopes: string[];
  /** When the token expires, in seconds since 1970. */
  expiresAt?: number;
  /** The endpoint that the token is for. */
  resource?: URL;
  /** What else is known of the caller, such as its claims. */
  extra?: Record<string, unknown>;
}

/** What a transport tells about a message. */
export interface MessageExtra {
  requestInfo?: { headers: Record<string, string | string[] | undefined>; url?: URL };
  authInfo?: AuthInfo;
  closeSSEStream?: () => void;
  closeStandaloneSSEStream?: () => void;
}

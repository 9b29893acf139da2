import { randomBytes } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Policy } from '../engine/policy.js';
import { attachConcerns, type ConnectableServer } from '../protocol/attach.js';
import type { GateReport } from '../protocol/scope.js';
import { LISTS, METHODS, read } from '../protocol/wire.js';
import type { SessionRead, SessionStore } from '../session/store.js';

export interface FetchHandlerOptions {
  /** Makes a fresh server of SDK v1 for each request, `Server` or `McpServer`. */
  readonly server: () => ServerOfRequest | Promise<ServerOfRequest>;
  /** From `loadPolicy` or `openCompiledPolicy`. */
  readonly policy: Policy;
  /** Keeps what sessions asked for. Without one there are no sessions: the URL, the header and `_meta` remain. */
  readonly store?: SessionStore | undefined;
}

export type ServerOfRequest = ConnectableServer & { close(): Promise<void> } & {
  connect(transport: WebStandardStreamableHTTPServerTransport): Promise<void>;
};

export interface FetchOptions {
  /** Who calls, if that was verified. */
  readonly authInfo?: AuthInfo;
  /** Called once for each JSON-RPC request in the HTTP request. */
  readonly report?: (report: GateReport) => void;
}

/** Answers one HTTP request. */
export type FetchHandler = (request: Request, options?: FetchOptions) => Promise<Response>;

const SESSION_HEADER = 'mcp-session-id';

/** Methods whose answer comes alone: plain JSON costs less than an event stream. */
const ALONE: ReadonlySet<unknown> = new Set([
  METHODS.initialize,
  METHODS.listConcerns,
  'ping',
  ...Object.values(LISTS).map(({ method }) => method),
]);

/**
 * Serves an SDK v1 server over Streamable HTTP, one server per request, with sessions that hold nothing but what the
 * host asked for: any process that shares the store can answer any request.
 *
 * Protocol versions up to 2025-11-25. GET is answered 405: there is no stream beside the answers.
 *
 * @param options the server, the policy, and where sessions are kept
 * @returns a handler for requests of any path
 * @example
 * const handle = createFetchHandler({ server: createVaultServer, policy, store: createMemoryStore() });
 * const response = await handle(new Request('http://localhost/mcp', { method: 'POST', ... }));
 */
export function createFetchHandler(options: FetchHandlerOptions): FetchHandler {
  return async (request, given = {}) => {
    if (request.method === 'POST') return post(options, request, given);
    if (request.method === 'DELETE' && options.store !== undefined) return endSession(options.store, request);
    const allow = options.store === undefined ? 'POST' : 'POST, DELETE';
    return failure(405, -32000, `${request.method} is not offered here; use ${allow}.`, { Allow: allow });
  };
}

async function post(options: FetchHandlerOptions, request: Request, given: FetchOptions): Promise<Response> {
  const { policy, store } = options;
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch {
    return failure(400, -32700, 'Parse error: the body is not JSON.');
  }
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const methods = messages.map((message) => read(message, 'method'));
  const initializes = methods.includes(METHODS.initialize);

  const sessionId = store === undefined ? undefined : initializes ? newSessionId() : sessionOf(request);
  const session = await readSession(store, initializes ? undefined : sessionId);
  if (session?.state === 'ended') {
    return failure(404, -32001, 'The session was ended; initialize a new one.');
  }

  const server = await options.server();
  const concerns = attachConcerns(server, {
    policy,
    store: store === undefined || session === undefined ? store : readOnce(store, session),
    report: given.report,
  });
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: methods.every((method) => ALONE.has(method)),
    // A generator makes the transport demand an initialize first, which only that one request has.
    ...(initializes && sessionId !== undefined ? { sessionIdGenerator: () => sessionId } : {}),
  });
  if (!initializes && sessionId !== undefined) transport.sessionId = sessionId;
  await server.connect(transport);
  const response = await transport.handleRequest(request, {
    parsedBody: body,
    ...(given.authInfo === undefined ? {} : { authInfo: given.authInfo }),
  });
  // A Lambda is frozen after its response: what is not stored by then may never be.
  await concerns.settled();
  return closing(response, () => server.close());
}

/** One read of the store serves both the check for an ended session and the gate. */
async function readSession(
  store: SessionStore | undefined,
  id: string | undefined,
): Promise<SessionRead | undefined> {
  if (store === undefined || id === undefined) return undefined;
  // The gate reads again, and says what a failure means for the request at hand.
  return store.read(id).catch(() => undefined);
}

function readOnce(store: SessionStore, session: SessionRead): SessionStore {
  return {
    read: async () => session,
    update: (id, change) => store.update(id, change),
    end: (id) => store.end(id),
  };
}

async function endSession(store: SessionStore, request: Request): Promise<Response> {
  const id = sessionOf(request);
  if (id === undefined)
    return failure(400, -32000, 'DELETE needs the Mcp-Session-Id header of the session to end.');
  try {
    await store.end(id);
  } catch {
    return failure(503, -32603, 'The session could not be ended; try again.');
  }
  return new Response(null, { status: 204 });
}

/** 128 random bits. */
function newSessionId(): string {
  return randomBytes(16).toString('hex');
}

/** An id that is not of the form given out is no id: it would only fill the store. */
function sessionOf(request: Request): string | undefined {
  const id = request.headers.get(SESSION_HEADER);
  return id !== null && /^[0-9a-f]{32}$/.test(id) ? id : undefined;
}

/** Closes the server once the response was read, or the reader went away. */
function closing(response: Response, close: () => Promise<void>): Response {
  const { status, headers } = response;
  if (response.body === null) {
    void close();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      controller.close();
      await close();
    },
    async cancel(reason) {
      await reader.cancel(reason);
      await close();
    },
  });
  return new Response(body, { status, headers });
}

function failure(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}

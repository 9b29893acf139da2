import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a server refuses callers that lack something. */
export interface Guard {
  readonly status: 401 | 403;
  readonly challenge: string;
}

/** A remote server whose tools need a login. */
export interface GuardedRemote {
  readonly url: string;
  /** The methods that are refused now. */
  readonly guarded: Map<string, Guard>;
  /** What `tools/call` answers instead, if set. */
  result: object | undefined;
  /** How often a request was refused. */
  refusals: number;
  /** The methods of all messages. */
  readonly received: string[];
  /** Called instead of an answer to `tools/call`. */
  holds: (() => void) | undefined;
  /** Resolves with the next message. */
  next(): Promise<unknown>;
  close(): Promise<void>;
}

const TOOLS = [
  { name: 'delete', inputSchema: { type: 'object' } },
  { name: 'later', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
];

/** What a server of either era answers. A legacy server gives a session. */
const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'guarded', version: '1' },
  },
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  },
  'tools/list': { resultType: 'complete', tools: TOOLS, ttlMs: 0, cacheScope: 'private' },
  'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'deleted' }] },
};

export async function startGuardedRemote(era: 'legacy' | 'modern'): Promise<GuardedRemote> {
  const unknown = era === 'legacy' ? 'server/discover' : 'initialize';
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    remote.received.push(method);
    server.emit('message');
    if (method === 'tools/call' && remote.holds !== undefined) return remote.holds();
    const guard = remote.guarded.get(method);
    if (guard !== undefined) {
      remote.refusals++;
      return void response.writeHead(guard.status, { 'www-authenticate': guard.challenge }).end('no');
    }
    if (id === undefined) return void response.writeHead(202).end();
    const own = method === 'tools/call' && remote.result && { resultType: 'complete', ...remote.result };
    const result = method === unknown ? undefined : own || RESULTS[method];
    const session = method === 'initialize' ? { 'mcp-session-id': 'one' } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...session });
    const error = { code: -32601, message: 'Method not found' };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const remote: GuardedRemote = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    guarded: new Map(),
    result: undefined,
    refusals: 0,
    received: [],
    holds: undefined,
    next: () => once(server, 'message'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return remote;
}

const LOGIN = 'Bearer resource_metadata="https://server.example/meta"';
const SCOPE = 'Bearer error="insufficient_scope", scope="files:write"';
export const GUARDS = [
  { status: 401, challenge: LOGIN },
  { status: 403, challenge: SCOPE },
] as const satisfies readonly Guard[];

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'host', version: '1' },
};

/** Sends one request of a host over HTTP, as a host of that era does. */
export type Post = (method: string, params?: object) => Promise<Response>;

/**
 * Returns a function that sends the requests of one host.
 *
 * @param fetch answers them
 * @param url the URL of the endpoint
 */
export async function hostOf(
  era: 'legacy' | 'modern',
  fetch: (request: Request) => Promise<Response>,
  url = 'http://host/mcp',
): Promise<Post> {
  const own: Record<string, string> = {};
  let id = 0;
  const post = (method: string, params: object, headers: Record<string, string>): Promise<Response> => {
    const isNotification = method.startsWith('notifications/');
    const message = { jsonrpc: '2.0', ...(isNotification ? {} : { id: ++id }), method, params };
    const accepted = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    };
    return fetch(new Request(url, { method: 'POST', headers: accepted, body: JSON.stringify(message) }));
  };
  if (era === 'modern') {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    return (method, params = {}) => {
      const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
      return post(method, { ...params, _meta }, headers);
    };
  }
  const begun = await post('initialize', INITIALIZE, own);
  await begun.text();
  const session = begun.headers.get('mcp-session-id');
  if (session !== null) own['mcp-session-id'] = session;
  own['mcp-protocol-version'] = '2025-11-25';
  await (await post('notifications/initialized', {}, own)).text();
  return (method, params = {}) => post(method, params, own);
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A remote server that demands a login, and its issuer, which binds tokens to the server and accepts a refresh token once. */
export interface LoginServer {
  readonly url: string;
  /** What was asked for tokens, and with which resource. */
  readonly grants: { readonly type: string | null; readonly resource: string | null }[];
  /** Addresses that a browser has opened. */
  readonly opened: URL[];
  /** Where programs registered to be called back. */
  readonly redirects: string[];
  /** What the person does in the browser. `wait` answers the browser only when `go` is called. */
  person: 'signs in' | 'refuses' | 'waits';
  /** Lets browsers that wait go on. */
  go(): void;
  /** Tokens that the server accepts. */
  readonly accepted: Set<string>;
  /** Each `Authorization` header, and where it arrived. */
  readonly sent: { readonly path: string; readonly authorization: string | undefined }[];
  /** Resolves with the next address that a browser opens. */
  next(): Promise<void>;
  close(): void;
}

const listen = async (
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void | Promise<void>,
) => {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    await handle(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

const json = (response: ServerResponse, value: object, status = 200, headers: object = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
};

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'guarded', version: '1' },
  },
  'tools/list': { tools: [{ name: 'read', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'called' }] },
  ping: {},
};

/** @param keepsRefresh whether the issuer gives refresh tokens */
export async function startLoginServer(keepsRefresh = true): Promise<LoginServer> {
  const refresh = new Set<string>();
  const codes = new Map<string, string | null>();
  const waiting: (() => void)[] = [];
  let last = 0;
  const issuer = await listen(async (request, response, body) => {
    const url = new URL(request.url ?? '', issuer.origin);
    const { pathname, searchParams } = url;
    if (pathname.startsWith('/.well-known/'))
      return json(response, {
        issuer: issuer.origin,
        authorization_endpoint: `${issuer.origin}/authorize`,
        token_endpoint: `${issuer.origin}/token`,
        registration_endpoint: `${issuer.origin}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    if (pathname === '/register') {
      const asked = JSON.parse(body);
      made.redirects.push(...asked.redirect_uris);
      return json(response, { ...asked, client_id: `client-${++last}` }, 201);
    }
    if (pathname === '/authorize') {
      made.opened.push(url);
      issuer.server.emit('opened');
      if (made.person === 'waits') await new Promise<void>((resolve) => waiting.push(resolve));
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      if (made.person === 'refuses') back.searchParams.set('error', 'access_denied');
      else {
        const code = `code-${++last}`;
        codes.set(code, searchParams.get('resource'));
        back.searchParams.set('code', code);
      }
      return void response.writeHead(302, { location: back.href }).end();
    }
    const form = new URLSearchParams(body);
    const type = form.get('grant_type');
    const resource = form.get('resource');
    made.grants.push({ type, resource });
    const [code, old] = [form.get('code') ?? '', form.get('refresh_token') ?? ''];
    const isValid = type === 'refresh_token' ? refresh.delete(old) : codes.delete(code);
    if (!isValid) return json(response, { error: 'invalid_grant' }, 400);
    const number = ++last;
    if (resource === made.url) made.accepted.add(`secret-token-${number}`);
    const next = `secret-refresh-${number}`;
    if (keepsRefresh) refresh.add(next);
    json(response, {
      access_token: `secret-token-${number}`,
      token_type: 'bearer',
      expires_in: 3600,
      ...(keepsRefresh ? { refresh_token: next } : {}),
    });
  });
  const server = await listen((request, response, body) => {
    const path = request.url ?? '';
    if (path.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, { resource: made.url, authorization_servers: [issuer.origin] });
    const { authorization } = request.headers;
    made.sent.push({ path, authorization });
    if (!made.accepted.has(authorization?.slice('Bearer '.length) ?? ''))
      return json(response, { error: 'invalid_token' }, 401, {
        'www-authenticate': `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`,
      });
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = RESULTS[method];
    json(response, {
      jsonrpc: '2.0',
      id,
      ...(result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }),
    });
  });
  const made: LoginServer = {
    url: `${server.origin}/mcp`,
    grants: [],
    opened: [],
    redirects: [],
    person: 'signs in',
    go() {
      made.person = 'signs in';
      for (const resume of waiting.splice(0)) resume();
    },
    accepted: new Set(),
    sent: [],
    next: async () => {
      await once(issuer.server, 'opened');
    },
    close() {
      issuer.close();
      server.close();
    },
  };
  return made;
}

import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { attachConcerns } from '../../src/core/gate/attach.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler, requireLogin } from '../../src/core/http/index.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import type { BufferedHandler } from '../../src/core/lambda/buffered.js';
import { createFunction } from '../../src/core/lambda/function.js';
import { policyOf } from '../gate/gate-harness.js';
import { httpEvent, rpc, withClaims } from '../lambda/events.js';

const policy = policyOf(`
concerns:
  notes: { values: ["notes:read", "notes:write"], multiple: true, obtainable: true, set-by: operator, claim: scope }
  team: { values: [ops, dev], default: dev, set-by: operator, claim: team }
primitives:
  tools: { readNote: { notes: "notes:read" }, writeNote: { notes: "notes:write" }, purge: { notes: "notes:write", team: ops } }
settings: { enforcement: enforce }
`);

const ran: string[] = [];
beforeEach(() => {
  ran.length = 0;
});
const TOOLS = ['readNote', 'writeNote', 'purge'];
const CHALLENGE =
  'Bearer error="insufficient_scope", scope="notes:write", resource_metadata="https://notes.example/.well-known/oauth-protected-resource/mcp"';

function runs(name: string) {
  ran.push(name);
  return { content: [{ type: 'text' as const, text: `ran ${name}` }] };
}
function legacyServer(): LegacyServer {
  const server = new LegacyServer({ name: 'notes', version: '1.0.0' });
  for (const name of TOOLS) server.registerTool(name, {}, () => runs(name));
  return server;
}
function serverV2(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  for (const name of TOOLS) server.registerTool(name, {}, () => runs(name));
  return server;
}

/** An endpoint and an authorization server. The token is the scopes that it grants. */
function world(handler: FetchHandler) {
  const statuses: number[] = [];
  const granted: string[] = [];
  const handle = requireLogin(handler, {
    servers: ['https://login.example'],
    scopes: ['notes:read'],
    verifier: {
      verifyAccessToken: async (token) => ({
        token,
        clientId: 'c',
        scopes: Buffer.from(token, 'base64url').toString().split(' '),
        expiresAt: 4102444800,
      }),
    },
  });
  const fetchAny = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    if (origin === 'https://notes.example') {
      const response = await handle(request);
      statuses.push(response.status);
      return response;
    }
    if (pathname.startsWith('/.well-known/')) {
      return Response.json({
        issuer: 'https://login.example',
        authorization_endpoint: 'https://login.example/authorize',
        token_endpoint: 'https://login.example/token',
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      });
    }
    const scope = new URLSearchParams(await request.text()).get('scope') ?? '';
    granted.push(scope);
    const access_token = Buffer.from(scope).toString('base64url');
    return Response.json({ access_token, token_type: 'Bearer', expires_in: 3600, scope });
  };
  return { fetchAny, statuses, granted };
}

describe.each([
  ['SDK v1', () => createHandler({ server: legacyServer, policy }), 'legacy' as const],
  ['SDK v2 of the legacy era', () => createHandlerV2({ server: serverV2, policy }), 'legacy' as const],
  [
    'SDK v2 of the modern era',
    () => createHandlerV2({ server: serverV2, policy }),
    { pin: '2026-07-28' } as const,
  ],
])('a client whose provider grants scopes, at an endpoint with %s', (_sdk, handler, mode) => {
  it('lists what it can get, and gets the scope when it calls', async () => {
    const { fetchAny, statuses, granted } = world(handler());
    const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('https://notes.example/mcp'), {
        authProvider: new ClientCredentialsProvider({
          clientId: 'c',
          clientSecret: 's',
          expectedIssuer: 'https://login.example',
        }),
        fetch: fetchAny,
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['readNote', 'writeNote']);
    expect(granted).toEqual(['notes:read']);
    expect(await client.callTool({ name: 'readNote', arguments: {} })).toMatchObject({
      content: [{ text: 'ran readNote' }],
    });
    expect(statuses).not.toContain(403);

    expect(await client.callTool({ name: 'writeNote', arguments: {} })).toMatchObject({
      content: [{ text: 'ran writeNote' }],
    });
    expect(statuses.filter((status) => status === 403)).toHaveLength(1);
    expect(granted.map((scope) => scope.split(' ').sort())).toEqual([
      ['notes:read'],
      ['notes:read', 'notes:write'],
    ]);
    expect(ran).toEqual(['readNote', 'writeNote']);
    await client.close();
  });
});

const call = (name: string) => rpc('tools/call', { name, arguments: {} });
const post = (body: unknown) =>
  new Request('https://notes.example/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  });
const reader = { token: 't', clientId: 'c', scopes: ['notes:read'], extra: { iss: 'i', sub: 's' } };

describe('a call that takes a scope', () => {
  it.each([
    ['SDK v1', createHandler({ server: legacyServer, policy })],
    ['SDK v2', createHandlerV2({ server: serverV2, policy })],
  ])('answers 403 with the scope and does not run, with %s', async (_sdk, handle) => {
    const response = await handle(post(call('writeNote')), { authInfo: reader });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([403, CHALLENGE]);
    expect(await response.text()).toContain('notes:write');
    expect(ran).toEqual([]);
  });

  it('has no challenge for a tool that something else hides, nor for an unknown one', async () => {
    const handle = createHandler({ server: legacyServer, policy });
    const answers = await Promise.all(
      ['purge', 'unknown'].map(async (name) => {
        const response = await handle(post(call(name)), { authInfo: reader });
        return [response.status, (await response.text()).replaceAll(name, 'NAME')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(200);
    expect(ran).toEqual([]);
  });

  it('answers 403 on Lambda', async () => {
    vi.spyOn(console, 'info').mockImplementation(() => undefined);
    const handle = createFunction({
      server: legacyServer,
      policy,
      env: { MCP_CONCERNS_SESSIONS: 'none', MCP_CONCERNS_RESOURCE: 'https://notes.example/mcp' },
    }) as BufferedHandler;
    const claims = { iss: 'i', sub: 's', scope: 'openid notes:read' };
    const refused = await handle(withClaims(httpEvent('POST', call('writeNote')), claims));
    expect(refused.statusCode).toBe(403);
    expect(refused.headers['www-authenticate']).toContain(
      'error="insufficient_scope", scope="notes:write", resource_metadata="https://',
    );
    const allowed = await handle(
      withClaims(httpEvent('POST', call('writeNote')), { ...claims, scope: 'notes:read notes:write' }),
    );
    expect([allowed.statusCode, ran]).toEqual([200, ['writeNote']]);
    vi.restoreAllMocks();
  });

  it('of a batch is answered by an error, and the other calls run', async () => {
    const handle = createHandler({ server: legacyServer, policy });
    const response = await handle(post([call('writeNote'), { ...call('readNote'), id: 2 }]), {
      authInfo: reader,
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"scope":"notes:write"');
    expect(ran).toEqual(['readNote']);
  });

  it('over a transport without HTTP is answered by an error with the scope', async () => {
    const server = legacyServer();
    attachConcerns(server, { policy });
    const client = new LegacyClient({ name: 'host', version: '1' });
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['readNote', 'writeNote']);
    const refused = client.callTool({ name: 'writeNote', arguments: {} });
    await expect(refused).rejects.toMatchObject({ code: -32003, data: { scope: 'notes:write' } });
    expect(ran).toEqual([]);
    await client.close();
  });
});

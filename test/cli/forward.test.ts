import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Running, run, start } from './run.js';

const open: (() => unknown)[] = [];
const before = { ...process.env };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forward-'));
  Object.assign(process.env, { XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder });
});

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  for (const name of ['XDG_STATE_HOME', 'XDG_RUNTIME_DIR']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A token in all texts of a server: the test searches for it. */
const MARK = 'token-marker-';

/** A remote server that lists a tool of the token of the request, and refuses requests without a token. */
async function startRemote(era: 'legacy' | 'modern') {
  const seen: (string | undefined)[] = [];
  let redirect: string | undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization } = request.headers;
    seen.push(authorization);
    if (redirect !== undefined) return void response.writeHead(307, { location: redirect }).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (authorization === undefined)
      return void response.writeHead(401, { 'www-authenticate': 'Bearer scope="read"' }).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = resultOf(method, authorization.split(MARK)[1] ?? '');
    const answer =
      result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    response.writeHead(result === undefined && era === 'legacy' ? 404 : 200, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  const resultOf = (method: string, who: string): object | undefined => {
    const cached = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
    const capabilities = { tools: {} };
    if (method === 'initialize' && era === 'legacy')
      return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'remote', version: '1' } };
    if (method === 'server/discover' && era === 'modern')
      return { ...cached, supportedVersions: ['2026-07-28'], capabilities };
    if (method === 'tools/list')
      return { ...cached, tools: [{ name: `of-${who}`, inputSchema: { type: 'object' } }] };
    if (method === 'tools/call') return { ...cached, content: [{ type: 'text', text: `called by ${who}` }] };
    return method === 'ping' ? {} : undefined;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    redirectTo(url: string | undefined) {
      redirect = url;
    },
  };
}

const POLICY =
  'version: 1\nsettings: { panel: off }\nconcerns:\n  effect: { values: [read, write], match: at-most }\n';

async function serve(...args: string[]): Promise<Running & { readonly url: string }> {
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, POLICY);
  const service = ['--port', '0', '--open', '--allow-host', 'mcp.example', '--log', 'json'];
  const running = start('serve', '--no-project', '--policy', policy, ...service, ...args);
  open.push(async () => {
    running.child.kill('SIGINT');
    await running.ended;
  });
  const [, url = ''] = /on (http\S+)/.exec(await running.until('stdout', /on http\S+/)) ?? [];
  return { ...running, url };
}

const header = (who: string) => ({ requestInit: { headers: { authorization: `Bearer ${MARK}${who}` } } });

async function legacyHost(url: string, who: string) {
  const client = new Client({ name: 'same name', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), header(who)));
  open.push(() => client.close());
  return client;
}

async function modernHost(url: string, who: string) {
  const client = new ModernClient(
    { name: 'same name', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new ModernTransport(new URL(url), header(who)));
  open.push(() => client.close());
  return client;
}

const names = async (client: Client | ModernClient) =>
  (await client.listTools()).tools.map(({ name }) => name);

describe.each(['legacy', 'modern'] as const)(
  'a %s server that gets the header Authorization of hosts',
  (era) => {
    it('lists to each host what its token may see, and gets no other token', async () => {
      const remote = await startRemote(era);
      const running = await serve('--url', remote.url, '--forward', 'authorization');
      // Nobody asks it anything without a host.
      expect(remote.seen).toEqual([]);
      const hosts = [
        ['ada', await legacyHost(running.url, 'ada')],
        ['bob', await legacyHost(running.url, 'bob')],
        ['cyd', await modernHost(running.url, 'cyd')],
        ['dan', await modernHost(running.url, 'dan')],
      ] as const;
      for (const [who, client] of [...hosts, ...hosts]) {
        expect(await names(client)).toEqual([`of-${who}`]);
        expect(await client.callTool({ name: `of-${who}`, arguments: {} })).toMatchObject({
          content: [{ text: `called by ${who}` }],
        });
      }
      // What each host was answered has the token that the server got for it. Nothing comes without one, or with another.
      const own = hosts.map(([who]) => `Bearer ${MARK}${who}`);
      expect(new Set(remote.seen)).toEqual(new Set(own));
      // A redirect to another origin is not followed, and the error has nothing of the token.
      const other = await startRemote(era);
      remote.redirectTo(other.url);
      for (const [, client] of hosts) {
        const refused = await client.callTool({ name: 'any', arguments: {} }).catch(String);
        expect(refused).toMatch(/redirects to/);
        expect(refused).not.toContain(MARK);
      }
      expect(other.seen).toEqual([]);
      running.child.kill('SIGINT');
      const { stdout, stderr } = await running.ended;
      expect(stderr).toContain('"tools/call"');
      expect(stdout + stderr).not.toContain(MARK);
      for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }))
        if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(MARK);
    });

    it('is one of several, of which the others get no header', async () => {
      const [remote, other] = [await startRemote(era), await startRemote(era)];
      const file = join(folder, 'servers.json');
      const mcpServers = {
        one: { url: remote.url, forward: ['authorization'] },
        two: { url: other.url, headers: { authorization: 'Bearer own' } },
      };
      writeFileSync(file, JSON.stringify({ mcpServers }));
      const { url } = await serve('--servers', file);
      for (const host of [legacyHost, modernHost])
        for (const who of ['ada', 'bob'])
          expect(await names(await host(url, who))).toEqual(expect.arrayContaining([`one__of-${who}`]));
      expect(new Set(other.seen)).toEqual(new Set(['Bearer own']));
      expect(new Set(remote.seen)).toEqual(new Set([`Bearer ${MARK}ada`, `Bearer ${MARK}bob`]));
    });
  },
);

it('is told as the server tells it that a host has no token', async () => {
  const remote = await startRemote('legacy');
  const { url } = await serve('--url', remote.url, '--forward', 'authorization');
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
    }),
  });
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer scope="read"');
});

it.each([
  [['--allow-host', 'mcp.example'], 'only where this endpoint does not need it'],
  [['--issuer', 'https://login.example', '--audience', 'a'], 'only where this endpoint does not need it'],
  [['--isolation', 'shared'], 'is not shared. Pass --isolation per-session'],
  [['--login'], 'Pass --login or --forward, not both'],
])('is not served with %j', async (args, message) => {
  const served = [
    'serve',
    '--no-project',
    '--policy',
    'policies/vault.yaml',
    '--url',
    'http://127.0.0.1:9/mcp',
  ];
  const { code, stderr } = await run(...served, '--forward', 'authorization', ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

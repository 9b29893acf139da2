import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { bridge } from '../../src/proxy/isolation.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { ask } from './modern-client.js';
import { RawConnection } from './raw-connection.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const TOOLS = { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
const ABOUT = { capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };

/** A server at a URL that can be replaced by one of the other era. Each refuses what only the other knows, with HTTP 400. */
async function replaceable(first: 'legacy' | 'modern') {
  const server = {
    era: first,
    received: [] as string[],
    /** Ids of the sessions of the legacy server that runs now. */
    sessions: new Set<string>(),
  };
  const http = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    server.received.push(method);
    if (id === undefined) return void response.writeHead(202).end();
    const session = String(request.headers['mcp-session-id']);
    const isKnown = server.era === 'modern' ? method !== 'initialize' : server.sessions.has(session);
    const begins = server.era === 'legacy' && method === 'initialize';
    const isModern = request.headers['mcp-protocol-version'] === '2026-07-28';
    if (!begins && (!isKnown || isModern !== (server.era === 'modern') || method === 'tools/bad'))
      return void response.writeHead(400).end('Bad Request');
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-11-25', ...ABOUT },
      'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], ...ABOUT },
      'tools/list': server.era === 'modern' ? { resultType: 'complete', ...TOOLS } : TOOLS,
    };
    const fresh = begins ? { 'mcp-session-id': crypto.randomUUID() } : undefined;
    if (fresh !== undefined) server.sessions.add(fresh['mcp-session-id']);
    response.writeHead(200, { 'content-type': 'application/json', ...fresh });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const bridged = bridge(() => remoteTransport(url), 'per-session', {
    isLongLived: true,
    isOfOnePerson: true,
  });
  open.push(
    async () => void http.close(),
    () => bridged.close(),
  );
  const replace = (era: 'legacy' | 'modern'): void => {
    server.era = era;
    server.sessions.clear();
  };
  return { server, url, bridged, replace };
}

const ERAS = [
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const;

it.each(ERAS)('a modern host works on when a %s server is replaced by a %s one', async (before, after) => {
  const { bridged, replace } = await replaceable(before);
  expect((await ask(bridged, 'ada', 'tools/list')).result).toMatchObject(TOOLS);
  replace(after);
  const listed = await Promise.all([1, 2, 3].map(() => ask(bridged, 'ada', 'tools/list')));
  for (const { result } of listed) expect(result).toMatchObject(TOOLS);
});

it.each(ERAS)('a legacy session works on when a %s server is replaced by a %s one', async (before, after) => {
  const { url, replace } = await replaceable(before);
  const client = new RawConnection(() => remoteTransport(url), { isLongLived: true, isOfOnePerson: true });
  open.push(() => client.close());
  const answers = new Map<unknown, object>();
  client.onmessage = (message) => {
    if ('id' in message) answers.set(message.id, message);
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'h', version: '1' } };
  await client.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  for (const id of [1, 2]) {
    await client.send({ jsonrpc: '2.0', id, method: 'tools/list' });
    await expect.poll(() => answers.get(id)).toMatchObject({ result: TOOLS });
    replace(after);
  }
});

it('a request that the server refuses does not end its session', async () => {
  const { server, bridged } = await replaceable('legacy');
  await ask(bridged, 'ada', 'tools/list');
  const [session] = server.sessions;
  expect((await ask(bridged, 'ada', 'tools/bad')).error?.message).toContain('HTTP 400');
  expect((await ask(bridged, 'ada', 'tools/list')).result).toMatchObject(TOOLS);
  expect(server.sessions.has(String(session))).toBe(true);
  expect(server.received.filter((method) => method === 'tools/bad')).toHaveLength(1);
});

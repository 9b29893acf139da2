import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { type LocalEndpoint, listenLocally, serveLocally } from '../../src/core/http/local.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { RequestLog } from '../../src/core/telemetry/request-log.js';
import { rpc } from '../lambda/events.js';

const logged: RequestLog[] = [];
let endpoint: LocalEndpoint;
let port: number;
const options = {
  server: () => createVaultServer(),
  policy: loadPolicy('policies/vault.yaml'),
  store: createMemoryStore(),
  log: (entry: RequestLog) => logged.push(entry),
};
beforeAll(async () => {
  endpoint = await serveLocally(options);
  port = Number(new URL(endpoint.url).port);
});
afterAll(() => endpoint.close());

/** Sends a request with any Host header, which `fetch` does not allow. */
async function send(
  headers: Record<string, string>,
  path = '/mcp',
  accepted: Record<string, string> = { accept: 'application/json, text/event-stream' },
): Promise<{ status: number; body: string }> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    headers: {
      ...accepted,
      'content-type': 'application/json',
      ...headers,
    },
  });
  sent.end(JSON.stringify(rpc('tools/list')));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

describe('the local endpoint', () => {
  it.each([
    ['its address', () => ({ host: `127.0.0.1:${port}` })],
    ['its name', () => ({ host: `localhost:${port}` })],
    ['its own page', () => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` })],
    ['its own page, by address', () => ({ host: `localhost:${port}`, origin: `http://127.0.0.1:${port}` })],
  ])('serves a request that names %s', async (_what, headers) => {
    expect(await send(headers())).toMatchObject({
      status: 200,
      body: expect.stringContaining('encryptData'),
    });
  });

  it.each([
    ['a host name that an attacker points at it', () => ({ host: 'rebind.example' })],
    ['such a host name with the port', () => ({ host: `rebind.example:${port}` })],
    ['another port', () => ({ host: '127.0.0.1:1' })],
    ['no port', () => ({ host: 'localhost' })],
    ['a page of another site', () => ({ host: `localhost:${port}`, origin: 'https://evil.example' })],
    ['a page of another port', () => ({ host: `localhost:${port}`, origin: 'http://localhost:1' })],
    ['a page over https', () => ({ host: `localhost:${port}`, origin: `https://localhost:${port}` })],
    ['a page without an origin', () => ({ host: `localhost:${port}`, origin: 'null' })],
  ])('refuses %s', async (_what, headers) => {
    const { status, body } = await send(headers());
    expect(status).toBe(403);
    expect(body).not.toContain('encryptData');
  });

  it.each([
    ['that does not say what it accepts', undefined, 200],
    ['that accepts anything', '*/*', 200],
    ['that prefers JSON', 'application/json, */*;q=0.1', 200],
    ['that refuses anything else', 'application/json, */*;q=0', 406],
    ['that accepts only JSON', 'application/json', 406],
    ['that wants a page', 'text/html', 406],
  ])('reads the header Accept of a client %s', async (_what, accept, status) => {
    const headers = accept === undefined ? {} : { accept };
    expect((await send({ host: `127.0.0.1:${port}`, ...headers }, '/mcp', {})).status).toBe(status);
  });

  it('serves the same path with a slash at its end, and no longer path', async () => {
    expect((await send({ host: `127.0.0.1:${port}` }, '/mcp/')).status).toBe(200);
    expect((await send({ host: `127.0.0.1:${port}` }, '/mcp//')).status).toBe(404);
    expect((await send({ host: `127.0.0.1:${port}` }, '/mcp/other')).status).toBe(404);
  });

  it('sends the headers of an answer together with it, and before an answer that takes long', async () => {
    let answer = (): void => undefined;
    const later = await listenLocally(async (request) => {
      const body = new ReadableStream({
        start(controller) {
          answer = () => {
            controller.enqueue(new TextEncoder().encode('served'));
            controller.close();
          };
          if (request.method === 'POST') setTimeout(answer, 5);
        },
      });
      return new Response(body);
    }, {});
    const { hostname, port: ofLater, pathname } = new URL(later.url);
    const socket = connect(Number(ofLater), hostname);
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${ofLater}\r\nContent-Length: 0\r\n\r\n`);
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toContain('served');
    const slow = await fetch(later.url);
    answer();
    expect(await slow.text()).toBe('served');
    await later.close();
  });

  it('answers requests of its own path itself, and leaves only other paths to what is beside it', async () => {
    const beside = async () => new Response('beside');
    const served = await listenLocally(async () => new Response('served'), { beside });
    const ask = async (path: string) => (await fetch(new URL(path, served.url), { method: 'POST' })).text();
    expect(await ask('/mcp')).toBe('served');
    expect(await ask('/readyz')).toBe('beside');
    await served.close();
  });

  it('serves only the path with its key, and says nothing about it', async () => {
    const keyed = await listenLocally(async () => new Response('served'), { key: 'k'.repeat(24) });
    const ask = async (path: string) => {
      const response = await fetch(new URL(path, keyed.url), { method: 'POST' });
      return { status: response.status, body: await response.text() };
    };
    const paths = ['/mcp', '/mcp/', `/mcp/${'k'.repeat(23)}`, `/mcp/${'K'.repeat(24)}`, '/', '/server-card'];
    for (const path of paths) expect(await ask(path)).toEqual({ status: 404, body: 'Not found.\n' });
    expect((await fetch(new URL('/mcp/server-card', keyed.url))).status).toBe(404);
    expect(await ask(keyed.url)).toEqual({ status: 200, body: 'served' });
    await keyed.close();
  });

  it('serves only the path /mcp without a key', async () => {
    expect(await send({}, '/other')).toMatchObject({ status: 404, body: 'Not found: use /mcp.\n' });
  });

  it('rejects a body that is too long before it has arrived completely', async () => {
    const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST' });
    sent.on('error', () => undefined);
    sent.write('x'.repeat(5 * 1024 * 1024));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    sent.destroy();
  });

  it('logs a request when its response is complete', async () => {
    logged.length = 0;
    await send({ 'mcp-session-id': 'a'.repeat(32) });
    expect(logged).toMatchObject([
      {
        httpMethod: 'POST',
        status: 404,
        durationMs: expect.any(Number),
        reports: [],
        storeCalls: [{ operation: 'read' }],
      },
    ]);
  });

  it('names a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const taken = (other.address() as { port: number }).port;
    await expect(serveLocally({ ...options, port: taken })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: `Port ${taken} on 127.0.0.1 cannot be used (EADDRINUSE). Choose another port.`,
    });
    other.close();
  });
});

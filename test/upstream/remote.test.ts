import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { UpstreamEvent } from '../../src/core/telemetry/upstream-event.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { RawConnection } from './raw-connection.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A remote server that opens sessions, and refuses calls with a body that repeats them. */
async function remote(status = 500): Promise<{ url: string; methods: string[]; calls: () => number }> {
  const methods: string[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      methods.push(request.method ?? '');
      const message = body === '' ? {} : (JSON.parse(body) as { id?: number; method?: string });
      if (message.method === 'initialize') {
        const result = {
          protocolVersion: '2025-11-25',
          capabilities: {},
          serverInfo: { name: 'r', version: '1' },
        };
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      }
      if (message.method === 'tools/call' || message.method === 'tools/list') {
        calls++;
        return response.writeHead(status).end(`I cannot run ${body}`);
      }
      response.writeHead(request.method === 'POST' ? 202 : request.method === 'DELETE' ? 200 : 405).end();
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    methods,
    calls: () => calls,
  };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
} as const;

it('ends its session at the server when it is closed', async () => {
  const { url, methods } = await remote();
  const transport = remoteTransport(url);
  await transport.start();
  await transport.send(initialize);
  await transport.close();
  expect(methods).toContain('DELETE');
});

it('reports a failure without the text of the server, which can repeat arguments', async () => {
  const { url } = await remote();
  const events: UpstreamEvent[] = [];
  const transport = new RawConnection(() => remoteTransport(url), {
    report: (event) => events.push(event),
  });
  const answers: unknown[] = [];
  transport.onmessage = (message) => answers.push(message);
  await transport.send(initialize);
  await transport.send({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'x', arguments: { key: 'MARKER' } },
  });
  await expect.poll(() => answers.length).toBe(2);
  expect(JSON.stringify(answers)).toContain('it answered HTTP 500');
  expect(JSON.stringify([events, answers])).not.toContain('MARKER');
  await transport.close();
});

describe('a healthy remote server that refuses one request', () => {
  it.each([400, 403, 422])(
    'with HTTP %i has not failed, and does not get the request again',
    async (status) => {
      const { url, calls } = await remote(status);
      const events: UpstreamEvent[] = [];
      const received: JSONRPCMessage[] = [];
      const transport = new RawConnection(() => remoteTransport(url), {
        report: (event) => void events.push(event),
      });
      transport.onmessage = (message) => void received.push(message);
      await transport.send(initialize);
      for (const [id, method] of [
        [2, 'tools/call'],
        [3, 'tools/list'],
      ] as const) {
        await transport.send({ jsonrpc: '2.0', id, method, params: { name: 'MARKER' } });
        const message = expect.stringMatching(
          new RegExp(`refused the request: it answered HTTP ${status}\\.`),
        );
        await expect.poll(() => received.at(-1)).toMatchObject({ id, error: { message } });
      }
      await transport.close();
      expect(calls()).toBe(2);
      expect(events.map(({ state }) => state)).toEqual(['connecting', 'ready']);
      expect(JSON.stringify([events, received])).not.toContain('MARKER');
    },
  );

  it.each([401, 404, 429, 503])('fails with HTTP %i, which does not blame the request', async (status) => {
    const { url } = await remote(status);
    const events: UpstreamEvent[] = [];
    const transport = new RawConnection(() => remoteTransport(url), {
      report: (event) => void events.push(event),
    });
    await transport.send(initialize);
    await transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x' } });
    await expect.poll(() => events.map(({ state }) => state)).toContain('failed');
    await transport.close();
  });
});

describe('a remote server that sends a message without an end', () => {
  it.each(['text/event-stream', 'application/json'])('as %s is cut off after 64 MiB', async (type) => {
    let [sent, calls] = [0, 0];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (!body.includes('tools/call')) {
        if (!body.includes('"initialize"')) return void response.writeHead(202).end();
        const { id } = JSON.parse(body);
        const serverInfo = { name: 'r', version: '1' };
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }
      calls += 1;
      response.writeHead(200, { 'content-type': type });
      const part = Buffer.alloc(1024 * 1024, 'x');
      const write = (): void => {
        sent += part.length;
        if (sent >= 100 * part.length || response.destroyed) return;
        // Counts what the other side takes, not what waits here.
        if (response.write(part)) setImmediate(write);
        else response.once('drain', write);
      };
      response.write(type === 'application/json' ? '"' : ': ping\n\ndata: ');
      write();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const transport = new RawConnection(() =>
      remoteTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    );
    const received: JSONRPCMessage[] = [];
    await transport.send(initialize);
    transport.onmessage = (message) => void received.push(message);
    void transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x' } });
    await expect
      .poll(() => received)
      .toMatchObject([{ id: 2, error: { message: expect.stringContaining('more than 64 MiB') } }]);
    expect(sent).toBeLessThan(100 * 1024 * 1024);
    // The call has run: sending it again could repeat its effect.
    expect(calls).toBe(1);
    await transport.close();
  });
});

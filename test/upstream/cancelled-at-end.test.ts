import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ownCall, unaskable } from '../../src/proxy/call.js';
import { Channel } from '../../src/proxy/channel.js';
import { RemoteTransport } from '../../src/proxy/wires/remote.js';
import { PATIENCE } from '../patience.js';

it('a cancellation reaches a server whose connection is closed right after it', async () => {
  const received: string[] = [];
  let called = (): void => undefined;
  const isCalled = new Promise<void>((resolve) => {
    called = resolve;
  });
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method } = JSON.parse(body || '{}');
    if (method === 'tools/call') called();
    // As a server that is far away, or busy.
    await sleep(100);
    if (response.destroyed) return;
    received.push(method ?? request.method);
    if (method !== 'tools/call') response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const owner = {
    signal: new AbortController().signal,
    notified: () => undefined,
    ask: unaskable,
    lost: () => undefined,
    stderr: () => undefined,
  };
  const channel = new Channel(new RemoteTransport(url, {}), owner, PATIENCE.wait);
  await channel.begin(PATIENCE.wait, async () => undefined);
  const controller = new AbortController();
  const answer = channel.request({ ...ownCall('tools/call', { name: 'wait' }), signal: controller.signal });
  await isCalled;
  controller.abort();
  await answer;
  await channel.close();
  expect(received).toContain('notifications/cancelled');
  server.closeAllConnections();
  server.close();
});

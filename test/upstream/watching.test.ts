import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, it } from 'vitest';
import type { UpstreamEvent } from '../../src/core/telemetry/upstream-event.js';
import type { Wire } from '../../src/proxy/wires/wire.js';
import { RawConnection } from './raw-connection.js';

const SILENCE_MS = 90;

/** A server in this process that answers `initialize`, and nothing else while it hangs. */
class HangingServer implements Wire {
  readonly cancelsBySignal = false;
  readonly ended = undefined;
  static started = 0;
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  isPaused = false;

  async start(): Promise<void> {
    HangingServer.started++;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) || message.method !== 'initialize' || !('id' in message)) return;
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'h', version: '1' },
    };
    queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id: message.id, result }));
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  async close(): Promise<void> {}
}

const open: RawConnection[] = [];
afterEach(async () => {
  for (const upstream of open.splice(0)) await upstream.close();
});

async function hanging(silenceMs = SILENCE_MS) {
  const events: UpstreamEvent[] = [];
  const servers: HangingServer[] = [];
  const upstream = new RawConnection(
    () => {
      const server = new HangingServer();
      servers.push(server);
      return server;
    },
    { silenceMs, report: (event) => events.push(event) },
  );
  open.push(upstream);
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  };
  await upstream.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const failures = () => events.filter(({ state }) => state === 'failed').length;
  return { upstream, servers, failures };
}

const call = (id: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'x' },
});
const cancel = (requestId: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

it('replaces a server that hangs, also if every caller leaves before it is found silent', async () => {
  const { upstream, servers, failures } = await hanging();
  for (let id = 1; id <= 20 && failures() === 0; id++) {
    await upstream.send(call(id));
    await wait(SILENCE_MS / 4);
    await upstream.send(cancel(id));
    await wait(SILENCE_MS / 4);
  }
  expect(failures()).toBeGreaterThan(0);
  await upstream.send(call(100));
  await expect.poll(() => servers.length).toBeGreaterThan(1);
});

it('does not take a server for silent while nothing is read from it', async () => {
  const { upstream, failures } = await hanging();
  await upstream.send(call(1));
  await upstream.pause();
  await wait(SILENCE_MS * 4);
  expect(failures()).toBe(0);
  await upstream.resume();
  await expect.poll(failures).toBeGreaterThan(0);
});

it('is not read after it was opened again while clients are slow', async () => {
  const { upstream, servers } = await hanging();
  await upstream.pause();
  expect(servers[0]?.isPaused).toBe(true);
  servers[0]?.onclose?.();
  await upstream.send(call(1));
  expect(servers.map(({ isPaused }) => isPaused)).toEqual([true, true]);
  await upstream.resume();
  expect(servers[1]?.isPaused).toBe(false);
});

it('refuses requests when too much waits for a server that does not answer', async () => {
  const { upstream } = await hanging(60_000);
  const errors: string[] = [];
  upstream.onmessage = (message) => {
    if ('error' in message) errors.push(message.error.message);
  };
  const text = 'x'.repeat(4 * 1024 * 1024);
  for (let id = 1; id <= 20; id++) {
    await upstream.send({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'x', arguments: { text } },
    });
  }
  expect(errors).toHaveLength(5);
  expect(errors[0]).toContain('requests of 64 MiB already wait for it');
  // A cancelled request makes room.
  await upstream.send(cancel(1));
  await upstream.send({
    jsonrpc: '2.0',
    id: 21,
    method: 'tools/call',
    params: { name: 'x', arguments: { text } },
  });
  expect(errors).toHaveLength(5);
});

it('ends a server that is still starting when its client begins again', async () => {
  const closed = [false, false];
  let started = 0;
  const upstream = new RawConnection(() => {
    const at = started++;
    const close = async (): Promise<void> => {
      closed[at] = true;
    };
    return Object.assign(new HangingServer(), { send: async () => undefined, close });
  });
  open.push(upstream);
  for (const id of [1, 2]) void upstream.send({ jsonrpc: '2.0', id, method: 'initialize', params: {} });
  await expect.poll(() => closed).toEqual([true, false]);
});

import { EventEmitter } from 'node:events';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { AttachError, attachConcerns } from '../../src/core/gate/attach.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { policyOf } from './gate-harness.js';

const policy = policyOf('concerns: { level: { values: [low, high] } }\nsettings: { enforcement: enforce }\n');

/** A server that keeps the transport that it is connected to. */
class FakeServer {
  readonly connected: Transport[] = [];

  async connect(transport: Transport): Promise<void> {
    this.connected.push(transport);
    await transport.start();
  }

  setRequestHandler(): void {}
}

/** A framework that gives out the server that it connects. */
class Wrapper {
  get server(): FakeServer {
    return this.made;
  }

  private readonly made = new FakeServer();
}

/** Sends a message to a server without an SDK, and returns what the client gets. */
async function received(server: FakeServer, message: object): Promise<unknown[]> {
  const [client, side] = InMemoryTransport.createLinkedPair();
  const messages: unknown[] = [];
  client.onmessage = (each) => messages.push(each);
  await server.connect(side);
  await client.start();
  await client.send({ jsonrpc: '2.0', id: 1, method: 'unknown', ...message });
  return messages;
}
const REFUSED = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } };

describe('attaching concerns', () => {
  it('puts the gate between a server and each transport', async () => {
    const server = new FakeServer();
    attachConcerns(server, { policy });
    expect(await received(server, {})).toEqual([REFUSED]);
    expect(await received(server, {})).toEqual([REFUSED]);
    expect(server.connected).toHaveLength(2);
  });

  it('puts the gate into the server that another one contains', async () => {
    const server = new FakeServer();
    attachConcerns({ server }, { policy });
    expect(await received(server, {})).toEqual([REFUSED]);
  });

  const info = { name: 'vault', version: '1.0.0' };
  it.each<[string, () => object]>([
    ['a subclass of a server', () => new (class extends McpServer {})(info)],
    ['a subclass of a server of SDK v2', () => new (class extends McpServerV2 {})(info)],
    ['a proxy of a server', () => new Proxy(new McpServer(info).server, {})],
    ['the server inside a server', () => new McpServerV2(info).server],
    ['what contains a server by a getter', () => new Wrapper()],
  ])('accepts %s', (_what, make) => {
    expect(() => attachConcerns(make() as FakeServer, { policy })).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['a value without members', {}],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'server.js'],
    ['a function that makes a server', () => new McpServer(info)],
    ['an object whose connect is not a method', { connect: 'now', setRequestHandler: () => undefined }],
    ['an object that contains no server', { connect: async () => undefined, server: {} }],
    ['an object with only connect', { connect: async () => undefined }],
    ['an emitter of events', new EventEmitter()],
    ['a client', new Client(info)],
    ['a client of SDK v2', new ClientV2(info)],
    ['what contains a client', { server: new Client(info) }],
  ])('is refused for %s', (_what, value) => {
    const message =
      'The value passed to attachConcerns is not a Server or McpServer of an MCP SDK, so nothing would be filtered. If a framework makes the server, pass the server inside it, or run "mcp-concerns serve" in front of it.';
    const attach = () => attachConcerns(value as FakeServer, { policy });
    expect(attach).toThrow(AttachError);
    expect(attach).toThrow(expect.objectContaining({ message, code: 'ATTACH_INVALID', name: 'AttachError' }));
  });

  it.each<[string, unknown, string]>([
    ['the path of a policy', 'policy.yaml', 'is missing'],
    ['a policy without its key', policy, 'is missing'],
    ['no options', undefined, 'is missing'],
    ['a path under its key', { policy: 'policy.yaml' }, 'must be a policy, but is the text "policy.yaml"'],
    ['parsed YAML under its key', { policy: { version: 1 } }, 'must be a policy, but is other data'],
  ])('is refused for %s', (_what, options, problem) => {
    const attach = () => Reflect.apply(attachConcerns, undefined, [new FakeServer(), options]);
    expect(attach).toThrow(AttachError);
    expect(attach).toThrow(
      `The option "policy" ${problem}. Pass { policy: loadPolicy('policy.yaml') }, or openCompiledPolicy for compiled JSON.`,
    );
  });

  it.each([
    ['SDK v1', () => new McpServer({ name: 'vault', version: '1.0.0' })],
    ['SDK v2', () => new McpServerV2({ name: 'vault', version: '1.0.0' })],
  ])('is refused for a server of %s that is connected, until it is closed', async (_sdk, create) => {
    const message =
      'attachConcerns was called after connect, so the gate would see no message. Call it before server.connect().';
    for (const part of ['McpServer', 'Server'] as const) {
      const server = create();
      const attach = () => attachConcerns(part === 'McpServer' ? server : server.server, { policy });
      await server.connect(InMemoryTransport.createLinkedPair()[0]);
      expect(attach).toThrow(AttachError);
      expect(attach).toThrow(message);
      await server.close();
      expect(attach).not.toThrow();
    }
  });

  it('returns what to wait for before a response is finished', async () => {
    let answer = () => {};
    const memory = createMemoryStore();
    const store = {
      ...memory,
      read: (id: string) =>
        new Promise<Awaited<ReturnType<typeof memory.read>>>((resolve) => {
          answer = () => resolve(memory.read(id));
        }),
    };
    const server = new FakeServer();
    const { settled } = attachConcerns(server, { policy, store });
    await settled();
    const [client, side] = InMemoryTransport.createLinkedPair();
    side.sessionId = 's';
    await server.connect(side);
    await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    let isSettled = false;
    const waiting = settled().then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    answer();
    await waiting;
    expect(isSettled).toBe(true);
  });
});

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { gatedTransport } from '../../../src/core/gate/edge/gated-transport.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import { policyOf } from '../gate-harness.js';

const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Connects a client that keeps what it receives to a server without an SDK. */
async function open(live: LivePolicy, answer: (method: string) => object | undefined) {
  const [client, side] = InMemoryTransport.createLinkedPair();
  const server: Transport = gatedTransport(side, { policy: live });
  server.onmessage = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const given = answer(message.method);
    if (given !== undefined) void server.send({ jsonrpc: '2.0', id: message.id, ...given } as JSONRPCMessage);
  };
  await server.start();
  const received: JSONRPCMessage[] = [];
  client.onmessage = (message) => void received.push(message);
  await client.start();
  const send = (message: object) => client.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  return { received, send, server };
}

it('removes hidden entries from the answer to a hidden URI that a visible template matches', async () => {
  const resources = [{ uri: 'r://t/listed', name: 'x', description: 'SECRET' }];
  const hide = '{ "===": [{ var: primitive.uri }, "r://t/listed"] }';
  const live = new LivePolicy(
    policyOf(`rules: [{ id: no, hide: [resources], when: ${hide} }]\nsettings: { enforcement: enforce }\n`),
  );
  const { received, send } = await open(live, (method) => {
    if (method === 'resources/templates/list') {
      return { result: { resourceTemplates: [{ uriTemplate: 'r://t/{id}', name: 't' }] } };
    }
    if (method === 'resources/list' || method === 'resources/directory/read')
      return { result: { resources } };
    return { error: { code: -32601, message: 'Method not found' } };
  });
  await send({ id: 1, method: 'resources/directory/read', params: { uri: 'r://t/listed' } });
  await settled();
  expect(received).toHaveLength(1);
  expect(JSON.stringify(received)).not.toContain('SECRET');
});

it('delivers an answer to a request that passed before the policy was replaced by one that enforces', async () => {
  const live = new LivePolicy(policyOf('settings: { enforcement: advisory }\n'));
  const { received, send, server } = await open(live, () => undefined);
  await send({ id: 1, method: 'tools/call', params: { name: 'a' } });
  await send({ id: 2, method: 'tools/list' });
  live.replace(policyOf('settings: { enforcement: enforce }\n'));
  await server.send({ jsonrpc: '2.0', id: 'nobody', result: {} });
  await server.send({ jsonrpc: '2.0', id: 1, result: { content: [] } });
  await settled();
  expect(received.map((message) => ('id' in message ? message.id : undefined))).toEqual([1]);
});

it('delivers two answers to an id that was used twice before the policy enforced', async () => {
  const live = new LivePolicy(policyOf('settings: { enforcement: advisory }\n'));
  const { received, send, server } = await open(live, () => undefined);
  await send({ id: 1, method: 'tools/call', params: { name: 'a' } });
  await send({ id: 1, method: 'tools/call', params: { name: 'b' } });
  live.replace(policyOf('settings: { enforcement: enforce }\n'));
  for (const text of ['a', 'b', 'nobody']) {
    await server.send({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } });
  }
  await settled();
  expect(received).toHaveLength(2);
});

it('drops the update of a hidden resource that a server sends before the client does', async () => {
  const hide = '{ "===": [{ var: primitive.uri }, "r://t/MARKER"] }';
  const live = new LivePolicy(
    policyOf(`rules: [{ id: no, hide: [resources], when: ${hide} }]\nsettings: { enforcement: enforce }\n`),
  );
  const { received, server } = await open(live, () => undefined);
  const params = { uri: 'r://t/MARKER' };
  await server.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
  await settled();
  expect(received).toEqual([]);
});

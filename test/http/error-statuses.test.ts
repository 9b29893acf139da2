import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { afterEach, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { bridge } from '../../src/proxy/isolation.js';
import { policyOf } from '../gate/gate-harness.js';
import { child, envelope } from '../upstream/modern-client.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A text that only looks like an error, and errors. */
const SERVER = `
  if (m.method === 'initialize') return send({ id: m.id, result: info });
  if (m.method === 'tools/call') return send({ id: m.id, result: { content: [], note: { error: -32601 } } });
  if (m.id !== undefined) send({ id: m.id, error: { code: -32601, message: 'Method not found' } });`;

it.each([
  ['tools/call', 200],
  ['prompts/list', 404],
  ['ping', 404],
])('a modern host that sends %s with a long id gets HTTP %i', async (method, status) => {
  const bridged = bridge(() => child(SERVER), 'shared', { isLongLived: true, isOfOnePerson: true });
  open.push(() => bridged.close());
  const handle = createHandler({
    server: (context) => bridged.make(context),
    policy: policyOf('concerns: {}'),
  });
  const params = { name: 'any', arguments: {}, _meta: envelope() };
  const id = 'i'.repeat(300);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(method === 'tools/call' ? { 'mcp-name': 'any' } : {}),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const response = await handle(new Request('http://host/mcp', { method: 'POST', headers, body }));
  expect(await response.json()).toMatchObject({ id });
  expect(response.status).toBe(status);
});

/** A server whose error arrives after the SDK has chosen a status. */
function lateServer(): Server {
  const server = new Server({ name: 'own', version: '1' }, { capabilities: { prompts: {}, tools: {} } });
  server.setRequestHandler('prompts/list', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new ProtocolError(-32601, 'Not here');
  });
  return server;
}

it.each([
  ['updateConcerns', 404],
  ['listConcerns', 200],
  ['no/such-method', 404],
  ['prompts/list', 404],
])('a modern host that sends %s to a server of the SDK gets HTTP %i', async (method, status) => {
  const handle = createHandler({ server: lateServer, policy: policyOf('concerns: {}') });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
  };
  const params = { concerns: {}, _meta: envelope() };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await handle(new Request('http://host/mcp', { method: 'POST', headers, body }));
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({
    id: 1,
    ...(status === 404 ? { error: { code: -32601 } } : {}),
  });
});

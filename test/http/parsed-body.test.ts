import { expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { joined, SharedText, textOf, textResponse } from '../../src/core/http/streams/text-response.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const policy = loadPolicy('policies/vault.yaml');
const server = () => createVaultServer();

/** Sends a message whose text was read by somebody else before. */
async function sendRead(handle: FetchHandler, body: unknown): Promise<string> {
  const init = { method: 'POST', headers: HEADERS, body: JSON.stringify(body) };
  const request = new Request('http://localhost/mcp', init);
  const parsedBody = await request.json();
  return (await handle(request, { parsedBody })).text();
}

it.each([
  ['each request', createHandler({ server, policy })],
  ['known lists', createHandler({ server, policy, catalog: 'static' })],
])('answers requests whose body was read before, from %s', async (_name, handle) => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const [first, second] = [await sendRead(handle, list), await sendRead(handle, list)];
  expect(JSON.parse(first).result.tools.length).toBeGreaterThan(10);
  expect(second).toBe(first);
  const call = { ...list, method: 'tools/call', params: { name: 'hashData', arguments: { data: 'abc' } } };
  expect(await sendRead(handle, call)).toContain('ba7816bf');
});

it('gives each reader of a shared text bytes of its own', async () => {
  const shared = new SharedText('é');
  const response = () => textResponse(['[', shared, ']'], { status: 201 });
  const reader = response().body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(new TextDecoder().decode(value)).toBe('[é]');
  value?.fill(0);
  expect([response().status, await response().text(), await textOf(response())]).toEqual([201, '[é]', '[é]']);
  expect(joined(['[', shared])).toBe('[é');
});

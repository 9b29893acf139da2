import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { serveLocally } from '../../src/core/http/local.js';
import { SessionStreams } from '../../src/core/http/streams/session-streams.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { toolNames, updateConcerns } from '../clients.js';
import { policyOf } from '../gate/gate-harness.js';
import { rpc } from '../lambda/events.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function connected() {
  const policy = new LivePolicy(loadPolicy('policies/vault.yaml'));
  const store = createMemoryStore();
  const endpoint = await serveLocally({ server: () => createVaultServer(), policy, store });
  open.push(() => endpoint.close());
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url));
  const client = new Client({ name: 'host', version: '1' });
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
  await client.connect(transport);
  open.push(() => client.close());
  const session = transport.sessionId ?? '';
  const send = (method: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(endpoint.url, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  // The SDK opens the stream after it connected. A second stream is refused as soon as it is open.
  await expect.poll(async () => (await send('GET')).status).toBe(409);
  return { client, policy, store, session, send, changes: () => changes };
}

describe('the stream of serveLocally', () => {
  it('announces a change that another client of the session made', async () => {
    const { client, send, changes } = await connected();
    expect(await toolNames(client)).toContain('deleteKey');
    const concerns = { security: 'high', access: 'read' };
    await (await send('POST', rpc('updateConcerns', { concerns }))).text();
    await expect.poll(changes).toBe(1);
    expect(await toolNames(client)).not.toContain('deleteKey');
  });

  it('announces a change of the client itself once', async () => {
    const { client, changes } = await connected();
    await toolNames(client);
    await updateConcerns(client, { security: 'high', access: 'read' });
    await expect.poll(changes).toBe(1);
    await sleep(100);
    expect(changes()).toBe(1);
  });

  it('announces a change that another process made in the store, once', async () => {
    const memory = createMemoryStore();
    const read = vi.fn(memory.read);
    const inner = { ...memory, read };
    /** Resolves when the stream has read what is stored now. */
    const looked = async () => {
      const before = read.mock.calls.length;
      await expect.poll(() => read.mock.calls.length).toBeGreaterThan(before + 1);
    };
    const id = 'a'.repeat(32);
    await inner.update(id, { concerns: { a: 'x', b: 'y' }, listChanged: ['tools'] });
    const streams = new SessionStreams(inner, loadPolicy('policies/vault.yaml'), 20);
    open.push(async () => streams.close());
    const headers = { accept: 'text/event-stream', 'mcp-session-id': id };
    const { body } = await streams.open(new Request('http://localhost/mcp', { headers }));
    await streams.store.update(id, { concerns: { b: 'y', a: 'z' } });
    await looked();
    await inner.update(id, { concerns: { a: 'other', b: 'y' } });
    await looked();
    await looked();
    await inner.end(id);
    expect(await text(body ?? new ReadableStream())).toBe(
      ': open\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
    );
  });

  it('announces a policy that was replaced', async () => {
    const { client, policy, changes } = await connected();
    await toolNames(client);
    policy.replace(policyOf('concerns: { a: { values: [x, y] } }'));
    await expect.poll(changes).toBe(1);
  });

  it('ends with its session', async () => {
    const { send } = await connected();
    expect((await send('DELETE')).status).toBe(204);
    expect((await send('GET')).status).toBe(404);
  });

  it.each([
    [400, { 'mcp-session-id': 'none' }],
    [404, { 'mcp-session-id': '0'.repeat(32) }],
    [406, { accept: 'application/json' }],
  ])('is refused with %i for the headers %j', async (status, headers) => {
    const { send } = await connected();
    expect((await send('GET', undefined, headers)).status).toBe(status);
  });
});

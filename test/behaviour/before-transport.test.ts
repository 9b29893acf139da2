import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { EXTENSION_ID } from '../../src/protocol/wire.js';
import { guardFetch } from '../../src/serve/guard-fetch.js';
import { createDualFetchHandler } from '../../src/serve/sdk-v2.js';
import { policyOf } from '../protocol/gate-harness.js';

/** What SDK v2 answers before a transport sees the request: there a gate on the transport is too late. */
const policy = policyOf(`
concerns: { level: { values: [low, high] } }
primitives:
  tools: { repeated: { level: low }, scoped: { level: low } }
  resources: { "r://hidden": { level: low } }
settings: { enforcement: enforce }
`);

function createServer(): McpServer {
  const server = new McpServer(
    { name: 'early', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true } } },
  );
  server.registerTool(
    'repeated',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
    async () => ({ content: [] }),
  );
  const scoped = { inputSchema: z.object({}), scopeChallenge: () => ({ scope: 'write' }) };
  server.registerTool('scoped', scoped as never, async () => ({ content: [] }));
  return server;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HIDING = { ...META, [EXTENSION_ID]: { concerns: { level: 'high' } } };

function request(method: string, params: Record<string, unknown>, meta: object = META): Request {
  const name = params.name ?? params.uri;
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

const gated = createDualFetchHandler({ server: createServer, policy });
const bare = createMcpHandler(createServer, { maxSubscriptions: 0 });
const told = async (response: Response) => ({ status: response.status, body: await response.text() });

describe('under enforce a hidden name is answered as one that does not exist', () => {
  it.each([['repeated'], ['scoped']])('the tool "%s"', async (name) => {
    const call = { name, arguments: { region: 'eu' } };
    const early = await told(await bare.fetch(request('tools/call', call)));
    const unknown = await told(await bare.fetch(request('tools/call', { ...call, name: 'nothing' })));
    // Without the gate the two differ: that is what would tell.
    expect(early.status).not.toBe(unknown.status);

    const hidden = await told(await gated(request('tools/call', call, HIDING)));
    expect(hidden.status).toBe(unknown.status);
    expect(hidden.body).toBe(unknown.body.replaceAll('nothing', name));
    const shown = await told(await gated(request('tools/call', call)));
    expect(shown).toEqual(early);
  });

  it.each([
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'y', value: '' } }],
    ['prompts/get', { name: 'x' }],
    ['resources/subscribe', { uri: 'r://hidden' }],
  ])('a method that the server does not have: %s', async (method, params) => {
    const expected = await told(await bare.fetch(request(method, params)));
    expect(expected.status).toBe(404);
    expect(await told(await gated(request(method, params)))).toEqual(expected);
  });

  it('however the name is written', async () => {
    const named = (name: string, written: string) => {
      const plain = request('tools/call', { name, arguments: { region: 'eu' } }, HIDING);
      return plain.text().then((text) => {
        const body = text.replace(JSON.stringify(name), written);
        return new Request(plain.url, { method: 'POST', headers: plain.headers, body });
      });
    };
    const unknown = await told(await gated(await named('nothing', '"n\\u006fthing"')));
    const hidden = await told(await gated(await named('repeated', '"r\\u0065peated"')));
    expect(hidden.status).toBe(unknown.status);
    expect(hidden.body).toBe(unknown.body.replaceAll('nothing', 'repeated'));
  });

  it('and nothing is let through while nobody can say what is hidden', async () => {
    const passed: string[] = [];
    const guarded = guardFetch(async (asked) => {
      const text = await asked.text();
      if (text.includes('"probe"'))
        return Response.json({ jsonrpc: '2.0', id: 'probe', error: { code: -32603 } });
      passed.push(text);
      return Response.json({});
    }, 'probe');
    const answer = await told(await guarded(request('tools/call', { name: 'repeated' }, HIDING)));
    expect(passed).toEqual([]);
    expect(JSON.parse(answer.body)).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  it('a subscription to a hidden resource', async () => {
    const listen = { notifications: { resourceSubscriptions: ['r://hidden'] } };
    const hidden = await told(await gated(request('subscriptions/listen', listen, HIDING)));
    const none = { notifications: { resourceSubscriptions: ['r://nothing'] } };
    const unknown = await told(await gated(request('subscriptions/listen', none, HIDING)));
    expect(hidden.status).toBe(unknown.status);
    expect(hidden.body).toBe(unknown.body.replaceAll('r://nothing', 'r://hidden'));
  });
});
